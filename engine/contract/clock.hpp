// What a pattern reads the time by.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "contract/transport.hpp"

namespace weft {

/// A clock that a pattern can read: a name and one static, inlined read; a pause by it, which gives
/// back how long it really was, less one read; and computing, in rounds whose worth the pattern
/// finds out by the clock.
template <class C>
concept Clock = requires {
  { C::name } -> std::convertible_to<std::string_view>;
  { C::now() }
  noexcept->std::same_as<Ticks>;
  { C::pause(Ticks{}) }
  noexcept->std::same_as<Ticks>;
  { C::compute(std::uint64_t{}) }
  noexcept->std::same_as<void>;
};

}  // namespace weft

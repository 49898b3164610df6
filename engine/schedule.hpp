// The order in which a case uses its buffers, as data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "case.hpp"

namespace weft {

/// Slot numbers in the order of use, to be walked round and round. Equal on every rank, so that a
/// message lands in the slot that bears the number of the slot it came from.
std::vector<std::uint32_t> make_order(const Schedule& schedule, std::uint64_t seed);

/// For how many messages an order lasts: of scheme 2 the other buffers are used once and never
/// again, so it is not walked round; the largest number there is for all others.
std::size_t messages_of_order(const Schedule& schedule, const std::vector<std::uint32_t>& order);

/// How many buffers an order needs on each side.
std::uint32_t slots_of(const std::vector<std::uint32_t>& order);

}  // namespace weft

// A case: one line of input (docs/engine-protocol.md), parsed and held to its bounds.
#pragma once

#include <cstdint>
#include <string>

#include "contract/case.hpp"

namespace weft {

/// What a case may ask for at most; src/weft/plan/cases.py has the same bounds.
inline constexpr std::uint64_t most_samples = 1'000'000;
inline constexpr std::uint64_t most_point = 1'000'000;

/// Throws std::invalid_argument with a sentence that names the field.
Case parse_case(const std::string& line);

/// The id of a line that is no case, so that its refusal names it; 0 where none can be read.
std::uint64_t id_of(const std::string& line);

}  // namespace weft

// The engine's own patterns on the fake fabric, as they are compiled once for all tests.
#pragma once

#include <vector>

#include "run/pattern_on.hpp"

namespace weft::fake {

std::vector<PatternOn> engine_patterns();

}  // namespace weft::fake

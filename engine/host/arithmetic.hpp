// How this thread's floating-point unit takes very small numbers.
#pragma once

#include <limits>

namespace weft {

/// Whether a number too small for all its digits is taken for zero. No program here sets that, but
/// a library may, for the thread that loads it and those that this one starts.
inline bool flushes_to_zero() noexcept {
  volatile float least = std::numeric_limits<float>::min();
  return least / 2 == 0;
}

}  // namespace weft

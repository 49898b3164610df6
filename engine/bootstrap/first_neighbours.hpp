// Whom a rank is connected with before any case.
#pragma once

#include <vector>

#include "bootstrap/bootstrap.hpp"

namespace weft {

/// The ranks before and behind this one, whom every link connects with when it is made: what the
/// library chose and whether the hosts reach each other is known before the first case.
inline std::vector<int> first_neighbours(const Bootstrap& boot) {
  const int size = boot.size();
  if (size < 2) return {};
  const int before = (boot.rank() + size - 1) % size;
  const int behind = (boot.rank() + 1) % size;
  return before == behind ? std::vector{before} : std::vector{before, behind};
}

}  // namespace weft

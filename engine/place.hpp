// Where a rank runs, and how it is kept there.
#pragma once

#include <cstddef>
#include <vector>

#include "bootstrap.hpp"
#include "case.hpp"

namespace weft {

/// How many ranks before this one run on the same host. Collective.
std::size_t local_rank(Bootstrap& boot);

/// Binds this process: to `cpus[local rank]` when given, else to a core of its own in hwloc's
/// order, nearest first, round robin where ranks outnumber cores. Throws std::runtime_error.
Place bind_rank(const std::vector<int>& cpus, Bootstrap& boot);

/// Have the kernel end this process when the starter that is its parent ends.
void die_with_parent();

}  // namespace weft

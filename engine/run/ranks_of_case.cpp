#include "run/ranks_of_case.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace weft {

RanksOfCase ranks_of_case(const Case& spec, const PatternOn& pattern, int size) {
  std::vector<int> here = spec.ranks_here;
  if (here.empty()) {
    here.resize(static_cast<std::size_t>(size));
    std::iota(here.begin(), here.end(), 0);
  }
  if (has_all_ranks(pattern.footprint)) {
    return {static_cast<int>(here.size()), here.size()};
  }
  RanksOfCase found;
  for (const int rank : here) {
    const Role role = pattern.role(spec, rank, size);
    if (!role.takes_part()) continue;
    ++found.ranks;
    found.lanes += std::max<std::size_t>({role.to.size(), role.from.size(), 1});
  }
  return found;
}

int first_of_case(const CasePlan& plan) {
  for (int rank = 0; rank < plan.size; ++rank) {
    if (plan.pattern->role(plan.spec, rank, plan.size).takes_part()) return rank;
  }
  return 0;
}

}  // namespace weft

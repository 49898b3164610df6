#include "run/ranks_of_case.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "contract/wording.hpp"
#include "host/hosts.hpp"

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

std::string refuse_shared_memory(int ranks, std::size_t bytes, std::optional<std::uint64_t> free) {
  // A rank that is alone on its host shares none.
  const std::uint64_t needed = std::uint64_t{bytes} * static_cast<std::uint64_t>(ranks);
  if (ranks < 2 || !free || needed <= *free) return {};
  constexpr std::uint64_t mebibyte = 1 << 20U;
  const auto count = [](std::uint64_t number) { return in_thousands(std::to_string(number)); };
  return "MPI's windows need " + count((needed + mebibyte - 1) / mebibyte) +
         " MiB of shared memory on " + host_name() + ", and " + count(*free / mebibyte) +
         " MiB are free in /dev/shm; choose smaller sizes or a shorter queue (--queue-depth), or "
         "enlarge it (docker run --shm-size=1g)";
}

int first_of_case(const CasePlan& plan) {
  for (int rank = 0; rank < plan.size; ++rank) {
    if (plan.pattern->role(plan.spec, rank, plan.size).takes_part()) return rank;
  }
  return 0;
}

}  // namespace weft

// What hot spots share (Liu et al., section 4.6): one rank sends to several others, or receives
// from them.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "contract/roles.hpp"
#include "contract/task.hpp"
#include "contract/wording.hpp"

namespace weft {

/// Rank 0 and as many others as the case's point says; without one, all others.
struct HotSpot {
  static constexpr bool streams = true;
  static constexpr bool every_rank_times = true;
  static constexpr bool is_star = true;
  static constexpr std::uint32_t ranks_per_point = 1;

  static std::string lacks(const Case& spec, int size) {
    if (spec.point < static_cast<std::uint64_t>(size)) return "";
    return counted(spec.point, "peer") + " " + verb_of(spec.point, "need") + " " +
           counted(spec.point + 1, "rank") + "; choose more with --ranks";
  }

 protected:
  static int peers_of(const Case& spec, int size) {
    return spec.point == 0 ? size - 1 : static_cast<int>(spec.point);
  }
  /// `act` is called with each lane whose messages may have gone or come since it was asked.
  template <TellsPeers T, class Act>
  static void with_ended(T& link, Task& task, const Act& act) noexcept {
    for (int rank = link.take_ended(); rank >= 0; rank = link.take_ended()) {
      // The lanes are those of ranks 1, 2 and so on; the list may name ranks of an earlier case.
      const auto lane = static_cast<std::size_t>(rank) - 1;
      if (lane < task.lanes.size()) act(task.lanes[lane]);
    }
  }
  static std::vector<int> first_ranks(int count) {
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 1);
    return ranks;
  }
};

}  // namespace weft

// What benchmarks share in which both ranks stream at once.
#pragma once

#include <string_view>

#include "contract/clock.hpp"
#include "contract/task.hpp"
#include "patterns/parts/trips.hpp"

namespace weft {

inline constexpr std::string_view both_ways_beyond_models =
    "in a model the messages of a window share the link and all arrive together, and nobody has "
    "checked both ways at once against a known answer";

/// Rank 0 finds the shortest round trip of a control message, by which it pauses once it has
/// started rank 1, and runs `lead(pause)`; rank 1 answers and runs `follow()`. False once the link
/// has a fault, or once these are.
template <Clock Now, class Wait, TwoSided T, class Lead, class Follow>
[[nodiscard]] bool run_both_ways(T& link, Task& task, const Lead& lead,
                                 const Follow& follow) noexcept {
  const Peer peer = task.lanes[0].peer;
  const auto out = [&]() -> const Buffer& { return task.control_out; };
  const auto in = [&]() -> const Buffer& { return task.control_in.next(); };
  if (task.rank == 1) return answer_trips<Wait>(link, peer, out, in, trial_trips) && follow();
  Ticks trip = 0;
  return find_shortest_trip<Now, Wait>(link, peer, out, in, trip) && lead(trip);
}

}  // namespace weft

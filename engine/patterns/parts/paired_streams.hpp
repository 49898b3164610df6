// What many pairs of ranks share that stream at once.
#pragma once

#include <array>
#include <cstddef>

#include "contract/pattern_traits.hpp"
#include "patterns/parts/many_ranks.hpp"

namespace weft {

/// All pairs start at rank 0's control message. A sample runs on rank 0's clock until every pair
/// has moved all its messages; what a pair took by itself is measured by its own first rank's
/// clock, so that no two clocks are compared. `own` is that of rank 0's pair.
struct PairedStreams {
  static constexpr bool streams = true;
  static constexpr bool every_rank_times = true;
  static constexpr std::array parts{own_times};

  template <Clock Now, class Wait, TellsPeers T>
  static bool run(T& link, Task& task) noexcept {
    if (task.lanes[0].out.empty()) {
      return receive_streams<Wait>(link, task, task.samples.size());
    }
    if (task.rank != 0) return stream_when_started<true, Now, Wait>(link, task);
    return lead<Now, Wait>(link, task);
  }

 private:
  template <Clock Now, class Wait, TellsPeers T>
  static bool lead(T& link, Task& task) noexcept {
    await_control_messages(link, task);
    if (!drain<Wait>(link)) return false;
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      const bool whole = probe_in_warmup(
          task, at, [&](const auto& probe) { return lead_once<Now, Wait>(link, task, at, probe); });
      if (!whole) return false;
    }
    return true;
  }

  template <Clock Now, class Wait, TellsPeers T, class Probe>
  static bool lead_once(T& link, Task& task, std::size_t at, const Probe& probe) noexcept {
    const Lane& lane = task.lanes[0];
    await_control_messages(link, task);
    const Ticks start = Now::now();
    for (const Peer follower : task.followers) link.post_send(follower, task.control_out);
    if (!stream_out<Wait>(link, task, task.streams, probe, nothing_more)) return false;
    while (link.receives_in_flight(lane.peer) > 0) {
      Wait::step(link);
      if (link.fault() != nullptr) return false;
    }
    task.parts[0][at] = Now::now() - start;
    if (!drain<Wait>(link)) return false;
    task.samples[at] = Now::now() - start;
    return true;
  }

  /// One control message of the receiver of this pair, and one of each other pair.
  template <TwoSided T>
  static void await_control_messages(T& link, Task& task) noexcept {
    link.post_recv(task.lanes[0].peer, task.control_in.next());
    for (const Peer follower : task.followers) link.post_recv(follower, task.control_in.next());
  }
};

}  // namespace weft

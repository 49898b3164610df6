// Bidirectional bandwidth by windows: Q messages each way, a wait for all of them, and the next Q.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/clock.hpp"
#include "contract/task.hpp"
#include "patterns/parts/both_ways.hpp"
#include "patterns/parts/posting.hpp"
#include "patterns/parts/send_window.hpp"
#include "patterns/parts/windows.hpp"

namespace weft {

/// The loop of osu_bibw (OMB 7.4) between the control messages of `bidirectional_stream`, which are
/// what its samples begin and end with: each rank posts the receives of a window, then its sends.
struct BidirectionalWindowStream : ByWindows {
  static constexpr PatternInfo info{
      .name = "bidirectional_window_stream",
      .title = "Bidirectional bandwidth by windows",
      .summary = "as osu_bibw: Q messages each way, a wait for all; some may be unexpected",
      .figure = Figure::bandwidth,
      .ranks = 2,
      .latency_divisor = 0,
      .bandwidth_factor = 2,
      .least_bytes = 1,
      .has_queue = true,
      .latencies_per_sample = 4,
  };
  static constexpr std::string_view beyond_models = both_ways_beyond_models;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    return run_both_ways<Now, Wait>(
        link, task, [&](Ticks pause) { return lead<Now, Wait>(link, task, pause); },
        [&] { return follow<Wait>(link, task); });
  }

 private:
  /// Rank 0, whose samples count. It pauses for a round trip once it has started rank 1, as in
  /// `bidirectional_stream`.
  template <Clock Now, class Wait, TwoSided T>
  static bool lead(T& link, Task& task, Ticks pause) noexcept {
    const Lane& lane = task.lanes[0];
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      const bool whole = probe_in_warmup(task, at, [&](const auto& probe) {
        const Ticks start = Now::now();
        link.post_send(lane.peer, task.control_out);
        if (!drain<Wait>(link)) return false;
        (void)Now::pause(pause);
        if (!exchange<Wait>(link, task, probe)) return false;
        link.post_recv(lane.peer, task.control_in.next());
        if (!drain<Wait>(link)) return false;
        task.samples[at] = Now::now() - start;
        return true;
      });
      if (!whole) return false;
    }
    return true;
  }

  /// Rank 1: each sample begins with a control message, and ends with one.
  template <class Wait, TwoSided T>
  static bool follow(T& link, Task& task) noexcept {
    const Lane& lane = task.lanes[0];
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      const bool whole = probe_in_warmup(task, at, [&](const auto& probe) {
        link.post_recv(lane.peer, task.control_in.next());
        if (!drain<Wait>(link)) return false;
        if (!exchange<Wait>(link, task, probe)) return false;
        link.post_send(lane.peer, task.control_out);
        return true;
      });
      if (!whole) return false;
    }
    return drain<Wait>(link);
  }

  template <class Wait, TwoSided T, class Probe>
  static bool exchange(T& link, Task& task, const Probe& probe) noexcept {
    Lane& lane = task.lanes[0];
    return for_each_window(task, [&](std::uint32_t window) {
      post_receives(link, lane, window);
      post_sends(link, lane, window);
      probe(link, [&] { return link.sends_in_flight(); });
      return drain<Wait>(link);
    });
  }
};

}  // namespace weft

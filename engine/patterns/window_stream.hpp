// Bandwidth by windows: Q messages, a wait for all of them, an answer, and the next Q.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/clock.hpp"
#include "contract/task.hpp"
#include "patterns/parts/posting.hpp"
#include "patterns/parts/receiver.hpp"
#include "patterns/parts/send_window.hpp"
#include "patterns/parts/windows.hpp"

namespace weft {

/// The loop of osu_bw (OMB 7.4): rank 1 posts the receives of a window behind its answer to the one
/// before, so that messages may come before them. A sample is whole windows.
struct WindowStream : ByWindows {
  static constexpr PatternInfo info{
      .name = "window_stream",
      .title = "Bandwidth by windows",
      .summary = "as osu_bw: Q messages, a wait for all, an answer; some may be unexpected",
      .figure = Figure::bandwidth,
      .ranks = 2,
      .latency_divisor = 0,
      .bandwidth_factor = 1,
      .least_bytes = 1,
      .has_queue = true,
      .latencies_per_sample = 2,
  };
  static constexpr bool one_way = true;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank == 1) return answer_windows<Wait>(link, task);
    if (!await_ready<Wait>(link, task, task.lanes[0])) return false;
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      const bool whole = probe_in_warmup(task, at, [&](const auto& probe) {
        return send_windows<Now, Wait>(link, task, task.samples[at], probe);
      });
      if (!whole) return false;
    }
    return true;
  }

 private:
  /// Rank 0: ticks from the first post to the answer to the last window.
  template <Clock Now, class Wait, TwoSided T, class Probe>
  static bool send_windows(T& link, Task& task, Ticks& took, const Probe& probe) noexcept {
    Lane& lane = task.lanes[0];
    const Ticks start = Now::now();
    const bool whole = for_each_window(task, [&](std::uint32_t window) {
      link.post_recv(lane.peer, task.control_in.next());
      post_sends(link, lane, window);
      probe(link, [&] { return link.sends_in_flight(); });
      return drain<Wait>(link);
    });
    took = Now::now() - start;
    return whole;
  }

  /// Rank 1: the receives of the first window are there before it says that it is ready.
  template <class Wait, TwoSided T>
  static bool answer_windows(T& link, Task& task) noexcept {
    Lane& lane = task.lanes[0];
    bool is_first = true;
    for (std::size_t left = task.samples.size(); left > 0; --left) {
      const bool whole = for_each_window(task, [&](std::uint32_t window) {
        post_receives(link, lane, window);
        if (is_first) say_ready(link, task, lane);
        is_first = false;
        if (!Wait::settle(link, 1, 0)) return false;
        link.post_send(lane.peer, task.control_out);
        return true;
      });
      if (!whole) return false;
    }
    return drain<Wait>(link);
  }
};

}  // namespace weft

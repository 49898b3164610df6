// Bidirectional bandwidth by windows: Q messages each way, a wait for all of them, and the next Q.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/clock.hpp"
#include "contract/task.hpp"
#include "patterns/parts/posting.hpp"
#include "patterns/parts/send_window.hpp"
#include "patterns/parts/trips.hpp"
#include "patterns/parts/windows.hpp"

namespace weft {

/// The loop of osu_bibw (OMB 7.4) between the control messages of `bidirectional_stream`, which are
/// what its samples begin and end with: each rank posts the receives of a window, then its sends.
struct BidirectionalWindowStream {
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
  static constexpr std::string_view beyond_models =
      "in a model the messages of a window share the link and all arrive together, and nobody has "
      "checked both ways at once against a known answer";
  static constexpr bool streams = true;
  static constexpr bool whole_windows = true;
  static constexpr bool measures_unexpected = true;

  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t queue_depth,
                                                  std::uint64_t /*point*/) noexcept {
    return queue_depth;
  }

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    const Lane& lane = task.lanes[0];
    const auto out = [&]() -> const Buffer& { return task.control_out; };
    const auto in = [&]() -> const Buffer& { return task.control_in.next(); };
    if (task.rank == 1) {
      return answer_trips<Wait>(link, lane.peer, out, in, trial_trips) && follow<Wait>(link, task);
    }
    Ticks trip = 0;
    return find_shortest_trip<Now, Wait>(link, lane.peer, out, in, trip) &&
           lead<Now, Wait>(link, task, trip);
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

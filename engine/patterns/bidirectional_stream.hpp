// Bidirectional bandwidth: both ranks stream at once.
#pragma once

#include "contract/clock.hpp"
#include "contract/task.hpp"
#include "patterns/parts/both_ways.hpp"
#include "patterns/parts/posting.hpp"
#include "patterns/parts/receiver.hpp"
#include "patterns/parts/send_window.hpp"

namespace weft {

/// A sample is `ops_per_sample` messages each way. It starts with a control message of rank 0's, on
/// which rank 1 begins, so nothing is on its way before the clock starts; it ends with one of rank
/// 1's once that has them all, so nothing is unfinished when the clock stops.
///
/// Behind that start rank 0 pauses, on the clock, for its round trip: rank 1 has left the library
/// with it by then. A call of a library moves whatever is there, some copy half a window in one:
/// were the messages right behind the start, rank 1 would do so before it sends its own, and the
/// other direction would stand still so long. A longer pause would find rank 1's messages there
/// without a receive.
struct BidirectionalStream {
  static constexpr PatternInfo info{
      .name = "bidirectional_stream",
      .title = "Bidirectional bandwidth",
      .summary = "both ranks stream at once with Q messages in flight each way",
      .figure = Figure::bandwidth,
      .ranks = 2,
      .latency_divisor = 0,
      .bandwidth_factor = 2,
      .least_bytes = 1,
      .has_queue = true,
      .latencies_per_sample = 4,
  };
  static constexpr std::string_view beyond_models = both_ways_beyond_models;
  static constexpr bool streams = true;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    return run_both_ways<Now, Wait>(
        link, task, [&](Ticks pause) { return lead<Now, Wait>(link, task, pause); },
        [&] { return follow<Wait>(link, task); });
  }

 private:
  /// Rank 0, whose samples count: each ends with a control message.
  template <Clock Now, class Wait, TwoSided T>
  static bool lead(T& link, Task& task, Ticks pause) noexcept {
    Lane& lane = task.lanes[0];
    link.post_recv(lane.peer, task.control_in.next());
    open_lane<ControlAt::behind>(link, task, lane, task.ops_per_sample, task.samples.size());
    if (!Wait::settle(link, 0, lane.posted)) return false;
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      const bool whole = probe_in_warmup(task, at, [&](const auto& probe) {
        const Ticks start = Now::now();
        link.post_send(lane.peer, task.control_out);
        if (!Wait::settle(link, 0, lane.posted)) return false;
        (void)Now::pause(pause);
        if (!exchange<ControlAt::behind, Wait>(link, task, probe)) return false;
        if (!Wait::settle(link, 0, lane.posted)) return false;
        task.samples[at] = Now::now() - start;
        return true;
      });
      if (!whole) return false;
    }
    return true;
  }

  /// Rank 1: each sample begins with a control message.
  template <class Wait, TwoSided T>
  static bool follow(T& link, Task& task) noexcept {
    Lane& lane = task.lanes[0];
    open_lane<ControlAt::before>(link, task, lane, task.ops_per_sample, task.samples.size());
    say_ready(link, task, lane);
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      const bool whole = probe_in_warmup(task, at, [&](const auto& probe) {
        if (!Wait::settle(link, 0, lane.posted - 1)) return false;
        if (!exchange<ControlAt::before, Wait>(link, task, probe)) return false;
        link.post_send(lane.peer, task.control_out);
        return Wait::settle(link, 0, lane.posted);
      });
      if (!whole) return false;
    }
    return true;
  }

  /// A sample's messages both ways, and the control message that it begins or ends with.
  template <ControlAt control, class Wait, TwoSided T, class Probe>
  static bool exchange(T& link, Task& task, const Probe& probe) noexcept {
    Lane& lane = task.lanes[0];
    const auto post = [&](std::uint32_t count) { post_sends(link, lane, count); };
    SendWindow window(task.ops_per_sample, task.queue_depth);
    lane.to_come = task.ops_per_sample + 1;
    window.fill(post);
    probe(link, [&] { return link.sends_in_flight(); });
    bool has_posted = true;
    while (window.left() > 0 || lane.to_come > 0) {
      if (window.left() > 0 && link.sends_in_flight() <= window.most_in_flight()) {
        window.refill(post);
        has_posted = true;
      }
      step_after_posts<Wait>(link, has_posted);
      if (link.fault() != nullptr) return false;
      has_posted =
          lane.to_come > 0 && take_what_came<control>(link, task, lane, link.receives_in_flight());
    }
    return true;
  }
};

}  // namespace weft

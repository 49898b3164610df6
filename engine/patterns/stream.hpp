// Streaming bandwidth: one rank keeps a window of messages in flight until the other has them all.
#pragma once

#include "patterns/parts/many_ranks.hpp"
#include "patterns/parts/streaming.hpp"

namespace weft {

/// A sample is a stream of `ops_per_sample` messages, from the first post to the receiver's report
/// that the last one arrived: local completion alone would count data that are still in buffers.
/// On the way back rank 1 streams. Rank 0 keeps the clock: its sample runs from the control message
/// that starts rank 1 to the arrival of the last message. Both directions take the time of the
/// messages, and the latency of one control message.
struct Stream {
  static constexpr PatternInfo info{
      .name = "stream",
      .title = "Bandwidth",
      .summary = "one rank streams with Q messages in flight until the other has them all",
      .figure = Figure::bandwidth,
      .ranks = 2,
      .latency_divisor = 0,
      .bandwidth_factor = 1,
      .least_bytes = 1,
      .has_queue = true,
      .has_directions = true,
      .latencies_per_sample = 2,
  };
  static constexpr bool streams = true;
  static constexpr bool one_way = true;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.is_back) {
      return task.rank == 0 ? receive_started<Now, Wait>(link, task)
                            : stream_when_started<false, Now, Wait>(link, task);
    }
    if (task.rank == 1) return receive_streams<Wait>(link, task, task.samples.size());
    if (!await_ready<Wait>(link, task, task.lanes[0])) return false;
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      const bool whole = probe_in_warmup(task, at, [&](const auto& probe) {
        return send_stream<Now, Wait>(link, task, task.samples[at], probe, nothing_more);
      });
      if (!whole) return false;
    }
    return true;
  }

 private:
  /// Rank 0 on the way back.
  template <Clock Now, class Wait, TwoSided T>
  static bool receive_started(T& link, Task& task) noexcept {
    Lane& lane = task.lanes[0];
    open_lane<ControlAt::none>(link, task, lane, messages_per_lane(task), task.samples.size());
    for (Ticks& sample : task.samples) {
      const Ticks start = Now::now();
      link.post_send(lane.peer, task.control_out);
      if (!take_all<Wait, ControlAt::none>(link, task, lane)) return false;
      sample = Now::now() - start;
      link.post_send(lane.peer, task.control_out);
      if (!Wait::settle(link, 0, lane.posted)) return false;
    }
    return true;
  }
};

}  // namespace weft

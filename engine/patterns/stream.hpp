// Streaming bandwidth: rank 0 keeps a window of messages in flight, rank 1 says when it has them
// all.
#pragma once

#include "patterns/parts/streaming.hpp"

namespace weft {

/// A sample is a stream of `ops_per_sample` messages, from the first post to the receiver's report
/// that the last one arrived: local completion alone would count data that are still in buffers.
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
      .latencies_per_sample = 2,
  };
  static constexpr bool streams = true;
  static constexpr bool one_way = true;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
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
};

}  // namespace weft

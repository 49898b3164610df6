// Get bandwidth.
#pragma once

#include "contract/clock.hpp"
#include "patterns/parts/one_sided.hpp"

namespace weft {

/// A sample is `ops_per_sample` gets with Q in flight; rank 1 only stands by.
struct GetStream {
  static constexpr PatternInfo info{
      .name = "get_stream",
      .title = "Get bandwidth",
      .summary = "one rank gets with Q in flight",
      .figure = Figure::bandwidth,
      .ranks = 2,
      .latency_divisor = 0,
      .bandwidth_factor = 1,
      .least_bytes = 1,
      .has_queue = true,
      .latencies_per_sample = 2,
  };
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t queue_depth,
                                                  std::uint64_t /*point*/) noexcept {
    return queue_depth;
  }
  static constexpr bool streams = true;
  static constexpr Opens opens = Opens::outgoing;

  template <Clock Now, class Wait, OneSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank == 1) return stand_by<Wait>(link, task);
    const Peer peer{1};
    const auto begin = [&] { link.get(peer, task.in.next(), task.remote.next()); };
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      const bool whole = probe_in_warmup(task, at, [&](const auto& probe) {
        const Ticks start = Now::now();
        if (!transfer_stream<Wait>(link, task, begin, probe)) return false;
        if (!settle_transfers<Wait>(link, 0)) return false;
        task.samples[at] = Now::now() - start;
        return true;
      });
      if (!whole) return false;
    }
    return dismiss<Wait>(link, task);
  }
};

}  // namespace weft

// Get latency.
#pragma once

#include "contract/clock.hpp"
#include "patterns/parts/one_sided.hpp"

namespace weft {

/// Rank 0 gets and waits for the data; rank 1 only stands by.
struct GetLatency {
  static constexpr PatternInfo info{
      .name = "get_latency",
      .title = "Get latency",
      .summary = "a get and the wait for its data",
      .figure = Figure::one_sided_latency,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 1,
  };
  static constexpr Opens opens = Opens::outgoing;

  template <Clock Now, class Wait, OneSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank == 1) return stand_by<Wait>(link, task);
    const Peer peer{1};
    for (Ticks& sample : task.samples) {
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        if constexpr (WaitsInTransfers<Wait, T>) {
          link.get_and_flush(peer, task.in.next(), task.remote.next());
          if (link.fault() != nullptr) return false;
        } else {
          link.get(peer, task.in.next(), task.remote.next());
          if (!settle_transfers<Wait>(link, 0)) return false;
        }
      }
      sample = Now::now() - start;
    }
    return dismiss<Wait>(link, task);
  }
};

}  // namespace weft

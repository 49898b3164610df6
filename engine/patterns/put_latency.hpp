// Put latency to remote completion.
#pragma once

#include "contract/clock.hpp"
#include "patterns/parts/one_sided.hpp"

namespace weft {

/// Rank 0 puts and waits until the data are in rank 1's memory (put and flush, as osu_put_latency);
/// rank 1 only stands by.
struct PutLatency {
  static constexpr PatternInfo info{
      .name = "put_latency",
      .title = "Put latency to remote completion",
      .summary = "a put and the wait until it is in the peer's memory",
      .figure = Figure::one_sided_latency,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 1,
  };
  static constexpr bool one_way = true;
  static constexpr Opens opens = Opens::incoming;

  template <Clock Now, class Wait, OneSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank == 1) return take_puts<Wait>(link, task);
    const Peer peer{1};
    for (Ticks& sample : task.samples) {
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        if constexpr (WaitsInTransfers<Wait, T>) {
          link.put_and_flush(peer, task.out.next(), task.remote.next());
          if (link.fault() != nullptr) return false;
        } else {
          link.put(peer, task.out.next(), task.remote.next());
          link.flush(peer);
          if (!settle_transfers<Wait>(link, 0)) return false;
        }
      }
      sample = Now::now() - start;
    }
    return dismiss<Wait>(link, task);
  }
};

}  // namespace weft

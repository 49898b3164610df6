// One rank's message to all others.
#pragma once

#include <memory>

#include "patterns/parts/collective.hpp"

namespace weft {

/// From rank 0, as osu_bcast has it (IMB's root changes from call to call). The root may
/// be done long before the others: its own time is in the mean all the same.
struct Broadcast : OfAllRanks {
  static constexpr PatternInfo info{
      .name = "broadcast",
      .title = "Broadcast",
      .summary = "rank 0's message to all ranks; mean time over the ranks",
      .figure = Figure::collective,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .least_bytes = 1,
      .time_factor = 2,
      .clock_reads = 1,
  };
  static constexpr std::uint32_t own_messages = 1;

  template <Clock Now>
  static std::unique_ptr<Application> prepare(const Case& spec, int rank, int size,
                                              const Buffer& own) {
    return std::make_unique<CollectiveMemory>(spec, rank, size, own, 0, 1);
  }
  template <Clock Now, class Wait, Collective T>
  requires std::same_as<Wait, UsualWait<T>>
  static bool run(T& link, Task& task) noexcept {
    return time_collective<Broadcast, Now>(link, task);
  }

  static void fill_in(const CollectiveMemory& own, std::uint32_t operation) noexcept {
    if (own.rank() == root.rank) {
      fill(own.part(own.in(), 0), own.content(root.rank, operation));
    } else {
      poison(own.part(own.in(), 0), own.content(root.rank, operation));
    }
  }
  template <Collective T>
  static void call(T& link, const CollectiveMemory& own) noexcept {
    link.broadcast(root, own.in());
  }
  static void check(const CollectiveMemory& own, std::uint32_t operation, Task& task) noexcept {
    check_content(own.part(own.in(), 0), own.content(root.rank, operation), task);
  }

 private:
  static constexpr Peer root{0};
};

}  // namespace weft

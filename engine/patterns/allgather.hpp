// Every rank's message to all ranks.
#pragma once

#include <memory>

#include "patterns/parts/collective.hpp"

namespace weft {

/// As osu_allgather and IMB's Allgather have it: the size is that of one rank's
/// message, and every rank gets those of all.
struct Allgather : OfAllRanks {
  static constexpr PatternInfo info{
      .name = "allgather",
      .title = "Allgather",
      .summary = "every rank's message to all ranks; mean time over the ranks",
      .figure = Figure::collective,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .least_bytes = 1,
      .time_factor = 2,
      .clock_reads = 1,
  };
  static constexpr std::uint32_t own_messages = 1;
  static constexpr std::uint32_t own_messages_per_rank = 1;

  template <Clock Now>
  static std::unique_ptr<Application> prepare(const Case& spec, int rank, int size,
                                              const Buffer& own) {
    return std::make_unique<CollectiveMemory>(spec, rank, size, own, 1,
                                              static_cast<std::size_t>(size));
  }
  template <Clock Now, class Wait, Collective T>
  requires std::same_as<Wait, UsualWait<T>>
  static bool run(T& link, Task& task) noexcept {
    return time_collective<Allgather, Now>(link, task);
  }

  static void fill_in(const CollectiveMemory& own, std::uint32_t operation) noexcept {
    fill(own.part(own.out(), 0), own.content(own.rank(), operation));
    for (int peer = 0; peer < own.size(); ++peer) {
      poison(own.part(own.in(), peer), own.content(peer, operation));
    }
  }
  template <Collective T>
  static void call(T& link, const CollectiveMemory& own) noexcept {
    link.allgather(own.out(), own.in());
  }
  static void check(const CollectiveMemory& own, std::uint32_t operation, Task& task) noexcept {
    for (int peer = 0; peer < own.size(); ++peer) {
      check_content(own.part(own.in(), peer), own.content(peer, operation), task);
    }
  }
};

}  // namespace weft

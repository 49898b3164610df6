// A message from every rank to every rank.
#pragma once

#include <memory>

#include "patterns/parts/collective.hpp"

namespace weft {

/// As osu_alltoall and IMB's Alltoall have it: the size is that of one message, of
/// which each rank sends one to every rank, itself among them.
struct Alltoall : OfAllRanks {
  static constexpr PatternInfo info{
      .name = "alltoall",
      .title = "Alltoall",
      .summary = "a message from every rank to every rank; mean time over the ranks",
      .figure = Figure::collective,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .least_bytes = 1,
      .time_factor = 2,
      .clock_reads = 1,
  };
  static constexpr std::uint32_t own_messages_per_rank = 2;

  template <Clock Now>
  static std::unique_ptr<Application> prepare(const Case& spec, int rank, int size,
                                              const Buffer& own) {
    const auto ranks = static_cast<std::size_t>(size);
    return std::make_unique<CollectiveMemory>(spec, rank, size, own, ranks, ranks);
  }
  template <Clock Now, class Wait, Collective T>
  requires std::same_as<Wait, UsualWait<T>>
  static bool run(T& link, Task& task) noexcept {
    return time_collective<Alltoall, Now>(link, task);
  }

  static void fill_in(const CollectiveMemory& own, std::uint32_t operation) noexcept {
    for (int peer = 0; peer < own.size(); ++peer) {
      fill(own.part(own.out(), peer), own.content(own.rank(), operation, peer));
      poison(own.part(own.in(), peer), own.content(peer, operation, own.rank()));
    }
  }
  template <Collective T>
  static void call(T& link, const CollectiveMemory& own) noexcept {
    link.alltoall(own.out(), own.in());
  }
  static void check(const CollectiveMemory& own, std::uint32_t operation, Task& task) noexcept {
    for (int peer = 0; peer < own.size(); ++peer) {
      check_content(own.part(own.in(), peer), own.content(peer, operation, own.rank()), task);
    }
  }
};

}  // namespace weft

// A sum over all ranks, which all of them get.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include "patterns/parts/collective.hpp"

namespace weft {

/// A sum of floats, as osu_allreduce and IMB's Allreduce have it. The numbers are
/// whole and small, so that their sum is exact in any order.
struct Allreduce : OfAllRanks {
  static constexpr PatternInfo info{
      .name = "allreduce",
      .title = "Allreduce",
      .summary = "a sum of floats over all ranks, on all of them; mean time over the ranks",
      .figure = Figure::collective,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .least_bytes = sizeof(float),
      .time_factor = 2,
      .clock_reads = 1,
  };
  static constexpr std::uint32_t own_messages = 2;

  static std::string lacks(const Case& spec, int size) {
    if (spec.bytes % sizeof(float) != 0) return "it sums floats; choose --sizes of multiples of 4";
    return OfAllRanks::lacks(spec, size);
  }
  template <Clock Now>
  static std::unique_ptr<Application> prepare(const Case& spec, int rank, int size,
                                              const Buffer& own) {
    return std::make_unique<CollectiveMemory>(spec, rank, size, own, 1, 1);
  }
  template <Clock Now, class Wait, Collective T>
  requires std::same_as<Wait, UsualWait<T>>
  static bool run(T& link, Task& task) noexcept {
    return time_collective<Allreduce, Now>(link, task);
  }

  static void fill_in(const CollectiveMemory& own, std::uint32_t operation) noexcept {
    for (std::size_t at = 0; at < own.message_bytes() / sizeof(float); ++at) {
      const auto number = static_cast<float>(of_place(at, operation) + of_rank(own.rank()));
      std::memcpy(own.out().data + at * sizeof number, &number, sizeof number);
    }
    std::memset(own.in().data, 0xff, own.in().bytes);
  }
  template <Collective T>
  static void call(T& link, const CollectiveMemory& own) noexcept {
    link.allreduce(own.out(), own.in());
  }
  static void check(const CollectiveMemory& own, std::uint32_t operation, Task& task) noexcept {
    std::uint64_t of_ranks = 0;
    for (int rank = 0; rank < own.size(); ++rank) of_ranks += of_rank(rank);
    const auto ranks = static_cast<std::uint64_t>(own.size());
    for (std::size_t at = 0; at < own.message_bytes() / sizeof(float); ++at) {
      float number = 0;
      std::memcpy(&number, own.in().data + at * sizeof number, sizeof number);
      const auto wanted = static_cast<float>(ranks * of_place(at, operation) + of_ranks);
      if (number != wanted) task.wrong = wrong_result;
    }
    task.verified_bytes += own.in().bytes;
  }

 private:
  // Below 2^24 together for as many ranks as there may be.
  static std::uint64_t of_place(std::size_t at, std::uint32_t operation) noexcept {
    constexpr std::uint64_t period = 61;
    return (at + operation) % period;
  }
  static std::uint64_t of_rank(int rank) noexcept {
    constexpr std::uint64_t period = 127;
    return static_cast<std::uint64_t>(rank) % period + 1;
  }
};

}  // namespace weft

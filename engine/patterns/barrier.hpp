// No rank goes on before all have come.
#pragma once

#include <memory>

#include "patterns/parts/collective.hpp"

namespace weft {

/// As osu_barrier and IMB's Barrier have it, but for the meeting before each, which is
/// a barrier too. It moves no bytes that could be looked at.
struct BarrierOfAll : OfAllRanks {
  static constexpr PatternInfo info{
      .name = "barrier",
      .title = "Barrier",
      .summary = "all ranks wait for each other; mean time over the ranks",
      .figure = Figure::collective,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .has_size = false,
      .time_factor = 2,
      .clock_reads = 1,
  };

  template <Clock Now>
  static std::unique_ptr<Application> prepare(const Case& spec, int rank, int size,
                                              const Buffer& own) {
    return std::make_unique<CollectiveMemory>(spec, rank, size, own, 0, 0);
  }
  template <Clock Now, class Wait, Collective T>
  requires std::same_as<Wait, UsualWait<T>>
  static bool run(T& link, Task& task) noexcept {
    return time_collective<BarrierOfAll, Now>(link, task);
  }

  static void fill_in(const CollectiveMemory& /*own*/, std::uint32_t /*operation*/) noexcept {}
  template <Collective T>
  static void call(T& link, const CollectiveMemory& /*own*/) noexcept {
    link.barrier();
  }
  static void check(const CollectiveMemory& /*own*/, std::uint32_t /*operation*/,
                    Task& /*task*/) noexcept {}
};

}  // namespace weft

// A get and work beside it.
#pragma once

#include "patterns/parts/beside_work.hpp"
#include "patterns/parts/one_sided.hpp"

namespace weft {

/// An operation is a get until its data are here, the same with work before the wait, and
/// the work by itself; rank 1 only stands by.
struct GetOverlap {
  static constexpr PatternInfo info{
      .name = "get_overlap",
      .title = "Get overlapped with work",
      .summary = "a get, work, and the wait for its data; also each alone",
      .figure = Figure::overlap,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .time_factor = 3,
      .axis = work_axis,
      .clock_reads = 1,
      .part_clock_reads = {1, 1},
  };
  static constexpr std::string_view beyond_models = models_always_overlap;
  static constexpr std::array parts{std::string_view{"alone"}, std::string_view{"work"}};
  static constexpr std::uint32_t messages_per_operation = 2;
  static constexpr std::uint32_t messages_before = trial_transfers;
  static constexpr Opens opens = Opens::outgoing;

  template <Clock Now, class Wait, OneSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank == 1) return stand_by<Wait>(link, task);
    const Peer peer{1};
    const auto transfer = [&](std::uint64_t rounds, Ticks& took) {
      const Ticks start = Now::now();
      link.get(peer, task.in.next(), task.remote.next());
      Now::compute(rounds);
      if (!settle_transfers<Wait>(link, 0)) return false;
      took += Now::now() - start;
      return true;
    };
    const auto nothing = [](std::uint64_t /*rounds*/, std::size_t /*at*/) { return true; };
    return measure_beside_work<Now>(task, transfer, nothing) && dismiss<Wait>(link, task);
  }
};

}  // namespace weft

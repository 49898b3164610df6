// Pallas SendRecv: every rank sends to the right and receives from the left.
#pragma once

#include "patterns/parts/exchange_along.hpp"

namespace weft {

/// The Pallas definition (Doerfler, SAND2005-1555P, tables 6 and 7): a closed chain; the time is
/// that of one iteration, the bandwidth counts both directions of a rank. As there, the
/// receive is posted inside the timed region. Every rank's own time is kept: IMB reports the least,
/// the mean and the greatest over the ranks, and its throughput is that of the greatest.
struct SendRecv {
  static constexpr PatternInfo info{
      .name = "sendrecv",
      .title = "SendRecv",
      .summary =
          "Pallas SendRecv: a closed chain, each rank sends right and receives from the left",
      .figure = Figure::exchange,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 2,
  };
  static constexpr bool every_rank = true;
  static constexpr bool every_rank_times = true;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    const Peer right{(task.rank + 1) % task.size};
    const Peer left{(task.rank + task.size - 1) % task.size};
    return exchange_along<Now, Wait>(link, task, right, left);
  }
};

}  // namespace weft

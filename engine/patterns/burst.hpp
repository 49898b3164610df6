// The round trip of a burst: PRTT(n, 0, s) of the delay method, and PRTT(1, 0, s) beside it.
#pragma once

#include "patterns/parts/delay_method.hpp"

namespace weft {

/// An operation is one message and its answer, which is the part `single`, and n messages posted
/// back to back and the one answer to the last of them. What the burst takes longer is n - 1 gaps.
struct Burst : BurstsAnswered {
  static constexpr PatternInfo info{
      .name = "burst",
      .title = "Round trip of a burst",
      .summary =
          "8 messages back to back and one answer, against one message and its answer: the "
          "gap of LogGP",
      .figure = Figure::burst,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .time_factor = 2,
      .messages_per_burst = burst_messages,
      .clock_reads = 1,
      .part_clock_reads = {1},
  };

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    const std::size_t operations = task.samples.size() * task.ops_per_sample;
    if (task.rank == 1) return answer_bursts<Wait>(link, task, operations);
    const auto at_once = [] { return true; };
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      Ticks single = 0;
      Ticks burst = 0;
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        if (!round_trip<Now, Wait>(link, task, 1, single, at_once)) return false;
        if (!round_trip<Now, Wait>(link, task, burst_messages, burst, at_once)) return false;
      }
      task.parts[0][at] = single;
      task.samples[at] = burst;
    }
    return true;
  }
};

}  // namespace weft

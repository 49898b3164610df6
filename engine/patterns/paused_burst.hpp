// The round trip of a burst with pauses: PRTT(n, d, s) of the delay method, beside PRTT(1, 0, s).
#pragma once

#include "patterns/parts/delay_method.hpp"

namespace weft {

/// As Burst, with a pause longer than a round trip after each message of the burst but the last.
/// The pauses are taken off the sample: what is left beyond `single` is the sender's overhead, n -
/// 1 times, and one read of the clock for each pause.
struct PausedBurst : BurstsAnswered {
  static constexpr PatternInfo info{
      .name = "paused_burst",
      .title = "Round trip of a burst with pauses",
      .summary = "8 messages with pauses, which are subtracted, and one answer: o_s of LogGP",
      .figure = Figure::burst,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .time_factor = 30,
      .messages_per_burst = burst_messages,
      .pause_trips = pause_trips,
      .clock_reads = burst_messages,
      .part_clock_reads = {1},
  };
  static constexpr std::uint32_t messages_before = trial_trips;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank == 1) {
      const std::size_t operations = task.samples.size() * task.ops_per_sample;
      return answer_trips<Wait>(link, task) && answer_bursts<Wait>(link, task, operations);
    }
    Ticks pause = 0;
    if (!find_pause<Now, Wait>(link, task, pause)) return false;
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      Ticks single = 0;
      Ticks burst = 0;
      Ticks paused = 0;
      const auto at_once = [] { return true; };
      const auto after_a_pause = [&] {
        paused += Now::pause(pause);
        return Wait::settle(link, 0, 1);
      };
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        if (!round_trip<Now, Wait>(link, task, 1, single, at_once)) return false;
        if (!round_trip<Now, Wait>(link, task, burst_messages, burst, after_a_pause)) return false;
      }
      task.parts[0][at] = single;
      task.samples[at] = burst - paused;
    }
    return true;
  }
};

}  // namespace weft

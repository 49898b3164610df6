// The receiver's overhead: the time to take in a message that is there already.
#pragma once

#include "patterns/parts/delay_method.hpp"

namespace weft {

/// Rank 0 asks with a message, pauses until the answer must be there, and times the wait for it,
/// which is no wait any more but o_r of LogGP and one pair of clock reads.
struct LateReceive {
  static constexpr PatternInfo info{
      .name = "late_receive",
      .title = "Receive overhead",
      .summary = "the time to receive a message that has already arrived: o_r of LogGP",
      .figure = Figure::overhead,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .time_factor = 100,
      .pause_trips = pause_trips,
      .clock_reads = 1,
  };
  static constexpr std::uint32_t messages_before = trial_trips;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank == 1) {
      const std::size_t messages = task.samples.size() * task.ops_per_sample;
      return answer_trips<Wait>(link, task) && answer_each<Wait>(link, task, messages);
    }
    Ticks pause = 0;
    if (!find_pause<Now, Wait>(link, task, pause)) return false;
    const Peer peer{1};
    for (Ticks& sample : task.samples) {
      Ticks receiving = 0;
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        link.post_recv(peer, task.in.next());
        link.post_send(peer, task.out.next());
        if (!Wait::settle(link, 0, 1)) return false;
        (void)Now::pause(pause);
        const Ticks start = Now::now();
        if (!drain<Wait>(link)) return false;
        receiving += Now::now() - start;
      }
      sample = receiving;
    }
    return true;
  }
};

}  // namespace weft

// The round trip of a burst with pauses: PRTT(n, d, s) of the delay method.
#pragma once

#include "delay_method.hpp"

namespace weft {

/// As Burst, with a pause longer than a round trip after each message but the last. The pauses are
/// taken off the sample: what is left beyond one round trip is the sender's overhead, n - 1 times,
/// and one read of the clock for each pause.
struct PausedBurst {
  static constexpr PatternInfo info{
      .name = "paused_burst",
      .title = "Round trip of a burst with pauses",
      .summary = "8 messages with pauses, which are not counted, and one answer: o_s of LogGP",
      .figure = Figure::burst,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .time_factor = 30,
      .messages_per_burst = burst_messages,
      .pause_trips = pause_trips,
      .clock_reads = burst_messages - 1,
  };
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t /*queue_depth*/) noexcept {
    return 2 * burst_messages;
  }
  static constexpr std::uint32_t messages_per_operation = burst_messages;
  static constexpr std::uint32_t messages_before = trial_trips;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Work& work) noexcept {
    if (work.rank == 1) {
      const std::size_t bursts = work.samples.size() * work.ops_per_sample;
      return answer_trips<Wait>(link, work) && answer_bursts<Wait>(link, work, bursts);
    }
    Ticks pause = 0;
    if (!find_pause<Now, Wait>(link, work, pause)) return false;
    const Peer peer{1};
    for (Ticks& sample : work.samples) {
      Ticks paused = 0;
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < work.ops_per_sample; ++op) {
        link.post_recv(peer, work.in.next());
        for (std::uint32_t message = 1; message < burst_messages; ++message) {
          link.post_send(peer, work.out.next());
          paused += Now::pause(pause);
          if (!Wait::settle(link, 0, 1)) return false;
        }
        link.post_send(peer, work.out.next());
        if (!drain<Wait>(link)) return false;
      }
      sample = Now::now() - start - paused;
    }
    return true;
  }
};

}  // namespace weft

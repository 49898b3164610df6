// The round trip of a burst: PRTT(n, 0, s) of the delay method.
#pragma once

#include "delay_method.hpp"

namespace weft {

/// An operation is n messages posted back to back and the one answer to the last of them. What it
/// takes longer than one round trip is n - 1 gaps.
struct Burst {
  static constexpr PatternInfo info{
      .name = "burst",
      .title = "Round trip of a burst",
      .summary = "8 messages back to back and one answer: the gap of LogGP",
      .figure = Figure::burst,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .messages_per_burst = burst_messages,
  };
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t /*queue_depth*/) noexcept {
    return 2 * burst_messages;
  }
  static constexpr std::uint32_t messages_per_operation = burst_messages;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Work& work) noexcept {
    const std::size_t bursts = work.samples.size() * work.ops_per_sample;
    if (work.rank == 1) return answer_bursts<Wait>(link, work, bursts);
    const Peer peer{1};
    for (Ticks& sample : work.samples) {
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < work.ops_per_sample; ++op) {
        link.post_recv(peer, work.in.next());
        for (std::uint32_t message = 0; message < burst_messages; ++message) {
          link.post_send(peer, work.out.next());
        }
        if (!drain<Wait>(link)) return false;
      }
      sample = Now::now() - start;
    }
    return true;
  }
};

}  // namespace weft

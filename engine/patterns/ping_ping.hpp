// Bidirectional latency: both ranks send at once.
#pragma once

#include "contract/clock.hpp"
#include "contract/task.hpp"
#include "patterns/parts/receives_ahead.hpp"

namespace weft {

/// Each rank sends and waits for the other's message; an operation is one such exchange.
/// Two receives stay posted, because the peer may already be one message ahead.
struct PingPing {
  static constexpr PatternInfo info{
      .name = "ping_ping",
      .title = "Bidirectional latency",
      .summary = "both ranks send at once and wait for the other's message",
      .figure = Figure::latency,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 1,
  };
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t /*queue_depth*/,
                                                  std::uint64_t /*point*/) noexcept {
    return 3;
  }

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    const Peer peer{1 - task.rank};
    std::size_t to_post = messages_of(task);
    std::uint32_t posted = post_one(link, peer, task, to_post);
    posted += post_one(link, peer, task, to_post);
    for (Ticks& sample : task.samples) {
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        link.post_send(peer, task.out.next());
        posted += post_one(link, peer, task, to_post);
        if (!Wait::settle(link, 0, --posted)) return false;
      }
      sample = Now::now() - start;
    }
    return true;
  }
};

}  // namespace weft

// Put latency there and back, the target notified.
#pragma once

#include "contract/clock.hpp"
#include "patterns/parts/one_sided.hpp"

namespace weft {

/// As PutPingPong, but the target waits for the put's notice (immediate data, a counter, an event).
struct PutNotifyPingPong {
  static constexpr PatternInfo info{
      .name = "put_notify_ping_pong",
      .title = "Put latency with notification",
      .summary = "a put with notification there and back; half the round trip",
      .figure = Figure::one_sided_latency,
      .ranks = 2,
      .latency_divisor = 2,
      .bandwidth_factor = 2,
  };
  static constexpr Opens opens = Opens::incoming;

  template <Clock Now, class Wait, Notifying T>
  static bool run(T& link, Task& task) noexcept {
    return task.rank == 0 ? ping<Now, Wait>(link, task) : pong<Wait>(link, task);
  }

 private:
  template <Notifying T>
  static void put(T& link, Peer peer, Task& task) noexcept {
    link.put_notify(peer, task.out.next(), task.remote.next());
  }
  /// The next notice, while some are left; how many it expects anew.
  template <Notifying T>
  static std::uint32_t expect(T& link, Peer peer, Task& task, std::size_t& to_expect) noexcept {
    if (to_expect == 0) return 0;
    --to_expect;
    (void)task.in.next();
    link.expect_notice(peer);
    return 1;
  }

  template <Clock Now, class Wait, Notifying T>
  static bool ping(T& link, Task& task) noexcept {
    const Peer peer{1};
    std::size_t to_expect = messages_of(task);
    expect(link, peer, task, to_expect);
    for (Ticks& sample : task.samples) {
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        put(link, peer, task);
        const std::uint32_t ahead = expect(link, peer, task, to_expect);
        if (!Wait::settle(link, 0, ahead) || !settle_transfers<Wait>(link, 0)) return false;
      }
      sample = Now::now() - start;
    }
    return true;
  }

  template <class Wait, Notifying T>
  static bool pong(T& link, Task& task) noexcept {
    const Peer peer{0};
    std::size_t to_expect = messages_of(task);
    expect(link, peer, task, to_expect);
    std::uint32_t ahead = expect(link, peer, task, to_expect);
    for (std::size_t message = messages_of(task); message > 0; --message) {
      if (!Wait::settle(link, 0, ahead)) return false;
      put(link, peer, task);
      ahead = expect(link, peer, task, to_expect);
      if (!settle_transfers<Wait>(link, 0)) return false;
    }
    return drain<Wait>(link);
  }
};

}  // namespace weft

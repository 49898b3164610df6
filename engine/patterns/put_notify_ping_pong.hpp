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
  static constexpr Window window = Window::incoming;

  template <Clock Now, class Wait, Notifying T>
  static bool run(T& link, Task& task) noexcept {
    return task.rank == 0 ? ping<Now, Wait>(link, task) : pong<Wait>(link, task);
  }

 private:
  template <Notifying T>
  static void put(T& link, Peer peer, Task& task) noexcept {
    link.put_notify(peer, task.out.next(), task.remote.next());
  }
  template <Notifying T>
  static void expect(T& link, Peer peer, Task& task) noexcept {
    (void)task.in.next();
    link.expect_notice(peer);
  }

  template <Clock Now, class Wait, Notifying T>
  static bool ping(T& link, Task& task) noexcept {
    const Peer peer{1};
    expect(link, peer, task);
    for (Ticks& sample : task.samples) {
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        put(link, peer, task);
        expect(link, peer, task);
        if (!Wait::settle(link, 0, 1) || !settle_transfers<Wait>(link, 0)) return false;
      }
      sample = Now::now() - start;
    }
    // The peer expects two notices more than it had, this rank one.
    put(link, peer, task);
    put(link, peer, task);
    return settle_transfers<Wait>(link, 0) && drain<Wait>(link);
  }

  template <class Wait, Notifying T>
  static bool pong(T& link, Task& task) noexcept {
    const Peer peer{0};
    expect(link, peer, task);
    expect(link, peer, task);
    for (std::size_t message = messages_of(task); message > 0; --message) {
      if (!Wait::settle(link, 0, 1)) return false;
      put(link, peer, task);
      expect(link, peer, task);
      if (!settle_transfers<Wait>(link, 0)) return false;
    }
    put(link, peer, task);
    return settle_transfers<Wait>(link, 0) && drain<Wait>(link);
  }
};

}  // namespace weft

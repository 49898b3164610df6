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
  static bool run(T& link, Work& work) noexcept {
    return work.rank == 0 ? ping<Now, Wait>(link, work) : pong<Wait>(link, work);
  }

 private:
  template <Notifying T>
  static void put(T& link, Peer peer, Work& work) noexcept {
    link.put_notify(peer, work.out.next(), work.remote.next());
  }
  template <Notifying T>
  static void expect(T& link, Peer peer, Work& work) noexcept {
    (void)work.in.next();
    link.expect_notice(peer);
  }

  template <Clock Now, class Wait, Notifying T>
  static bool ping(T& link, Work& work) noexcept {
    const Peer peer{1};
    expect(link, peer, work);
    for (Ticks& sample : work.samples) {
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < work.ops_per_sample; ++op) {
        put(link, peer, work);
        expect(link, peer, work);
        if (!Wait::settle(link, 0, 1) || !settle_transfers<Wait>(link, 0)) return false;
      }
      sample = Now::now() - start;
    }
    // The peer expects two notices more than it had, this rank one.
    put(link, peer, work);
    put(link, peer, work);
    return settle_transfers<Wait>(link, 0) && drain<Wait>(link);
  }

  template <class Wait, Notifying T>
  static bool pong(T& link, Work& work) noexcept {
    const Peer peer{0};
    expect(link, peer, work);
    expect(link, peer, work);
    for (std::size_t message = messages_of(work); message > 0; --message) {
      if (!Wait::settle(link, 0, 1)) return false;
      put(link, peer, work);
      expect(link, peer, work);
      if (!settle_transfers<Wait>(link, 0)) return false;
    }
    put(link, peer, work);
    return settle_transfers<Wait>(link, 0) && drain<Wait>(link);
  }
};

}  // namespace weft

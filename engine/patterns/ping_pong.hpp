// Latency: a message goes there and comes back.
#pragma once

#include "../clock.hpp"
#include "../work.hpp"

namespace weft {

/// Rank 0 sends, rank 1 echoes; an operation is one round trip. Both keep the next receive posted
/// while a message is on its way, so that posting is off the path that is timed.
struct PingPong {
  static constexpr PatternInfo info{
      .name = "ping_pong",
      .title = "Latency",
      .summary = "one message there and back; latency is half the round trip",
      .ranks = 2,
      .latency_divisor = 2,
      .bandwidth_factor = 2,
  };

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Work& work) noexcept {
    return work.rank == 0 ? ping<Now, Wait>(link, work) : pong<Wait>(link, work);
  }

 private:
  template <Clock Now, class Wait, TwoSided T>
  static bool ping(T& link, Work& work) noexcept {
    const Peer peer{1};
    link.post_recv(peer, work.in.next());
    for (Ticks& sample : work.samples) {
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < work.ops_per_sample; ++op) {
        link.post_send(peer, work.out.next());
        link.post_recv(peer, work.in.next());
        if (!Wait::settle(link, 0, 1)) return false;
      }
      sample = Now::now() - start;
    }
    // The peer holds two receives more than it had messages, this rank one.
    link.post_send(peer, work.out.next());
    link.post_send(peer, work.out.next());
    return drain<Wait>(link);
  }

  template <class Wait, TwoSided T>
  static bool pong(T& link, Work& work) noexcept {
    const Peer peer{0};
    link.post_recv(peer, work.in.next());
    link.post_recv(peer, work.in.next());
    const std::size_t messages = work.samples.size() * work.ops_per_sample;
    for (std::size_t message = 0; message < messages; ++message) {
      if (!Wait::settle(link, 0, 1)) return false;
      link.post_send(peer, work.out.next());
      link.post_recv(peer, work.in.next());
    }
    link.post_send(peer, work.out.next());
    return drain<Wait>(link);
  }
};

}  // namespace weft

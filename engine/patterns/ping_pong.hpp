// Latency: a message goes there and comes back.
#pragma once

#include <concepts>

#include "contract/clock.hpp"
#include "contract/task.hpp"
#include "patterns/parts/receives_ahead.hpp"

namespace weft {

/// Rank 0 sends, rank 1 echoes; an operation is one round trip. Both keep the next receive posted
/// while a message is on its way, so that posting is off the path that is timed. Whoever waits in
/// the library takes its plain calls, as every other ping-pong does: a request for each message
/// would be a cost of ours.
struct PingPong {
  static constexpr PatternInfo info{
      .name = "ping_pong",
      .title = "Latency",
      .summary = "one message there and back; latency is half the round trip",
      .figure = Figure::latency,
      .ranks = 2,
      .latency_divisor = 2,
      .bandwidth_factor = 2,
  };
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t /*queue_depth*/,
                                                  std::uint64_t /*point*/) noexcept {
    return takes_plain_calls<Wait, T>() ? 1 : 2;
  }

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if constexpr (takes_plain_calls<Wait, T>()) {
      return task.rank == 0 ? plain_ping<Now>(link, task) : plain_pong(link, task);
    } else {
      return task.rank == 0 ? ping<Now, Wait>(link, task) : pong<Wait>(link, task);
    }
  }

 private:
  template <class Wait, class T>
  static constexpr bool takes_plain_calls() noexcept {
    return Plain<T> && std::same_as<Wait, WaitInLibrary>;
  }

  // In both the next message's buffer is looked up while another message is on its way.
  template <Clock Now, Plain T>
  static bool plain_ping(T& link, Task& task) noexcept {
    const Peer peer{1};
    std::size_t left = messages_of(task);
    const Buffer* out = &task.out.next();
    for (Ticks& sample : task.samples) {
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        link.send(peer, *out);
        if (--left != 0) out = &task.out.next();
        link.receive(peer, task.in.next());
        if (link.fault() != nullptr) return false;
      }
      sample = Now::now() - start;
    }
    return true;
  }

  template <Plain T>
  static bool plain_pong(T& link, Task& task) noexcept {
    const Peer peer{0};
    for (std::size_t message = messages_of(task); message > 0; --message) {
      const Buffer& answer = task.out.next();
      link.receive(peer, task.in.next());
      link.send(peer, answer);
      if (link.fault() != nullptr) return false;
    }
    return true;
  }

  template <Clock Now, class Wait, TwoSided T>
  static bool ping(T& link, Task& task) noexcept {
    const Peer peer{1};
    std::size_t to_post = messages_of(task);
    post_one(link, peer, task, to_post);
    for (Ticks& sample : task.samples) {
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        link.post_send(peer, task.out.next());
        if (!Wait::settle(link, 0, post_one(link, peer, task, to_post))) return false;
      }
      sample = Now::now() - start;
    }
    return true;
  }

  template <class Wait, TwoSided T>
  static bool pong(T& link, Task& task) noexcept {
    const Peer peer{0};
    const std::size_t messages = messages_of(task);
    std::size_t to_post = messages;
    post_one(link, peer, task, to_post);
    std::uint32_t ahead = post_one(link, peer, task, to_post);
    for (std::size_t message = 0; message < messages; ++message) {
      if (!Wait::settle(link, 0, ahead)) return false;
      link.post_send(peer, task.out.next());
      ahead = post_one(link, peer, task, to_post);
    }
    return drain<Wait>(link);
  }
};

}  // namespace weft

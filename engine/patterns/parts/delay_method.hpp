// What the benchmarks of the delay method share (Hoefler, Lichei and Rehm, Low-Overhead LogGP
// Parameter Assessment for Modern Interconnection Networks, 2007).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "contract/clock.hpp"
#include "contract/task.hpp"
#include "patterns/parts/trips.hpp"

namespace weft {

/// n of PRTT(n, d, s): messages before the one answer.
inline constexpr std::uint32_t burst_messages = 8;

/// An operation of a burst has a message by itself before it.
inline constexpr std::uint32_t messages_of_an_operation = 1 + burst_messages;

/// What a burst says of itself with pauses and without: the part that is the single message and its
/// answer, and the receives of rank 1, which are posted two bursts ahead.
struct BurstsAnswered {
  static constexpr std::array parts{std::string_view{"single"}};
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t /*queue_depth*/,
                                                  std::uint64_t /*point*/) noexcept {
    return 2 * messages_of_an_operation;
  }
  static constexpr std::uint32_t messages_per_operation = messages_of_an_operation;
};

/// A pause is so many round trips.
inline constexpr std::uint32_t pause_trips = 4;

/// Rank 0 of PRTT(n, d, s): n messages and their one answer, whose receive is posted before the
/// clock starts. PRTT(1, 0, s) is the same loop with one message, so that in a difference of the
/// two whatever a round trip costs besides falls out. `between` is what happens after each message
/// but the last, and false once the link has a fault.
template <Clock Now, class Wait, TwoSided T, class Between>
[[nodiscard]] bool round_trip(T& link, Task& task, std::uint32_t messages, Ticks& took,
                              const Between& between) noexcept {
  const Peer peer{1};
  link.post_recv(peer, task.in.next());
  const Ticks start = Now::now();
  for (std::uint32_t message = 1; message < messages; ++message) {
    link.post_send(peer, task.out.next());
    if (!between()) return false;
  }
  link.post_send(peer, task.out.next());
  if (!drain<Wait>(link)) return false;
  took += Now::now() - start;
  return true;
}

/// Rank 1 of so many operations, each a single message and a burst: it answers the one and the last
/// of the others, its receives posted two bursts ahead.
template <class Wait, TwoSided T>
[[nodiscard]] bool answer_bursts(T& link, Task& task, std::size_t operations) noexcept {
  const Peer peer{0};
  constexpr std::uint32_t ahead = 2 * messages_of_an_operation;
  std::size_t to_post = operations * messages_of_an_operation;
  std::uint32_t posted = 0;
  for (std::size_t trip = 0; trip < 2 * operations; ++trip) {
    for (; posted < ahead && to_post > 0; ++posted, --to_post) {
      link.post_recv(peer, task.in.next());
    }
    const std::uint32_t messages = trip % 2 == 0 ? 1 : burst_messages;
    if (!Wait::settle(link, 1, posted - messages)) return false;
    posted -= messages;
    link.post_send(peer, task.out.next());
  }
  return drain<Wait>(link);
}

/// How long a pause must be for a message and its answer to have crossed: so many of the shortest
/// round trip. Rank 1 answers them in `answer_trips`.
template <Clock Now, class Wait, TwoSided T>
[[nodiscard]] bool find_pause(T& link, Task& task, Ticks& pause) noexcept {
  Ticks shortest = 0;
  const auto out = [&]() -> const Buffer& { return task.out.next(); };
  const auto in = [&]() -> const Buffer& { return task.in.next(); };
  if (!find_shortest_trip<Now, Wait>(link, Peer{1}, out, in, shortest)) return false;
  pause = Ticks{pause_trips} * shortest;
  return true;
}

/// Rank 1 answers each of so many messages with one of the same size, its receive posted ahead.
template <class Wait, TwoSided T>
[[nodiscard]] bool answer_each(T& link, Task& task, std::size_t messages) noexcept {
  const auto out = [&]() -> const Buffer& { return task.out.next(); };
  const auto in = [&]() -> const Buffer& { return task.in.next(); };
  return answer_trips<Wait>(link, Peer{0}, out, in, messages);
}

template <class Wait, TwoSided T>
[[nodiscard]] bool answer_trips(T& link, Task& task) noexcept {
  return answer_each<Wait>(link, task, trial_trips);
}

}  // namespace weft

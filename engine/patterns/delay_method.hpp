// What the benchmarks of the delay method share (Hoefler, Lichei and Rehm, Low-Overhead LogGP
// Parameter Assessment for Modern Interconnection Networks, 2007).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "../clock.hpp"
#include "../work.hpp"

namespace weft {

/// n of PRTT(n, d, s): messages before the one answer.
inline constexpr std::uint32_t burst_messages = 8;

/// A pause is so many round trips.
inline constexpr std::uint32_t pause_trips = 4;

/// Rank 1 of a burst: it answers the last message of each, its receives posted a burst ahead.
template <class Wait, TwoSided T>
[[nodiscard]] bool answer_bursts(T& link, Work& work, std::size_t bursts) noexcept {
  const Peer peer{0};
  std::size_t to_post = bursts * burst_messages;
  std::uint32_t posted = 0;
  const auto post = [&](std::uint32_t most) {
    for (; posted < most && to_post > 0; ++posted, --to_post) {
      link.post_recv(peer, work.in.next());
    }
  };
  post(2 * burst_messages);
  for (std::size_t burst = 0; burst < bursts; ++burst) {
    if (!Wait::settle(link, 1, posted - burst_messages)) return false;
    posted -= burst_messages;
    link.post_send(peer, work.out.next());
    post(2 * burst_messages);
  }
  return drain<Wait>(link);
}

/// How long a pause must be for a message and its answer to have crossed: four times the shortest
/// of a few round trips, for the longest may hold a turn of the scheduler. Rank 1 answers them in
/// `answer_trips`.
inline constexpr std::uint32_t trial_trips = 4;

template <Clock Now, class Wait, TwoSided T>
[[nodiscard]] bool find_pause(T& link, Work& work, Ticks& pause) noexcept {
  const Peer peer{1};
  Ticks shortest = std::numeric_limits<Ticks>::max();
  for (std::uint32_t trip = 0; trip < trial_trips; ++trip) {
    link.post_recv(peer, work.in.next());
    const Ticks start = Now::now();
    link.post_send(peer, work.out.next());
    if (!drain<Wait>(link)) return false;
    shortest = std::min(shortest, Now::now() - start);
  }
  pause = Ticks{pause_trips} * shortest;
  return true;
}

/// Rank 1 answers each of so many messages with one of the same size, its receive posted ahead.
template <class Wait, TwoSided T>
[[nodiscard]] bool answer_each(T& link, Work& work, std::size_t messages) noexcept {
  const Peer peer{0};
  link.post_recv(peer, work.in.next());
  for (std::size_t left = messages; left > 0; --left) {
    if (!Wait::settle(link, 1, 0)) return false;
    if (left > 1) link.post_recv(peer, work.in.next());
    link.post_send(peer, work.out.next());
  }
  return drain<Wait>(link);
}

template <class Wait, TwoSided T>
[[nodiscard]] bool answer_trips(T& link, Work& work) noexcept {
  return answer_each<Wait>(link, work, trial_trips);
}

}  // namespace weft

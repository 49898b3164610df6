// Round trips of a small message, by which a pattern finds how long a pause must be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "contract/clock.hpp"
#include "contract/task.hpp"

namespace weft {

/// A few, for the longest of them may hold a turn of the scheduler: the shortest one counts.
inline constexpr std::uint32_t trial_trips = 4;

/// The shortest round trip of a message and its answer, with nothing else under way. `out` and `in`
/// give the buffers in turn; the other rank answers in `answer_trips`. False once the link has a
/// fault.
template <Clock Now, class Wait, TwoSided T, class Out, class In>
[[nodiscard]] bool find_shortest_trip(T& link, Peer peer, const Out& out, const In& in,
                                      Ticks& shortest) noexcept {
  shortest = std::numeric_limits<Ticks>::max();
  for (std::uint32_t trip = 0; trip < trial_trips; ++trip) {
    link.post_recv(peer, in());
    const Ticks start = Now::now();
    link.post_send(peer, out());
    if (!drain<Wait>(link)) return false;
    shortest = std::min(shortest, Now::now() - start);
  }
  return true;
}

/// Answer each of so many messages, the next receive posted before the answer goes.
template <class Wait, TwoSided T, class Out, class In>
[[nodiscard]] bool answer_trips(T& link, Peer peer, const Out& out, const In& in,
                                std::size_t messages) noexcept {
  link.post_recv(peer, in());
  for (std::size_t left = messages; left > 0; --left) {
    if (!Wait::settle(link, 1, 0)) return false;
    if (left > 1) link.post_recv(peer, in());
    link.post_send(peer, out());
  }
  return drain<Wait>(link);
}

}  // namespace weft

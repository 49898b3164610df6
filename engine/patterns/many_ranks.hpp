// What the benchmarks of many ranks share: streams that start at rank 0's word.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../clock.hpp"
#include "../work.hpp"

namespace weft {

/// Messages of a sample on each of the streams.
inline std::uint32_t messages_per_lane(const Work& work) noexcept {
  return work.ops_per_sample / work.streams;
}

/// Post a sample's messages of a lane with Q in flight; the last Q may still be when it returns.
/// `receives` is how many words are waited for meanwhile.
template <class Wait, TwoSided T>
[[nodiscard]] bool stream_out(T& link, const Work& work, Lane& lane,
                              std::uint32_t receives) noexcept {
  const std::uint32_t messages = messages_per_lane(work);
  const std::uint32_t refill = refill_of(work.queue_depth);
  std::uint32_t posted = 0;
  for (; posted < work.queue_depth; ++posted) link.post_send(lane.peer, lane.out.next());
  while (posted < messages) {
    if (!Wait::settle(link, work.queue_depth - refill, receives)) return false;
    const std::uint32_t until = std::min(posted + refill, messages);
    for (; posted < until; ++posted) link.post_send(lane.peer, lane.out.next());
  }
  return true;
}

/// A rank that streams when rank 0 says so: its samples run on its own clock, from rank 0's word to
/// the receiver's that it has all of them. With `reports` it tells rank 0 then.
template <Clock Now, class Wait, TwoSided T>
[[nodiscard]] bool stream_at_word(T& link, Work& work, bool reports) noexcept {
  const Peer leader{0};
  Lane& lane = work.lanes[0];
  std::size_t left = work.samples.size();
  link.post_recv(leader, work.words.next());
  for (Ticks& sample : work.samples) {
    if (!drain<Wait>(link)) return false;
    const Ticks start = Now::now();
    // Of the two words that are waited for the receiver's comes first: the next start waits for it.
    const std::uint32_t ahead = --left > 0 ? 1 : 0;
    link.post_recv(lane.peer, work.words.next());
    if (ahead > 0) link.post_recv(leader, work.words.next());
    if (!stream_out<Wait>(link, work, lane, 1 + ahead)) return false;
    if (!Wait::settle(link, 0, ahead)) return false;
    sample = Now::now() - start;
    if (reports) link.post_send(leader, work.token_out);
  }
  return drain<Wait>(link);
}

}  // namespace weft

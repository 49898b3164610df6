// What benchmarks of a stream of messages between two ranks share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/clock.hpp"
#include "contract/work.hpp"
#include "patterns/parts/receiver.hpp"
#include "patterns/parts/send_queue.hpp"

namespace weft {

/// Messages of a sample on each of the streams.
inline std::uint32_t messages_per_lane(const Work& work) noexcept {
  return work.ops_per_sample / work.streams;
}

/// Post a sample's messages of the only lane with Q in flight; the last Q may still be when it
/// returns. `receives` is how many words are waited for meanwhile.
template <class Wait, TwoSided T, class Looks, class Posted>
[[nodiscard]] bool stream_out(T& link, Work& work, std::uint32_t receives, const Looks& look,
                              const Posted& posted) noexcept {
  Lane& lane = work.lanes[0];
  return keep_full(
      SendQueue(messages_per_lane(work), work.queue_depth),
      [&] { link.post_send(lane.peer, lane.out.next()); },
      [&](std::uint32_t most) { return Wait::settle(link, most, receives); },
      [&] { look(link, [&] { return link.sends_in_flight(); }); }, posted);
}

/// Rank 0 of a stream of `ops_per_sample` messages: ticks from the first post to the receiver's
/// word that the last one arrived. `posted` is called each time that some were posted. False once
/// the link has a fault.
template <Clock Now, class Wait, TwoSided T, class Looks, class Posted>
[[nodiscard]] bool send_stream(T& link, Work& work, Ticks& took, const Looks& look,
                               const Posted& posted) noexcept {
  link.post_recv(work.lanes[0].peer, work.words.next());
  const Ticks start = Now::now();
  if (!stream_out<Wait>(link, work, 1, look, posted)) return false;
  if (!drain<Wait>(link)) return false;
  took = Now::now() - start;
  return true;
}

/// Rank 1 of so many streams in a row: it says when its receives are posted, and of each stream
/// when it has it.
template <class Wait, TwoSided T>
[[nodiscard]] bool receive_streams(T& link, Work& work, std::size_t streams) noexcept {
  Lane& lane = work.lanes[0];
  open_lane<WordAt::none>(link, work, lane, messages_per_lane(work), streams);
  say_ready(link, work, lane);
  for (; streams > 0; --streams) {
    if (!take_all<Wait, WordAt::none>(link, work, lane)) return false;
    link.post_send(lane.peer, work.token_out);
  }
  return drain<Wait>(link);
}

}  // namespace weft

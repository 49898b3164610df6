// What benchmarks of a stream of messages between two ranks share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/clock.hpp"
#include "contract/task.hpp"
#include "patterns/parts/posting.hpp"
#include "patterns/parts/receiver.hpp"
#include "patterns/parts/send_window.hpp"

namespace weft {

/// Messages of a sample on each of the streams.
inline std::uint32_t messages_per_lane(const Task& task) noexcept {
  return task.ops_per_sample / task.streams;
}

/// Post a sample's messages of the only lane with Q in flight; the last Q may still be when it
/// returns. `receives` is how many control messages are waited for meanwhile.
template <class Wait, TwoSided T, class Probe, class Posted>
[[nodiscard]] bool stream_out(T& link, Task& task, std::uint32_t receives, const Probe& probe,
                              const Posted& posted) noexcept {
  Lane& lane = task.lanes[0];
  return keep_full(
      SendWindow(messages_per_lane(task), task.queue_depth),
      [&](std::uint32_t count) { post_sends(link, lane, count); },
      [&](std::uint32_t most) { return Wait::settle(link, most, receives); },
      [&] { probe(link, [&] { return link.sends_in_flight(); }); }, posted);
}

/// Rank 0 of a stream of `ops_per_sample` messages: ticks from the first post to the receiver's
/// report that the last one arrived. `posted` is called each time that some were posted. False once
/// the link has a fault.
template <Clock Now, class Wait, TwoSided T, class Probe, class Posted>
[[nodiscard]] bool send_stream(T& link, Task& task, Ticks& took, const Probe& probe,
                               const Posted& posted) noexcept {
  link.post_recv(task.lanes[0].peer, task.control_in.next());
  const Ticks start = Now::now();
  if (!stream_out<Wait>(link, task, 1, probe, posted)) return false;
  if (!drain<Wait>(link)) return false;
  took = Now::now() - start;
  return true;
}

/// Rank 1 of so many streams in a row: it says when its receives are posted, and of each stream
/// when it has it.
template <class Wait, TwoSided T>
[[nodiscard]] bool receive_streams(T& link, Task& task, std::size_t streams) noexcept {
  Lane& lane = task.lanes[0];
  open_lane<ControlAt::none>(link, task, lane, messages_per_lane(task), streams);
  say_ready(link, task, lane);
  for (; streams > 0; --streams) {
    if (!take_all<Wait, ControlAt::none>(link, task, lane)) return false;
    link.post_send(lane.peer, task.control_out);
  }
  return drain<Wait>(link);
}

}  // namespace weft

// The receiver's side of a stream: its receives, posted before their messages can come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "contract/task.hpp"
#include "patterns/parts/posting.hpp"

namespace weft {

/// Where the sender's control message stands in a sample, among the messages that the receives must
/// match.
enum class ControlAt : std::uint8_t { none, before, behind };

/// Post so many of a lane's receives anew, as long as there are some to post.
template <ControlAt control, TwoSided T>
void post_ahead(T& link, Task& task, Lane& lane, std::uint32_t count) noexcept {
  count = static_cast<std::uint32_t>(std::min<std::size_t>(count, lane.to_post));
  lane.to_post -= count;
  lane.posted += count;
  if constexpr (control == ControlAt::none) return post_receives(link, lane, count);
  while (count > 0) {
    if (lane.until_control == 0) {
      link.post_recv(lane.peer, task.control_in.next());
      lane.until_control = lane.messages;
      --count;
      continue;
    }
    const std::uint32_t until = std::min(count, lane.until_control);
    post_receives(link, lane, until);
    lane.until_control -= until;
    count -= until;
  }
}

/// Begin to receive so many samples: 2Q receives are posted ahead and anew in portions of Q/2, so
/// that a sender with Q in flight finds one for each.
template <ControlAt control, TwoSided T>
void open_lane(T& link, Task& task, Lane& lane, std::uint32_t messages,
               std::size_t samples) noexcept {
  lane.messages = messages;
  lane.until_control = control == ControlAt::before ? 0 : messages;
  lane.to_post = samples * (messages + (control == ControlAt::none ? 0 : 1));
  post_ahead<control>(link, task, lane, 2 * task.queue_depth);
}

/// Tell a lane's peer that its messages may come.
template <TwoSided T>
void say_ready(T& link, Task& task, const Lane& lane) noexcept {
  link.post_send(lane.peer, task.control_out);
}

/// The other side of that, with nothing else under way.
template <class Wait, TwoSided T>
[[nodiscard]] bool await_ready(T& link, Task& task, const Lane& lane) noexcept {
  link.post_recv(lane.peer, task.control_in.next());
  return drain<Wait>(link);
}

/// Wait for the next so many of the only lane, and post as many anew. One message of this rank may
/// still be on its way.
template <class Wait, ControlAt control, TwoSided T>
[[nodiscard]] bool take(T& link, Task& task, Lane& lane, std::uint32_t count) noexcept {
  if (!Wait::settle(link, 1, lane.posted - count)) return false;
  lane.posted -= count;
  post_ahead<control>(link, task, lane, count);
  return true;
}

/// A sample's messages of the only lane, in portions of Q/2.
template <class Wait, ControlAt control, TwoSided T>
[[nodiscard]] bool take_all(T& link, Task& task, Lane& lane) noexcept {
  const std::uint32_t refill = refill_of(task.queue_depth);
  for (std::uint32_t got = 0; got < lane.messages; got += refill) {
    if (!take<Wait, control>(link, task, lane, refill)) return false;
  }
  return true;
}

/// Where a rank does something else meanwhile: take what came of a lane of which so many receives
/// are in flight, once it is Q/2 or the last of `to_come`. False where it took nothing.
template <ControlAt control, TwoSided T>
bool take_what_came(T& link, Task& task, Lane& lane, std::uint32_t in_flight) noexcept {
  const std::uint32_t came = lane.posted - in_flight;
  if (came < std::min(refill_of(task.queue_depth), lane.to_come)) return false;
  lane.posted -= came;
  lane.to_come -= came;
  post_ahead<control>(link, task, lane, came);
  return true;
}

}  // namespace weft

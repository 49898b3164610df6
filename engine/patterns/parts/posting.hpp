// Several messages of a lane posted in a row.
#pragma once

#include <cstdint>

#include "contract/task.hpp"

namespace weft {

// The place in the rotation is kept in a variable of the function, which no call of a library can
// reach: so it need not be read again from memory behind each of them.

/// The next so many of a lane's messages.
template <TwoSided T>
void post_sends(T& link, Lane& lane, std::uint32_t count) noexcept {
  Rotation<Buffer> out = lane.out;
  const auto next = [&out]() -> const Buffer& { return out.next(); };
  if constexpr (PostsSeveral<T>) {
    link.post_sends(lane.peer, count, next);
  } else {
    for (; count > 0; --count) link.post_send(lane.peer, next());
  }
  lane.out = out;
}

/// The receives of the next so many.
template <TwoSided T>
void post_receives(T& link, Lane& lane, std::uint32_t count) noexcept {
  Rotation<Buffer> in = lane.in;
  const auto next = [&in]() -> const Buffer& { return in.next(); };
  if constexpr (PostsSeveral<T>) {
    link.post_recvs(lane.peer, count, next);
  } else {
    for (; count > 0; --count) link.post_recv(lane.peer, next());
  }
  lane.in = in;
}

}  // namespace weft

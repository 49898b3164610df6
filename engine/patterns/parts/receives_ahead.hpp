// Receives of a ping-pong, posted ahead of their messages.
#pragma once

#include "contract/task.hpp"

namespace weft {

/// Post the next receive while `to_post` are left, so that none is posted for which no message
/// comes; how many it posted.
template <TwoSided T>
std::uint32_t post_one(T& link, Peer peer, Task& task, std::size_t& to_post) noexcept {
  if (to_post == 0) return 0;
  --to_post;
  link.post_recv(peer, task.in.next());
  return 1;
}

}  // namespace weft

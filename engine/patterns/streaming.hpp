// What benchmarks of a stream of messages share: the sender's queue and the receiver's word.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../clock.hpp"
#include "../work.hpp"

namespace weft {

/// Rank 0 of a stream of `ops_per_sample` messages: ticks from the first post to the receiver's
/// word that the last one arrived. The queue is filled to Q; then the sender waits for Q/2 and
/// posts Q/2 (Liu et al., section 4.1). `between` is called after each such posting. False once
/// the link has a fault.
template <Clock Now, class Wait, TwoSided T, class Between>
[[nodiscard]] bool send_stream(T& link, Work& work, Ticks& took, const Between& between) noexcept {
  const Peer peer{1};
  const std::uint32_t refill = refill_of(work.queue_depth);
  link.post_recv(peer, work.words.next());
  const Ticks start = Now::now();
  std::uint32_t posted = 0;
  for (; posted < work.queue_depth; ++posted) link.post_send(peer, work.out.next());
  between();
  while (posted < work.ops_per_sample) {
    if (!Wait::settle(link, work.queue_depth - refill, 1)) return false;
    const std::uint32_t until = std::min(posted + refill, work.ops_per_sample);
    for (; posted < until; ++posted) link.post_send(peer, work.out.next());
    between();
  }
  if (!drain<Wait>(link)) return false;
  took = Now::now() - start;
  return true;
}

/// Rank 1 of so many streams in a row, its receives posted Q ahead.
template <class Wait, TwoSided T>
[[nodiscard]] bool receive_streams(T& link, Work& work, std::size_t streams) noexcept {
  const Peer peer{0};
  const std::uint32_t refill = refill_of(work.queue_depth);
  std::size_t to_post = streams * work.ops_per_sample;
  std::uint32_t posted = 0;
  for (; posted < work.queue_depth; ++posted, --to_post) link.post_recv(peer, work.in.next());
  for (std::size_t stream = 0; stream < streams; ++stream) {
    for (std::uint32_t got = 0; got < work.ops_per_sample; got += refill) {
      if (!Wait::settle(link, 1, posted - refill)) return false;
      posted -= refill;
      for (std::uint32_t n = 0; n < refill && to_post > 0; ++n, ++posted, --to_post) {
        link.post_recv(peer, work.in.next());
      }
    }
    link.post_send(peer, work.token_out);
  }
  return drain<Wait>(link);
}

}  // namespace weft

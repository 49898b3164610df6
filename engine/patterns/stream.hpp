// Streaming bandwidth: rank 0 keeps a queue of messages full, rank 1 says when it has them all.
#pragma once

#include <algorithm>

#include "../clock.hpp"
#include "../work.hpp"

namespace weft {

/// A sample is a stream of `ops_per_sample` messages, from the first post to the receiver's word
/// that the last one arrived: local completion alone would count data that are still in buffers.
/// The queue is filled to Q; then the sender waits for Q/2 and posts Q/2 (Liu et al., section 4.1).
struct Stream {
  static constexpr PatternInfo info{
      .name = "stream",
      .title = "Bandwidth",
      .summary = "one rank streams with Q messages in flight until the other has them all",
      .ranks = 2,
      .latency_divisor = 0,
      .bandwidth_factor = 1,
      .least_bytes = 1,
  };
  static constexpr bool streams = true;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Work& work) noexcept {
    return work.rank == 0 ? send<Now, Wait>(link, work) : receive<Wait>(link, work);
  }

 private:
  template <Clock Now, class Wait, TwoSided T>
  static bool send(T& link, Work& work) noexcept {
    const Peer peer{1};
    const std::uint32_t refill = refill_of(work.queue_depth);
    for (Ticks& sample : work.samples) {
      link.post_recv(peer, work.token_in);
      const Ticks start = Now::now();
      std::uint32_t posted = 0;
      for (; posted < work.queue_depth; ++posted) link.post_send(peer, work.out.next());
      while (posted < work.ops_per_sample) {
        if (!Wait::settle(link, work.queue_depth - refill, 1)) return false;
        const std::uint32_t until = std::min(posted + refill, work.ops_per_sample);
        for (; posted < until; ++posted) link.post_send(peer, work.out.next());
      }
      if (!drain<Wait>(link)) return false;
      sample = Now::now() - start;
    }
    return true;
  }

  template <class Wait, TwoSided T>
  static bool receive(T& link, Work& work) noexcept {
    const Peer peer{0};
    const std::uint32_t refill = refill_of(work.queue_depth);
    std::size_t to_post = work.samples.size() * work.ops_per_sample;
    std::uint32_t posted = 0;
    for (; posted < work.queue_depth; ++posted, --to_post) link.post_recv(peer, work.in.next());
    for (std::size_t sample = 0; sample < work.samples.size(); ++sample) {
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
};

}  // namespace weft

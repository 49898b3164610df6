// Bidirectional bandwidth: both ranks stream at once.
#pragma once

#include <algorithm>

#include "../clock.hpp"
#include "../work.hpp"

namespace weft {

/// A sample is `ops_per_sample` messages each way. Rank 1 starts with the arrival of rank 0's first
/// message, so nothing is on its way before the clock starts; it ends with a token once it has
/// them all, so nothing is unfinished when the clock stops.
struct BidirectionalStream {
  static constexpr PatternInfo info{
      .name = "bidirectional_stream",
      .title = "Bidirectional bandwidth",
      .summary = "both ranks stream at once with Q messages in flight each way",
      .figure = Figure::bandwidth,
      .ranks = 2,
      .latency_divisor = 0,
      .bandwidth_factor = 2,
      .least_bytes = 1,
      .has_queue = true,
      .latencies_per_sample = 2,
  };
  static constexpr bool streams = true;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Work& work) noexcept {
    Inbox inbox(work);
    inbox.refill(link, work);
    for (Ticks& sample : work.samples) {
      if (work.rank == 1 && !Wait::settle(link, 0, inbox.posted - 1)) return false;
      const Ticks start = Now::now();
      if (!exchange<Wait>(link, work, inbox)) return false;
      if (work.rank == 1) link.post_send(inbox.peer, work.token_out);
      if (!Wait::settle(link, 0, inbox.posted)) return false;
      sample = Now::now() - start;
    }
    return true;
  }

 private:
  /// The receives of a rank, posted ahead across samples; rank 0's samples end with a token.
  struct Inbox {
    explicit Inbox(const Work& work) noexcept
        : peer{1 - work.rank},
          per_sample(work.ops_per_sample + (work.rank == 0 ? 1 : 0)),
          until_token(work.rank == 0 ? work.ops_per_sample : per_sample + 1),
          to_post(work.samples.size() * per_sample) {}

    template <TwoSided T>
    void refill(T& link, Work& work) noexcept {
      for (; posted < work.queue_depth && to_post > 0; ++posted, --to_post) {
        if (peer.rank == 0 || until_token-- != 0) {
          link.post_recv(peer, work.in.next());
        } else {
          link.post_recv(peer, work.words.next());
          until_token = work.ops_per_sample;
        }
      }
    }

    Peer peer;
    std::uint32_t per_sample;
    std::uint32_t until_token;
    std::size_t to_post;
    std::uint32_t posted = 0;
  };

  template <class Wait, TwoSided T>
  static bool exchange(T& link, Work& work, Inbox& inbox) noexcept {
    const std::uint32_t refill = refill_of(work.queue_depth);
    std::uint32_t sent = 0;
    std::uint32_t got = 0;
    while (sent < work.ops_per_sample || got < inbox.per_sample) {
      if (sent < work.ops_per_sample && link.sends_in_flight() <= work.queue_depth - refill) {
        const std::uint32_t until = std::min(sent + refill, work.ops_per_sample);
        for (; sent < until; ++sent) link.post_send(inbox.peer, work.out.next());
      }
      Wait::step(link);
      if (link.fault() != nullptr) return false;
      const std::uint32_t arrived = inbox.posted - link.receives_in_flight();
      if (arrived >= refill || got + arrived == inbox.per_sample) {
        got += arrived;
        inbox.posted -= arrived;
        inbox.refill(link, work);
      }
    }
    return true;
  }
};

}  // namespace weft

// The sender's window of a stream, and a probe of whether it is what holds the sender up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "contract/clock.hpp"
#include "contract/task.hpp"

namespace weft {

/// The messages in flight to one peer: Q at first, then Q/2 more whenever that many of them have
/// ended (Liu et al., section 4.1). It counts what is still to be posted; `post(count)` posts that
/// many.
class SendWindow {
 public:
  SendWindow(std::uint32_t messages, std::uint32_t depth) noexcept
      : left_(messages), depth_(depth) {}

  [[nodiscard]] std::uint32_t left() const noexcept { return left_; }
  /// How many may be in flight when it is time to post again.
  [[nodiscard]] std::uint32_t most_in_flight() const noexcept { return depth_ - refill_of(depth_); }

  template <class Post>
  void fill(const Post& post) noexcept {
    post_some(depth_, post);
  }
  template <class Post>
  void refill(const Post& post) noexcept {
    post_some(refill_of(depth_), post);
  }
  /// As often as there is room for it beside so many that are in flight.
  template <class Post>
  void refill_beside(std::uint32_t in_flight, const Post& post) noexcept {
    const std::uint32_t refill = refill_of(depth_);
    post_some((depth_ - in_flight) / refill * refill, post);
  }

 private:
  template <class Post>
  void post_some(std::uint32_t most, const Post& post) noexcept {
    const std::uint32_t now = std::min(most, left_);
    left_ -= now;
    post(now);
  }

  std::uint32_t left_;
  std::uint32_t depth_;
};

/// All messages of a window; the last Q may be in flight when it returns. `await(most)` waits until
/// at most so many are, and is false once the link has a fault. `filled` is called once Q are
/// posted, and `posted` each time that some were.
template <class Post, class Await, class Filled, class Posted>
[[nodiscard]] bool keep_full(SendWindow window, const Post& post, const Await& await,
                             const Filled& filled, const Posted& posted) noexcept {
  window.fill(post);
  filled();
  posted();
  while (window.left() > 0) {
    if (!await(window.most_in_flight())) return false;
    window.refill(post);
    posted();
  }
  return true;
}

/// Nothing is done after each posting.
inline constexpr auto nothing_more = [] {};

/// How many of the messages just posted are still in flight once those that have ended already are
/// taken: a library that has copied a message, and a link that is faster than its sender, leave
/// none. Not for timed loops: it polls as long as that helps.
template <TwoSided T, class InFlight>
[[nodiscard]] std::uint32_t still_in_flight(T& link, const InFlight& in_flight) noexcept {
  std::uint32_t before = in_flight();
  while (before > 0) {
    link.poll();
    const std::uint32_t now = in_flight();
    if (now >= before || link.fault() != nullptr) return now;
    before = now;
  }
  return 0;
}

/// What a stream does when its window is full: nothing where it is measured, and in the warm-up a
/// probe of how much of it is in flight.
struct NoProbe {
  template <TwoSided T, class InFlight>
  void operator()(T& /*link*/, const InFlight& /*in_flight*/) const noexcept {}
};
struct QueueProbe {
  std::uint32_t* held;
  template <TwoSided T, class InFlight>
  void operator()(T& link, const InFlight& in_flight) const noexcept {
    *held = still_in_flight(link, in_flight);
  }
};

/// `stream(probe)` for one sample: two loops, so that the measured one has no probe in it.
template <class StreamOnce>
[[nodiscard]] bool probe_in_warmup(Task& task, std::size_t sample,
                                   const StreamOnce& stream) noexcept {
  if (sample < task.held.size()) return stream(QueueProbe{&task.held[sample]});
  return stream(NoProbe{});
}

}  // namespace weft

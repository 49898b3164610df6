// Latency under offered load: messages become due at a set rate, whatever became of earlier ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "../clock.hpp"
#include "../work.hpp"

namespace weft {

/// Rank 0 owes a message every `interval`, rank 1 answers each. A sample is the time of the answer
/// less the time at which its message was due, and not at which it was posted: a stall delays the
/// messages after it too, and a count from the posts would leave them out (coordinated omission;
/// Tene, How NOT to Measure Latency, and his wrk2). Up to Q messages are in flight; one that finds
/// the queue full waits for its turn, and its time runs from when it was due all the same.
struct OfferedLoad {
  static constexpr PatternInfo info{
      .name = "offered_load",
      .title = "Latency under offered load",
      .summary = "messages due at a set rate, each answered: from the time it was due",
      .figure = Figure::loaded_latency,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .every_operation = true,
      .axis = {.name = "load", .unit = "%", .points = "10,20,30,40,50,60,70,75,80,85,90,95,100"},
      .has_queue = true,
  };
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t queue_depth) noexcept {
    return 2 * queue_depth;
  }
  /// The time between two messages that are due, and how late after it was due each was posted.
  static constexpr std::array parts{std::string_view{"interval"}, std::string_view{"late"}};

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Work& work) noexcept {
    const std::size_t messages = work.samples.size() * work.ops_per_sample;
    if (work.rank == 1) {
      for (std::uint32_t round = 0; round < trial_rounds(work); ++round) {
        if (!answer<Wait>(link, work, trial_messages(work))) return false;
      }
      return answer<Wait>(link, work, messages);
    }
    Ticks interval = 0;
    if (!find_interval<Now>(link, work, interval)) return false;
    return offer<Now>(link, work, interval);
  }

 private:
  static constexpr std::uint32_t rounds = 9;
  // A message's time is a fraction of many's: so much finer than a tick.
  static constexpr Ticks scale = 1024;

  // The pass in which every message is checked offers its messages all at once.
  static std::uint32_t trial_rounds(const Work& work) noexcept { return work.checks ? 0 : rounds; }
  static std::size_t trial_messages(const Work& work) noexcept {
    constexpr std::size_t queues = 8;
    return queues * std::max<std::size_t>(work.queue_depth, 8);
  }

  /// The interval of the asked load: what a message takes at saturation, with Q in flight all the
  /// time, is 100 %. The median of the rounds, for a turn of the scheduler makes one long.
  template <Clock Now, TwoSided T>
  static bool find_interval(T& link, Work& work, Ticks& interval) noexcept {
    constexpr Ticks percent = 100;
    std::array<Ticks, rounds> scaled{};
    const std::uint32_t count = trial_rounds(work);
    for (std::uint32_t round = 0; round < count; ++round) {
      if (!saturate<Now>(link, work, scaled[round])) return false;
    }
    if (count == 0 || work.point == 0) return true;
    std::nth_element(scaled.begin(), scaled.begin() + rounds / 2, scaled.end());
    interval = std::max<Ticks>(percent * scaled[rounds / 2] / (scale * work.point), 1);
    return true;
  }

  /// What a message takes between the first answer of a round and its last, times `scale`.
  template <Clock Now, TwoSided T>
  static bool saturate(T& link, Work& work, Ticks& scaled) noexcept {
    Inbox inbox(link, work, trial_messages(work));
    Ticks start = 0;
    std::size_t between = 0;
    while (inbox.left() > 0) {
      while (inbox.may_send()) inbox.send();
      link.poll();
      if (link.fault() != nullptr) return false;
      if (inbox.take() == 0 || between > 0) continue;
      start = Now::now();
      between = inbox.left();
    }
    scaled = scale * (Now::now() - start) / std::max<std::size_t>(between, 1);
    return drain<SpinOnCompletions>(link);
  }

  /// The messages under way on rank 0: an answer's receive is posted before its message.
  template <TwoSided T>
  class Inbox {
   public:
    Inbox(T& link, Work& work, std::size_t messages) noexcept
        : link_(&link), work_(&work), to_send_(messages), to_post_(messages), left_(messages) {
      while (posted_ < work.queue_depth && to_post_ > 0) post();
    }
    [[nodiscard]] std::size_t left() const noexcept { return left_; }
    [[nodiscard]] bool may_send() const noexcept {
      return to_send_ > 0 && left_ - to_send_ < work_->queue_depth;
    }
    void send() noexcept {
      link_->post_send(Peer{1}, work_->out.next());
      --to_send_;
    }
    /// How many answers came since the last call.
    std::uint32_t take() noexcept {
      const std::uint32_t came = posted_ - link_->receives_in_flight();
      posted_ -= came;
      left_ -= came;
      for (std::uint32_t n = 0; n < came && to_post_ > 0; ++n) post();
      return came;
    }

   private:
    void post() noexcept {
      link_->post_recv(Peer{1}, work_->in.next());
      ++posted_;
      --to_post_;
    }

    T* link_;
    Work* work_;
    std::size_t to_send_;
    std::size_t to_post_;
    std::size_t left_;
    std::uint32_t posted_ = 0;
  };

  template <Clock Now, TwoSided T>
  static bool offer(T& link, Work& work, Ticks interval) noexcept {
    Inbox inbox(link, work, work.samples.size() * work.ops_per_sample);
    Ticks due = Now::now();
    Ticks answered_due = due;
    std::size_t sent = 0;
    std::size_t answered = 0;
    while (inbox.left() > 0) {
      const Ticks now = Now::now();
      if (now >= due && inbox.may_send()) {
        inbox.send();
        keep(work.parts[0], sent, work.ops_per_sample, interval);
        keep(work.parts[1], sent++, work.ops_per_sample, now - due);
        due += interval;
      }
      link.poll();
      if (link.fault() != nullptr) return false;
      const std::uint32_t came = inbox.take();
      if (came == 0) continue;
      const Ticks then = Now::now();
      for (std::uint32_t n = 0; n < came; ++n) {
        keep(work.samples, answered++, work.ops_per_sample, then - answered_due);
        answered_due += interval;
      }
    }
    return drain<SpinOnCompletions>(link);
  }

  // A sample is one message but in the checked pass, whose times nobody looks at.
  static void keep(std::span<Ticks> series, std::size_t message, std::uint32_t ops,
                   Ticks value) noexcept {
    series[message / ops] = value;
  }

  template <class Wait, TwoSided T>
  static bool answer(T& link, Work& work, std::size_t messages) noexcept {
    const Peer peer{0};
    std::size_t to_post = messages;
    std::uint32_t posted = 0;
    for (; posted < work.queue_depth && to_post > 0; ++posted, --to_post) {
      link.post_recv(peer, work.in.next());
    }
    while (messages > 0) {
      if (!Wait::settle(link, work.queue_depth, posted - 1)) return false;
      const std::uint32_t came = posted - link.receives_in_flight();
      posted -= came;
      messages -= came;
      for (std::uint32_t n = 0; n < came; ++n) {
        link.post_send(peer, work.out.next());
        if (to_post == 0) continue;
        link.post_recv(peer, work.in.next());
        ++posted;
        --to_post;
      }
    }
    return drain<Wait>(link);
  }
};

}  // namespace weft

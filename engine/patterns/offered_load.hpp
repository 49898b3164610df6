// Latency under offered load: messages become due at a set rate, whatever became of earlier ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "contract/clock.hpp"
#include "contract/task.hpp"

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
      .summary = "requests due at a fixed rate, each answered; latency from when it was due",
      .figure = Figure::loaded_latency,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .every_operation = true,
      .axis = {.name = "load", .unit = "%", .points = "10,20,30,40,50,60,70,75,80,85,90,95,100"},
      .has_queue = true,
  };
  static constexpr std::string_view beyond_models =
      "in a model messages share a link and do not queue for it: it has no latency under load";
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t queue_depth,
                                                  std::uint64_t /*point*/) noexcept {
    return 2 * queue_depth;
  }
  /// The time between two messages that are due, and how late after it was due each was posted.
  /// Rank 0 looks at the clock while it waits, so it cannot sleep.
  static constexpr bool keeps_time = true;
  static constexpr std::array parts{std::string_view{"interval"}, std::string_view{"late"}};

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    const std::size_t messages = task.samples.size() * task.ops_per_sample;
    if (task.rank == 1) {
      for (std::uint32_t round = 0; round < trial_rounds(task); ++round) {
        if (!answer<Wait>(link, task, trial_messages(task))) return false;
      }
      return answer<Wait>(link, task, messages);
    }
    Ticks interval = 0;
    if (!find_interval<Now, Wait>(link, task, interval)) return false;
    return offer<Now, Wait>(link, task, interval);
  }

 private:
  static constexpr std::uint32_t rounds = 9;
  // A message's time is a fraction of many's: so much finer than a tick.
  static constexpr Ticks scale = 1024;

  // The pass in which every message is checked offers its messages all at once.
  static std::uint32_t trial_rounds(const Task& task) noexcept { return task.checks ? 0 : rounds; }
  static std::size_t trial_messages(const Task& task) noexcept {
    constexpr std::size_t queues = 8;
    return queues * std::max<std::size_t>(task.queue_depth, 8);
  }

  /// The interval of the asked load: what a message takes at saturation, with Q in flight all the
  /// time, is 100 %. The median of the rounds, for a turn of the scheduler makes one long.
  template <Clock Now, class Wait, TwoSided T>
  static bool find_interval(T& link, Task& task, Ticks& interval) noexcept {
    constexpr Ticks percent = 100;
    std::array<Ticks, rounds> scaled{};
    const std::uint32_t count = trial_rounds(task);
    for (std::uint32_t round = 0; round < count; ++round) {
      if (!saturate<Now, Wait>(link, task, scaled[round])) return false;
    }
    if (count == 0 || task.point == 0) return true;
    std::nth_element(scaled.begin(), scaled.begin() + rounds / 2, scaled.end());
    interval = std::max<Ticks>(percent * scaled[rounds / 2] / (scale * task.point), 1);
    return true;
  }

  /// What a message takes, times `scale`: from the first answer of a round until all its messages
  /// are posted, while each answer makes room for a message. Beyond, answers come without posts.
  template <Clock Now, class Wait, TwoSided T>
  static bool saturate(T& link, Task& task, Ticks& scaled) noexcept {
    const std::size_t messages = trial_messages(task);
    const std::size_t steady = messages - task.queue_depth;
    std::size_t first = 0;
    std::size_t answered = 0;
    Ticks start = 0;
    Ticks end = 0;
    const auto posted = [](Ticks /*late*/) {};
    const auto came = [&](std::uint32_t count, Ticks then) {
      if (answered >= steady) return;
      answered += count;
      end = then;
      if (first != 0) return;
      first = answered;
      start = then;
    };
    Ticks first_due = 0;
    if (!drive<Now, Wait>(link, task, messages, 0, posted, came, first_due)) return false;
    scaled = scale * (end - start) / std::max<std::size_t>(answered - first, 1);
    return true;
  }

  /// Rank 0 of so many messages, one due every `interval`: at 0 all are due at once, and Q are in
  /// flight all the time. Saturation is looked for by the very calls that load is offered by, so
  /// that 100 % of it can be kept up. All that are due are posted before the link is asked again.
  /// `posted(late)` hears of each message, `came(count, then)` of answers, whose time is read
  /// before their buffers are posted anew; `first_due` is when the first message was due.
  template <Clock Now, class Wait, TwoSided T, class Posted, class Came>
  static bool drive(T& link, Task& task, std::size_t messages, Ticks interval, const Posted& posted,
                    const Came& came, Ticks& first_due) noexcept {
    Inbox inbox(link, task, messages);
    Ticks due = Now::now();
    first_due = due;
    while (inbox.left() > 0) {
      Ticks now = Now::now();
      while (now >= due && inbox.may_send()) {
        inbox.send();
        posted(now - due);
        due += interval;
        now = Now::now();
      }
      Wait::step(link);
      if (link.fault() != nullptr) return false;
      const std::uint32_t count = inbox.take();
      if (count == 0) continue;
      came(count, Now::now());
      inbox.post_again(count);
    }
    return drain<Wait>(link);
  }

  /// The messages under way on rank 0: an answer's receive is posted before its message.
  template <TwoSided T>
  class Inbox {
   public:
    Inbox(T& link, Task& task, std::size_t messages) noexcept
        : link_(&link), task_(&task), to_send_(messages), to_post_(messages), left_(messages) {
      while (posted_ < task.queue_depth && to_post_ > 0) post();
    }
    [[nodiscard]] std::size_t left() const noexcept { return left_; }
    [[nodiscard]] bool may_send() const noexcept {
      return to_send_ > 0 && left_ - to_send_ < task_->queue_depth;
    }
    void send() noexcept {
      link_->post_send(Peer{1}, task_->out.next());
      --to_send_;
    }
    /// How many answers came since the last call.
    std::uint32_t take() noexcept {
      const std::uint32_t came = posted_ - link_->receives_in_flight();
      posted_ -= came;
      left_ -= came;
      return came;
    }
    void post_again(std::uint32_t count) noexcept {
      for (; count > 0 && to_post_ > 0; --count) post();
    }

   private:
    void post() noexcept {
      link_->post_recv(Peer{1}, task_->in.next());
      ++posted_;
      --to_post_;
    }

    T* link_;
    Task* task_;
    std::size_t to_send_;
    std::size_t to_post_;
    std::size_t left_;
    std::uint32_t posted_ = 0;
  };

  template <Clock Now, class Wait, TwoSided T>
  static bool offer(T& link, Task& task, Ticks interval) noexcept {
    std::size_t sent = 0;
    std::size_t answered = 0;
    Ticks due = 0;
    const auto posted = [&](Ticks late) {
      keep(task.parts[0], sent, task.ops_per_sample, interval);
      keep(task.parts[1], sent++, task.ops_per_sample, late);
    };
    const auto came = [&](std::uint32_t count, Ticks then) {
      for (; count > 0; --count) {
        keep(task.samples, answered++, task.ops_per_sample, then - due);
        due += interval;
      }
    };
    return drive<Now, Wait>(link, task, task.samples.size() * task.ops_per_sample, interval, posted,
                            came, due);
  }

  // A sample is one message but in the checked pass, whose times nobody looks at.
  static void keep(std::span<Ticks> series, std::size_t message, std::uint32_t ops,
                   Ticks value) noexcept {
    series[message / ops] = value;
  }

  template <class Wait, TwoSided T>
  static bool answer(T& link, Task& task, std::size_t messages) noexcept {
    const Peer peer{0};
    std::size_t to_post = messages;
    std::uint32_t posted = 0;
    for (; posted < task.queue_depth && to_post > 0; ++posted, --to_post) {
      link.post_recv(peer, task.in.next());
    }
    while (messages > 0) {
      if (!Wait::settle(link, task.queue_depth, posted - 1)) return false;
      const std::uint32_t came = posted - link.receives_in_flight();
      posted -= came;
      messages -= came;
      for (std::uint32_t n = 0; n < came; ++n) {
        link.post_send(peer, task.out.next());
        if (to_post == 0) continue;
        link.post_recv(peer, task.in.next());
        ++posted;
        --to_post;
      }
    }
    return drain<Wait>(link);
  }
};

}  // namespace weft

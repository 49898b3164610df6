// Bidirectional bandwidth: both ranks stream at once.
#pragma once

#include "contract/clock.hpp"
#include "contract/task.hpp"
#include "patterns/parts/receiver.hpp"
#include "patterns/parts/send_queue.hpp"
#include "patterns/parts/trips.hpp"

namespace weft {

/// A sample is `ops_per_sample` messages each way. It starts with a word of rank 0's, on which rank
/// 1 begins, so nothing is on its way before the clock starts; it ends with a word of rank 1's once
/// that has them all, so nothing is unfinished when the clock stops.
///
/// Behind its word rank 0 pauses, on the clock, for the round trip of a word: rank 1 has left the
/// library with the word by then. A call of a library moves whatever is there, some copy half a
/// queue in one: were the messages right behind the word, rank 1 would do so before it sends its
/// own, and the other direction would stand still so long. A longer pause would find rank 1's
/// messages there without a receive.
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
      .latencies_per_sample = 4,
  };
  static constexpr std::string_view beyond_models =
      "in a model the messages of a queue share the link and all arrive together, and nobody has "
      "checked both ways at once against a known answer";
  static constexpr bool streams = true;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    const Lane& lane = task.lanes[0];
    const auto out = [&]() -> const Buffer& { return task.token_out; };
    const auto in = [&]() -> const Buffer& { return task.words.next(); };
    if (task.rank == 1) {
      return answer_trips<Wait>(link, lane.peer, out, in, trial_trips) && follow<Wait>(link, task);
    }
    Ticks trip = 0;
    return find_shortest_trip<Now, Wait>(link, lane.peer, out, in, trip) &&
           lead<Now, Wait>(link, task, trip);
  }

 private:
  /// Rank 0, whose samples count: each ends with a word.
  template <Clock Now, class Wait, TwoSided T>
  static bool lead(T& link, Task& task, Ticks pause) noexcept {
    Lane& lane = task.lanes[0];
    link.post_recv(lane.peer, task.words.next());
    open_lane<WordAt::behind>(link, task, lane, task.ops_per_sample, task.samples.size());
    if (!Wait::settle(link, 0, lane.posted)) return false;
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      const bool whole = look_in_warmup(task, at, [&](const auto& look) {
        const Ticks start = Now::now();
        link.post_send(lane.peer, task.token_out);
        if (!Wait::settle(link, 0, lane.posted)) return false;
        (void)Now::pause(pause);
        if (!exchange<WordAt::behind, Wait>(link, task, look)) return false;
        if (!Wait::settle(link, 0, lane.posted)) return false;
        task.samples[at] = Now::now() - start;
        return true;
      });
      if (!whole) return false;
    }
    return true;
  }

  /// Rank 1: each sample begins with a word.
  template <class Wait, TwoSided T>
  static bool follow(T& link, Task& task) noexcept {
    Lane& lane = task.lanes[0];
    open_lane<WordAt::before>(link, task, lane, task.ops_per_sample, task.samples.size());
    say_ready(link, task, lane);
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      const bool whole = look_in_warmup(task, at, [&](const auto& look) {
        if (!Wait::settle(link, 0, lane.posted - 1)) return false;
        if (!exchange<WordAt::before, Wait>(link, task, look)) return false;
        link.post_send(lane.peer, task.token_out);
        return Wait::settle(link, 0, lane.posted);
      });
      if (!whole) return false;
    }
    return true;
  }

  /// A sample's messages both ways, and the word that it begins or ends with.
  template <WordAt word, class Wait, TwoSided T, class Looks>
  static bool exchange(T& link, Task& task, const Looks& look) noexcept {
    Lane& lane = task.lanes[0];
    const auto post = [&] { link.post_send(lane.peer, lane.out.next()); };
    SendQueue queue(task.ops_per_sample, task.queue_depth);
    lane.to_come = task.ops_per_sample + 1;
    queue.fill(post);
    look(link, [&] { return link.sends_in_flight(); });
    bool has_posted = true;
    while (queue.left() > 0 || lane.to_come > 0) {
      if (queue.left() > 0 && link.sends_in_flight() <= queue.most_in_flight()) {
        queue.refill(post);
        has_posted = true;
      }
      step_after_posts<Wait>(link, has_posted);
      if (link.fault() != nullptr) return false;
      has_posted =
          lane.to_come > 0 && take_what_came<word>(link, task, lane, link.receives_in_flight());
    }
    return true;
  }
};

}  // namespace weft

// Bidirectional bandwidth: both ranks stream at once.
#pragma once

#include "contract/clock.hpp"
#include "contract/task.hpp"
#include "patterns/parts/receiver.hpp"
#include "patterns/parts/send_queue.hpp"

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
  static constexpr std::string_view beyond_models =
      "in a model the messages of a queue share the link and all arrive together: the other rank "
      "would answer the first of them when the last one came";
  static constexpr bool streams = true;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    return task.rank == 0 ? stream<WordAt::behind, Now, Wait>(link, task)
                          : stream<WordAt::none, Now, Wait>(link, task);
  }

 private:
  /// `word` tells whether the other rank ends a sample by a word: rank 1 does.
  template <WordAt word, Clock Now, class Wait, TwoSided T>
  static bool stream(T& link, Task& task) noexcept {
    constexpr bool begins = word == WordAt::behind;
    Lane& lane = task.lanes[0];
    if (begins) link.post_recv(lane.peer, task.words.next());
    open_lane<word>(link, task, lane, task.ops_per_sample, task.samples.size());
    if (!begins) say_ready(link, task, lane);
    if (begins && !Wait::settle(link, 0, lane.posted)) return false;
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      const bool whole = look_in_warmup(task, at, [&](const auto& look) {
        if (!begins && !Wait::settle(link, 0, lane.posted - 1)) return false;
        const Ticks start = Now::now();
        if (!exchange<word, Wait>(link, task, lane, look)) return false;
        if (!begins) link.post_send(lane.peer, task.token_out);
        if (!Wait::settle(link, 0, lane.posted)) return false;
        task.samples[at] = Now::now() - start;
        return true;
      });
      if (!whole) return false;
    }
    return true;
  }

  template <WordAt word, class Wait, TwoSided T, class Looks>
  static bool exchange(T& link, Task& task, Lane& lane, const Looks& look) noexcept {
    const auto post = [&] { link.post_send(lane.peer, lane.out.next()); };
    SendQueue queue(task.ops_per_sample, task.queue_depth);
    lane.to_come = task.ops_per_sample + (word == WordAt::behind ? 1 : 0);
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

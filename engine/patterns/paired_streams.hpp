// Many pairs of ranks that stream at once: message rate, and random pairs as a reference.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../cast.hpp"
#include "many_ranks.hpp"

namespace weft {

/// All pairs start at rank 0's word. A sample runs on rank 0's clock until every pair has moved all
/// its messages; what a pair took by itself is told by its own first rank's clock, so that no two
/// clocks are compared. `own` is that of rank 0's pair.
struct PairedStreams {
  static constexpr bool streams = true;
  static constexpr bool every_rank_times = true;
  static constexpr std::array parts{std::string_view{"own"}};

  template <Clock Now, class Wait, TellsSenders T>
  static bool run(T& link, Work& work) noexcept {
    if (work.lanes[0].out.empty()) return receive<Wait>(link, work);
    if (work.rank != 0) return stream_at_word<Now, Wait>(link, work, true);
    return lead<Now, Wait>(link, work);
  }

 private:
  template <Clock Now, class Wait, TellsSenders T>
  static bool lead(T& link, Work& work) noexcept {
    Lane& lane = work.lanes[0];
    for (std::size_t sample = 0; sample < work.samples.size(); ++sample) {
      link.post_recv(lane.peer, work.words.next());
      for (const Peer follower : work.followers) link.post_recv(follower, work.words.next());
      const Ticks start = Now::now();
      for (const Peer follower : work.followers) link.post_send(follower, work.token_out);
      if (!stream_out<Wait>(link, work, lane, work.streams)) return false;
      while (link.receives_in_flight(lane.peer) > 0) {
        Wait::step(link);
        if (link.fault() != nullptr) return false;
      }
      work.parts[0][sample] = Now::now() - start;
      if (!drain<Wait>(link)) return false;
      work.samples[sample] = Now::now() - start;
    }
    return true;
  }

  template <class Wait, TwoSided T>
  static bool receive(T& link, Work& work) noexcept {
    Lane& lane = work.lanes[0];
    const std::uint32_t refill = refill_of(work.queue_depth);
    const std::uint32_t messages = messages_per_lane(work);
    lane.to_post = work.samples.size() * messages;
    post_ahead(link, lane, work.queue_depth);
    for (std::size_t sample = 0; sample < work.samples.size(); ++sample) {
      for (std::uint32_t got = 0; got < messages; got += refill) {
        if (!Wait::settle(link, 1, lane.posted - refill)) return false;
        lane.posted -= refill;
        post_ahead(link, lane, refill);
      }
      link.post_send(lane.peer, work.token_out);
    }
    return drain<Wait>(link);
  }

  template <TwoSided T>
  static void post_ahead(T& link, Lane& lane, std::uint32_t count) noexcept {
    for (; count > 0 && lane.to_post > 0; --count, --lane.to_post, ++lane.posted) {
      link.post_recv(lane.peer, lane.in.next());
    }
  }
};

/// Rank i to rank i + n/2 of n, as many pairs as the case's point says; without one, all.
struct MessageRate : PairedStreams {
  static constexpr PatternInfo info{
      .name = "message_rate",
      .title = "Message rate",
      .summary = "pairs of ranks stream at once, one way, until all have moved their messages",
      .figure = Figure::bandwidth,
      .ranks = 2,
      .latency_divisor = 0,
      .bandwidth_factor = 1,
      .least_bytes = 1,
      .axis = {.name = "pairs", .unit = "", .points = "1..ranks/2"},
      .has_queue = true,
      .latencies_per_sample = 4,
      .splits_operations = true,
  };

  static std::string lacks(const Case& test, int size) {
    if (2 * test.point <= static_cast<std::uint64_t>(size)) return "";
    return std::to_string(test.point) + " pairs need " + std::to_string(2 * test.point) +
           " ranks; choose more with --ranks";
  }
  static Cast cast(const Case& test, int rank, int size) {
    const int half = size / 2;
    const int count = test.point == 0 ? half : static_cast<int>(test.point);
    std::vector<std::pair<int, int>> pairs;
    pairs.reserve(static_cast<std::size_t>(count));
    for (int first = 0; first < count; ++first) pairs.emplace_back(first, first + half);
    return pairs_cast(pairs, rank);
  }
};

/// Every rank in one pair, drawn anew for each batch; of an odd number one stands by.
struct RandomPairs : PairedStreams {
  static constexpr PatternInfo info{
      .name = "random_pairs",
      .title = "Random pairs",
      .summary = "all ranks stream at once in pairs drawn at random, all bandwidths together",
      .figure = Figure::bandwidth,
      .ranks = 2,
      .latency_divisor = 0,
      .bandwidth_factor = 1,
      .least_bytes = 1,
      .has_queue = true,
      .latencies_per_sample = 4,
      .splits_operations = true,
  };

  static std::string lacks(const Case& /*test*/, int /*size*/) { return ""; }
  static Cast cast(const Case& test, int rank, int size) {
    std::vector<int> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    // The batch's number beside the run's seed: the same on all ranks, another for each launch.
    std::seed_seq seed{test.seed, test.id};
    std::mt19937_64 random(seed);
    std::shuffle(order.begin() + 1, order.end(), random);
    std::vector<std::pair<int, int>> pairs;
    for (std::size_t at = 0; at + 1 < order.size(); at += 2) {
      pairs.emplace_back(order[at], order[at + 1]);
    }
    return pairs_cast(pairs, rank);
  }
};

}  // namespace weft

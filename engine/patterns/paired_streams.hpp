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

#include "contract/cast.hpp"
#include "patterns/parts/many_ranks.hpp"

namespace weft {

/// All pairs start at rank 0's word. A sample runs on rank 0's clock until every pair has moved all
/// its messages; what a pair took by itself is told by its own first rank's clock, so that no two
/// clocks are compared. `own` is that of rank 0's pair.
struct PairedStreams {
  static constexpr bool streams = true;
  static constexpr bool every_rank_times = true;
  static constexpr std::array parts{std::string_view{"own"}};

  template <Clock Now, class Wait, TellsPeers T>
  static bool run(T& link, Work& work) noexcept {
    if (work.lanes[0].out.empty()) {
      return receive_streams<Wait>(link, work, work.samples.size());
    }
    if (work.rank != 0) return stream_at_word<true, Now, Wait>(link, work);
    return lead<Now, Wait>(link, work);
  }

 private:
  template <Clock Now, class Wait, TellsPeers T>
  static bool lead(T& link, Work& work) noexcept {
    await_words(link, work);
    if (!drain<Wait>(link)) return false;
    for (std::size_t at = 0; at < work.samples.size(); ++at) {
      const bool whole = look_in_warmup(
          work, at, [&](const auto& look) { return lead_once<Now, Wait>(link, work, at, look); });
      if (!whole) return false;
    }
    return true;
  }

  template <Clock Now, class Wait, TellsPeers T, class Looks>
  static bool lead_once(T& link, Work& work, std::size_t at, const Looks& look) noexcept {
    const Lane& lane = work.lanes[0];
    await_words(link, work);
    const Ticks start = Now::now();
    for (const Peer follower : work.followers) link.post_send(follower, work.token_out);
    if (!stream_out<Wait>(link, work, work.streams, look, nothing_more)) return false;
    while (link.receives_in_flight(lane.peer) > 0) {
      Wait::step(link);
      if (link.fault() != nullptr) return false;
    }
    work.parts[0][at] = Now::now() - start;
    if (!drain<Wait>(link)) return false;
    work.samples[at] = Now::now() - start;
    return true;
  }

  /// One word of the receiver of this pair, and one of each other pair.
  template <TwoSided T>
  static void await_words(T& link, Work& work) noexcept {
    link.post_recv(work.lanes[0].peer, work.words.next());
    for (const Peer follower : work.followers) link.post_recv(follower, work.words.next());
  }
};

/// Rank i to rank i + n/2 of n, as many pairs as the case's point says; without one, all.
struct MessageRate : PairedStreams {
  static constexpr PatternInfo info{
      .name = "message_rate",
      .title = "Message rate",
      .summary = "pairs of ranks stream at once in one direction; messages per second of all",
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
      .summary = "all ranks stream at once in random pairs; aggregate bandwidth",
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

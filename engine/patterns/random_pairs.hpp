// Pairs drawn at random that stream at once, as a reference.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "contract/roles.hpp"
#include "patterns/parts/paired_streams.hpp"

namespace weft {

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

  static constexpr bool pairs_all = true;

  static std::string lacks(const Case& /*spec*/, int /*size*/) { return ""; }
  static Role role(const Case& spec, int rank, int size) {
    std::vector<int> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    // The batch's number beside the run's seed: the same on all ranks, another for each launch.
    std::seed_seq seed{spec.seed, spec.id};
    std::mt19937_64 random(seed);
    std::shuffle(order.begin() + 1, order.end(), random);
    std::vector<std::pair<int, int>> pairs;
    for (std::size_t at = 0; at + 1 < order.size(); at += 2) {
      pairs.emplace_back(order[at], order[at + 1]);
    }
    return pairs_role(pairs, rank);
  }
};

}  // namespace weft

// Message rate: pairs of ranks that stream at once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "contract/roles.hpp"
#include "contract/wording.hpp"
#include "patterns/parts/paired_streams.hpp"
#include "patterns/parts/pairs_across.hpp"

namespace weft {

/// Pairs between hosts if possible, as many as the case's point says; without one, all ranks but
/// one of an odd number.
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
  static constexpr std::uint32_t ranks_per_point = 2;
  static constexpr std::string_view beyond_models =
      "a model has no limit of messages per second beside the host's overhead";

  static std::string lacks(const Case& spec, int size) {
    if (2 * spec.point <= static_cast<std::uint64_t>(size)) return "";
    return counted(spec.point, "pair") + " " + verb_of(spec.point, "need") + " " +
           counted(2 * spec.point, "rank") + "; choose more with --ranks";
  }
  static Role role(const Case& spec, int rank, int size) {
    std::vector<std::pair<int, int>> pairs = pairs_across(spec, size);
    if (spec.point > 0) pairs.resize(spec.point);
    return pairs_role(pairs, rank);
  }
};

}  // namespace weft

// Pairs of ranks, between hosts if possible.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "contract/case.hpp"

namespace weft {

/// Pairs of `size` ranks, size/2 of them. As many as possible are between two hosts, and these come
/// first. Rank 0 is the first rank of the first pair.
///
/// The ranks are put in a row host by host, and each rank of the first half is paired with the rank
/// half a row further. A host with at most half of the ranks has no pair of its own that way: of
/// two nodes all ranks of the first send to the second, of four those of nodes 1 and 2 to those of
/// nodes 3 and 4. The rank in the middle of an odd number stands by.
inline std::vector<std::pair<int, int>> pairs_across(const Case& spec, int size) {
  std::vector<int> row;
  if (spec.hosts != nullptr) {
    row = spec.hosts->in_order;
  } else {
    row.resize(static_cast<std::size_t>(size));
    std::iota(row.begin(), row.end(), 0);
  }
  const std::size_t half = row.size() / 2;
  const std::size_t further = row.size() - half;
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t at = 0; at < half; ++at) pairs.emplace_back(row[at], row[at + further]);
  if (spec.hosts == nullptr || pairs.empty()) return pairs;
  std::stable_partition(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return !spec.hosts->share(pair.first, pair.second);
  });
  // If rank 0's host has more than half of the ranks, its pair came from inside the host. All first
  // ranks are on that host then, and may change places.
  const auto of_leader =
      std::find_if(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.first == 0; });
  std::swap(pairs.front().first, of_leader->first);
  return pairs;
}

}  // namespace weft

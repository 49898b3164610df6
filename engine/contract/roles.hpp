// Who does what in a case: whom a rank sends measured messages to, and whose it receives.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "contract/case.hpp"

namespace weft {

/// What one rank does in a case. Neighbours are so in both directions.
struct Role {
  /// Whom this rank sends to and whom it receives from, each with buffers of its own.
  std::vector<int> to;
  std::vector<int> from;
  /// With whom it exchanges anything at all, measured messages and control messages.
  std::vector<int> neighbours;
  /// Rank 0 of many pairs: the first ranks of the other pairs, which wait for it to start them.
  std::vector<int> followers;
  /// How many streams run at once over all ranks; an operation is one message of any of them.
  std::uint32_t streams = 1;
  /// The bytes of each lane's messages, both ways; none: as the case says.
  std::vector<std::size_t> bytes = {};
  /// Whom it sums with by messages, in this order; neighbours too. None where the transport sums.
  std::vector<int> partners = {};
  /// Takes part without any other rank.
  bool is_alone = false;

  [[nodiscard]] bool takes_part() const { return is_alone || !neighbours.empty(); }
};

/// A pattern in which ranks do different things says `static Role role(const Case&, int rank, int
/// size)`, and by `static std::string lacks(const Case&, int size)` why so many ranks are too few.
template <class P>
concept HasRoles = requires(const Case& spec, int rank) {
  P::role(spec, rank, rank);
};

/// A ring of ranks: each sends to the next and receives from the one before.
inline Role ring_role(int rank, int size) {
  if (rank >= size) return {};
  const int left = (rank + size - 1) % size;
  const int right = (rank + 1) % size;
  return {.to = {right}, .from = {left}, .neighbours = {left, right}, .followers = {}};
}

/// Rank 0 sends to rank 1, or on the way back rank 1 to rank 0.
inline Role one_way_role(int rank, bool is_back) {
  if (rank > 1) return {};
  const int other = 1 - rank;
  Role role;
  ((rank == 0) != is_back ? role.to : role.from) = {other};
  role.neighbours = {other};
  return role;
}

/// The first rank of each pair sends to the second; rank 0 is the first of the first pair and gives
/// the message that starts them.
inline Role pairs_role(const std::vector<std::pair<int, int>>& pairs, int rank) {
  Role role;
  role.streams = static_cast<std::uint32_t>(pairs.size());
  for (const auto& [first, second] : pairs) {
    if (rank == first) role.to = role.neighbours = {second};
    if (rank == second) role.from = role.neighbours = {first};
    if (rank == 0 && first != 0) role.followers.push_back(first);
  }
  if (!role.to.empty() && rank != 0) role.neighbours.push_back(0);
  role.neighbours.insert(role.neighbours.end(), role.followers.begin(), role.followers.end());
  return role;
}

/// Pairs of ranks that exchange measured messages, and those of them whose ranks are on two hosts.
struct PairCounts {
  std::uint32_t all = 0;
  std::uint32_t between_hosts = 0;
};

/// Counts the pairs of this rank with ranks of higher numbers. Summed over all ranks, each pair
/// counts once.
inline PairCounts pair_counts(const Role& role, int rank, const RankHosts* hosts) {
  std::set<int> partners(role.to.begin(), role.to.end());
  partners.insert(role.from.begin(), role.from.end());
  PairCounts counts;
  for (const int partner : partners) {
    if (partner <= rank) continue;
    ++counts.all;
    if (hosts != nullptr && !hosts->share(rank, partner)) ++counts.between_hosts;
  }
  return counts;
}

}  // namespace weft

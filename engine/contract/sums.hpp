// Sums over ranks that are made of messages: whom a rank exchanges them with.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "contract/roles.hpp"

namespace weft {

/// How many numbers a sum over ranks has at most: those of a solver with one sum an iteration.
inline constexpr std::size_t summed_numbers = 4;
/// How many sums may be expected at once: two of an iteration, and two of the next.
inline constexpr std::size_t most_sums_ahead = 4;
/// The messages that a sum made of them needs for each partner: one goes out, the others come in.
inline constexpr std::size_t messages_of_partner = 1 + most_sums_ahead;

/// Whom a rank exchanges a message with in each sum, in this order. The largest power of two of
/// ranks double the distance at each step (recursive doubling: Thakur, Rabenseifner and Gropp, Int.
/// J. of High Performance Computing Applications 19, 2005, section 4.5); each of the ranks beyond
/// gives its numbers to one of them first, and gets the sums from it at the end.
inline std::vector<int> sum_partners(int rank, int size) {
  const auto power = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  if (rank >= power) return {rank - power};
  std::vector<int> partners;
  if (rank + power < size) partners.push_back(rank + power);
  for (int step = 1; step < power; step *= 2) {
    partners.push_back(rank < (rank ^ step) ? rank + step : rank - step);
  }
  return partners;
}

/// A role with the partners of a sum that is made of messages.
inline Role with_sums(Role role, int rank, int size) {
  role.partners = sum_partners(rank, size);
  for (const int partner : role.partners) {
    if (std::find(role.neighbours.begin(), role.neighbours.end(), partner) ==
        role.neighbours.end()) {
      role.neighbours.push_back(partner);
    }
  }
  return role;
}

}  // namespace weft

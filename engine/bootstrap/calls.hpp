// Who calls the ranks that sleep, and when they look whether they are called.
#pragma once

#include <optional>
#include <vector>

namespace weft {

/// Whom a rank hears before it calls others; none where it calls first. The others hear rank 0,
/// which is connected with all of them anyway, and rank 0 hears `caller`.
constexpr std::optional<int> heard_by(int rank, int caller) {
  if (rank == caller) return std::nullopt;
  return rank == 0 ? caller : 0;
}

/// Whom a rank calls then. Ranks that sleep pass nothing on: each step would wait until one looks.
inline std::vector<int> called_by(int rank, int ranks, int caller) {
  if (rank != 0) return rank == caller ? std::vector{0} : std::vector<int>{};
  std::vector<int> called;
  for (int other = 1; other < ranks; ++other) {
    if (other != caller) called.push_back(other);
  }
  return called;
}

/// How long a rank sleeps that looks once in `longest_ns`: those of a host look at the same time,
/// so that all of them have heard a call once one has.
constexpr long until_all_poll_ns(long longest_ns, long now_ns) {
  return longest_ns - now_ns % longest_ns;
}

}  // namespace weft

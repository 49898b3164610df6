// Whom a link is connected with, and whom it has to connect with next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "bootstrap/first_neighbours.hpp"

namespace weft {

class KnownPeers {
 public:
  explicit KnownPeers(int ranks) : is_known_(static_cast<std::size_t>(ranks)) {}

  /// Those that are named for the first time, each once; they are known from now on.
  std::vector<int> take_new(std::span<const int> ranks) {
    std::vector<int> unknown;
    for (const int rank : ranks) {
      const auto at = static_cast<std::size_t>(rank);
      if (is_known_[at]) continue;
      is_known_[at] = true;
      unknown.push_back(rank);
    }
    count_ += unknown.size();
    return unknown;
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  /// How many it would be with these ranks, each named once.
  [[nodiscard]] std::size_t count_with(std::span<const int> ranks) const {
    const auto is_new = [this](int rank) { return !is_known_[static_cast<std::size_t>(rank)]; };
    return count_ + static_cast<std::size_t>(std::count_if(ranks.begin(), ranks.end(), is_new));
  }
  void forget_all() {
    is_known_.assign(is_known_.size(), false);
    count_ = 0;
  }

 private:
  std::vector<bool> is_known_;
  std::size_t count_ = 0;
};

}  // namespace weft

// The peers with whom something has ended since they were asked for: who looks after many streams
// looks at these alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft {

/// Each peer is listed once until it is taken, in the order in which they came.
class EndedPeers {
 public:
  explicit EndedPeers(int ranks)
      : is_listed_(static_cast<std::size_t>(ranks)), listed_(static_cast<std::size_t>(ranks)) {}

  /// Where nobody takes the list, as in a test of two ranks, nothing is written from the second on.
  void note(int rank) noexcept {
    std::uint8_t& is_listed = is_listed_[static_cast<std::size_t>(rank)];
    if (is_listed != 0) return;
    is_listed = 1;
    listed_[place_of(count_++)] = rank;
  }
  /// The one that has waited longest; -1 where there is none.
  int take() noexcept {
    if (count_ == 0) return -1;
    const int rank = listed_[first_];
    first_ = place_of(1);
    --count_;
    is_listed_[static_cast<std::size_t>(rank)] = 0;
    return rank;
  }

 private:
  /// Round and round: there is room for every peer once.
  [[nodiscard]] std::size_t place_of(std::size_t behind) const noexcept {
    const std::size_t place = first_ + behind;
    return place < listed_.size() ? place : place - listed_.size();
  }

  std::vector<std::uint8_t> is_listed_;
  std::vector<int> listed_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace weft

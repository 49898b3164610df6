// A library's handles under small numbers, so that a buffer can name its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft {

/// Items by number from 0; a number that was given back is given anew. Room is made beforehand, so
/// that `put` never allocates.
template <class Item>
class HandleTable {
 public:
  /// At least so many more items can be put.
  void make_room(std::size_t more) {
    for (auto at = static_cast<std::uint32_t>(items_.size()); free_ < more; ++at) {
      items_.emplace_back();
      unused_.push_back(0);
      unused_[free_++] = at;
    }
  }
  [[nodiscard]] bool has_room() const noexcept { return free_ != 0; }

  /// Only where there is room.
  std::uint32_t put(const Item& item) noexcept {
    const std::uint32_t number = unused_[--free_];
    items_[number] = item;
    return number;
  }
  Item take(std::uint32_t number) noexcept {
    const Item item = items_[number];
    items_[number] = {};
    unused_[free_++] = number;
    return item;
  }

  [[nodiscard]] const Item& operator[](std::uint32_t number) const noexcept {
    return items_[number];
  }
  /// Those in use, and empty ones between them.
  [[nodiscard]] const std::vector<Item>& all() const noexcept { return items_; }

 private:
  std::vector<Item> items_;
  /// As long as the items, so that it never grows beside them; the first `free_` count.
  std::vector<std::uint32_t> unused_;
  std::size_t free_ = 0;
};

}  // namespace weft

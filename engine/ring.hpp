// A queue of fixed depth, its room made before the clock starts.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft {

template <class Item>
class Ring {
 public:
  /// Room for at least so many items. Allocates; existing items are kept only if there are none.
  void reserve(std::size_t depth) {
    items_.assign(std::bit_ceil(depth < 2 ? 2 : depth), Item{});
    mask_ = items_.size() - 1;
    first_ = 0;
    count_ = 0;
  }

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] bool full() const noexcept { return count_ > mask_; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

  Item& operator[](std::size_t index) noexcept { return items_[(first_ + index) & mask_]; }
  Item& front() noexcept { return items_[first_]; }

  void push(const Item& item) noexcept { (*this)[count_++] = item; }
  void pop() noexcept {
    first_ = (first_ + 1) & mask_;
    --count_;
  }

 private:
  std::vector<Item> items_;
  // One less than the room, which is a power of two; kept, for a vector would count its size anew.
  std::size_t mask_ = 0;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace weft

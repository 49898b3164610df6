// A queue of fixed depth, its room made before the clock starts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft {

template <class Item>
class FixedQueue {
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
  /// The oldest items that lie side by side in memory, at most so many.
  [[nodiscard]] std::span<Item> oldest(std::size_t most) noexcept {
    return {&items_[first_], std::min({most, count_, items_.size() - first_})};
  }
  void pop(std::size_t count = 1) noexcept {
    first_ = (first_ + count) & mask_;
    count_ -= count;
  }

 private:
  std::vector<Item> items_;
  // One less than the room, which is a power of two; kept, for a vector would count its size anew.
  std::size_t mask_ = 0;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

/// A queue for each peer, looked at in turn.
template <class Item>
class QueuePerPeer {
 public:
  explicit QueuePerPeer(int peers) : queues_(static_cast<std::size_t>(peers)) {}
  /// Room for so many items of each peer; nothing may be queued.
  void reserve(std::size_t depth) {
    for (FixedQueue<Item>& queue : queues_) queue.reserve(depth);
    count_ = 0;
  }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] const FixedQueue<Item>& of(int peer) const noexcept {
    return queues_[static_cast<std::size_t>(peer)];
  }
  [[nodiscard]] bool full(int peer) const noexcept { return of(peer).full(); }

  void push(int peer, const Item& item) noexcept {
    const auto index = static_cast<std::size_t>(peer);
    queues_[index].push(item);
    if (count_++ == 0) turn_ = index;
  }
  /// The next peer's oldest item, if anything is queued. The usual case is quick: all is one
  /// peer's.
  Item* oldest() noexcept {
    if (count_ == 0) return nullptr;
    while (!is_of_one()) {
      turn_ = turn_ + 1 == queues_.size() ? 0 : turn_ + 1;
      if (!queues_[turn_].empty()) break;
    }
    return &queues_[turn_].front();
  }
  /// Whether all that is queued is one peer's, who is the one that `oldest` looks at.
  [[nodiscard]] bool is_of_one() const noexcept { return queues_[turn_].size() == count_; }
  /// What `oldest` gave last, and taking it off.
  Item& current() noexcept { return queues_[turn_].front(); }
  /// The same and those behind it in memory, at most so many.
  [[nodiscard]] std::span<Item> current(std::size_t most) noexcept {
    return queues_[turn_].oldest(most);
  }
  void pop(std::size_t count = 1) noexcept {
    queues_[turn_].pop(count);
    count_ -= count;
  }

 private:
  std::vector<FixedQueue<Item>> queues_;
  std::size_t turn_ = 0;
  std::size_t count_ = 0;
};

}  // namespace weft

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
    next_ = 0;
  }

  [[nodiscard]] bool empty() const noexcept { return next_ == first_; }
  [[nodiscard]] bool full() const noexcept { return size() > mask_; }
  [[nodiscard]] std::size_t size() const noexcept { return next_ - first_; }

  Item& operator[](std::size_t index) noexcept { return items_[(first_ + index) & mask_]; }
  Item& front() noexcept { return (*this)[0]; }

  /// The place of a new last item, which holds what was there before.
  Item& claim() noexcept { return items_[next_++ & mask_]; }
  void push(const Item& item) noexcept { claim() = item; }
  /// So many new last items, each filled by `fill`. Where the queue stands is kept in variables of
  /// the function, which no call of `fill` can reach.
  template <class Fill>
  void claim(std::uint32_t count, const Fill& fill) noexcept {
    Item* const items = items_.data();
    const std::size_t mask = mask_;
    const std::size_t end = next_ + count;
    for (std::size_t at = next_; at != end; ++at) fill(items[at & mask]);
    next_ = end;
  }
  [[nodiscard]] std::size_t room() const noexcept { return mask_ + 1 - size(); }
  /// The oldest items that lie side by side in memory, at most so many.
  [[nodiscard]] std::span<Item> oldest(std::size_t most) noexcept {
    return {&front(), std::min({most, size(), items_.size() - (first_ & mask_)})};
  }
  void pop(std::size_t count = 1) noexcept { first_ += count; }

 private:
  std::vector<Item> items_;
  // One less than the room, which is a power of two; kept, for a vector would count its size anew.
  std::size_t mask_ = 0;
  // Of all items that ever were: the place is what the mask leaves, and one addition makes a push.
  std::size_t first_ = 0;
  std::size_t next_ = 0;
};

/// A queue for each peer, of which those that hold something are looked at in turn: what the others
/// of a launch are costs nothing.
template <class Item>
class QueuePerPeer {
 public:
  explicit QueuePerPeer(int peers)
      : queues_(static_cast<std::size_t>(peers)), busy_(static_cast<std::size_t>(peers)) {
    for (FixedQueue<Item>& queue : queues_) queue.reserve(1);
  }
  /// Room for so many items of each of these peers; nothing may be queued.
  void reserve(std::size_t depth, std::span<const int> peers) {
    for (const int peer : peers) queues_[static_cast<std::size_t>(peer)].reserve(depth);
    count_ = 0;
    busy_count_ = 0;
    turn_ = 0;
  }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] const FixedQueue<Item>& of(int peer) const noexcept {
    return queues_[static_cast<std::size_t>(peer)];
  }
  [[nodiscard]] bool full(int peer) const noexcept { return of(peer).full(); }

  /// The place of a peer's new last item: a library's call fills it without a copy on the way.
  Item& claim(int peer) noexcept {
    FixedQueue<Item>& queue = queues_[static_cast<std::size_t>(peer)];
    if (queue.empty()) busy_[busy_count_++] = &queue;
    ++count_;
    return queue.claim();
  }
  /// The same for so many, each filled by `fill`.
  template <class Fill>
  void claim(int peer, std::uint32_t count, const Fill& fill) noexcept {
    FixedQueue<Item>& queue = queues_[static_cast<std::size_t>(peer)];
    if (queue.empty() && count > 0) busy_[busy_count_++] = &queue;
    count_ += count;
    queue.claim(count, fill);
  }
  [[nodiscard]] std::size_t room(int peer) const noexcept { return of(peer).room(); }
  /// The next peer's oldest item, if anything is queued.
  Item* oldest() noexcept {
    if (busy_count_ == 0) return nullptr;
    if (++turn_ >= busy_count_) turn_ = 0;
    return &current();
  }
  /// Whether all that is queued is one peer's.
  [[nodiscard]] bool is_of_one() const noexcept { return busy_count_ == 1; }
  /// What `oldest` gave last, whose it is, and taking it off.
  Item& current() noexcept { return busy_[turn_]->front(); }
  [[nodiscard]] int current_peer() const noexcept {
    return static_cast<int>(busy_[turn_] - queues_.data());
  }
  /// The same and those behind it in memory, at most so many.
  [[nodiscard]] std::span<Item> current(std::size_t most) noexcept {
    return busy_[turn_]->oldest(most);
  }
  void pop(std::size_t count = 1) noexcept {
    busy_[turn_]->pop(count);
    count_ -= count;
    if (!busy_[turn_]->empty()) return;
    // The last one's turn comes next, in its new place.
    busy_[turn_] = busy_[--busy_count_];
    turn_ = turn_ == 0 ? busy_count_ : turn_ - 1;
  }

 private:
  std::vector<FixedQueue<Item>> queues_;
  /// Those that are not empty, and which of them was looked at last.
  std::vector<FixedQueue<Item>*> busy_;
  std::size_t busy_count_ = 0;
  std::size_t turn_ = 0;
  std::size_t count_ = 0;
};

}  // namespace weft

// Operations that a library has not ended yet: their room is made before the clock starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "contract/transport.hpp"
#include "transports/parts/ended_peers.hpp"

namespace weft {

template <class Own>
struct Operation;

/// Operations of one kind with one peer, in the order of posting. Those that end early wait for
/// the earlier ones, for a count in flight only tells which are done if they are done in order.
template <class Own>
struct OperationQueue {
  Operation<Own>* first = nullptr;
  Operation<Own>* last = nullptr;
  std::uint32_t count = 0;
  int peer = 0;
};

/// One operation in flight. `own` is the transport's; it comes first, so that a library that is
/// given its address gives back the operation's.
template <class Own>
struct Operation {
  Own own = {};
  Operation* next = nullptr;
  OperationQueue<Own>* queue = nullptr;
  std::uint32_t* in_flight = nullptr;
  Buffer buffer = {};
  bool done = false;
};

/// A fixed number of operations.
template <class Own>
class Operations {
 public:
  using Item = Operation<Own>;
  using Queue = OperationQueue<Own>;

  /// Allocates; nothing may be in flight. `prepare` is called with each one's `own` and index.
  template <class Prepare>
  void reserve(std::size_t count, Prepare prepare) {
    items_.assign(count, Item{});
    free_ = nullptr;
    for (std::size_t at = 0; at < count; ++at) {
      prepare(items_[at].own, at);
      items_[at].next = free_;
      free_ = &items_[at];
    }
  }
  [[nodiscard]] std::size_t count() const noexcept { return items_.size(); }

  /// Nothing if all are in flight. The operation is the last of its queue and not done.
  Item* take(Queue& queue, std::uint32_t& in_flight) noexcept {
    Item* item = free_;
    if (item == nullptr) return nullptr;
    free_ = item->next;
    item->next = nullptr;
    item->queue = &queue;
    item->in_flight = &in_flight;
    item->done = false;
    (queue.first == nullptr ? queue.first : queue.last->next) = item;
    queue.last = item;
    ++queue.count;
    ++in_flight;
    return item;
  }

  /// The operation ended: it and those after it that ended before no longer count. With whom is
  /// noted in `ended_peers`.
  void finish(Item* item, EndedPeers& ended_peers) noexcept {
    item->done = true;
    Queue& queue = *item->queue;
    ended_peers.note(queue.peer);
    while (queue.first != nullptr && queue.first->done) {
      Item* ended = queue.first;
      queue.first = ended->next;
      --*ended->in_flight;
      --queue.count;
      ended->next = free_;
      free_ = ended;
    }
  }

 private:
  std::vector<Item> items_;
  Item* free_ = nullptr;
};

}  // namespace weft

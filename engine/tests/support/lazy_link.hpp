// A scripted link that completes lazily, in groups, as verbs does: of short operations only every
// so many-th asks for a completion, which then stands for those before it too.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tests/support/link_around.hpp"
#include "transports/parts/fixed_queue.hpp"

namespace weft::fake {

class LazyLink final : public LinkAround {
 public:
  /// Longer operations always ask for a completion.
  static constexpr std::size_t short_bytes = 128;

  LazyLink(Fabric& fabric, const Bootstrap& boot) : LinkAround(fabric, boot) { reserve(1, {}); }

  /// What no completion was asked for yet stays so from one case to the next.
  void reserve(std::size_t depth, std::span<const int> /*ranks*/) {
    constexpr std::size_t most_in_a_group = 16;
    constexpr std::size_t parts_of_queue = 8;
    const std::size_t part = depth / parts_of_queue;
    most_in_group_ = static_cast<std::uint32_t>(std::clamp<std::size_t>(part, 1, most_in_a_group));
    for (LazyQueue* queue : {&sends_, &transfers_}) {
      // As a queue pair's, the room never shrinks.
      queue->slots = std::max(queue->slots, static_cast<std::uint32_t>(depth + part + 1));
      if (queue->groups.empty()) queue->groups.reserve(queue->slots);
    }
  }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    if (!enter(sends_, buffer.bytes)) return;
    LinkAround::post_send(peer, buffer);
  }
  void put(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    if (!enter(transfers_, local.bytes)) return;
    LinkAround::put(peer, local, remote);
  }
  void get(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    if (!enter(transfers_, short_bytes + 1)) return;
    LinkAround::get(peer, local, remote);
  }
  void flush(Peer peer) noexcept {
    if (!enter(transfers_, short_bytes + 1)) return;
    LinkAround::flush(peer);
  }

  void poll() noexcept {
    LinkAround::poll();
    take(sends_, LinkAround::sends_in_flight());
    take(transfers_, LinkAround::transfers_in_flight());
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return sends_.in_flight; }
  [[nodiscard]] std::uint32_t transfers_in_flight() const noexcept { return transfers_.in_flight; }
  [[nodiscard]] const Fault* fault() const noexcept {
    return fault_.code == 0 ? LinkAround::fault() : &fault_;
  }

 private:
  struct Group {
    std::uint32_t until = 0;
    std::uint32_t operations = 0;
  };
  struct LazyQueue {
    std::uint32_t slots = 0;
    std::uint32_t used = 0;
    std::uint32_t posted = 0;
    std::uint32_t unasked = 0;
    std::uint32_t in_flight = 0;
    FixedQueue<Group> groups = {};
  };

  bool enter(LazyQueue& queue, std::size_t bytes) noexcept {
    if (queue.used == queue.slots) {
      if (fault_.code == 0) fault_ = too_much_posted(ENOBUFS);
      return false;
    }
    ++queue.used;
    ++queue.posted;
    ++queue.unasked;
    if (bytes > short_bytes || queue.unasked >= most_in_group_) {
      queue.groups.push({queue.posted, queue.unasked});
      queue.in_flight += queue.unasked;
      queue.unasked = 0;
    }
    return true;
  }
  /// The wire ended all but so many of a queue's operations: the groups among them are complete.
  static void take(LazyQueue& queue, std::uint32_t on_the_wire) noexcept {
    const std::uint32_t ended = queue.posted - on_the_wire;
    while (!queue.groups.empty() && queue.groups.front().until <= ended) {
      const Group group = queue.groups.front();
      queue.groups.pop();
      queue.used -= group.operations;
      queue.in_flight -= group.operations;
    }
  }

  std::uint32_t most_in_group_ = 1;
  LazyQueue sends_;
  LazyQueue transfers_;
  Fault fault_;
};

}  // namespace weft::fake

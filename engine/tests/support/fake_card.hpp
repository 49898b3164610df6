// What a scripted network card knows of memory: the buffers it sent last, and those registered.
#pragma once

#include <algorithm>
#include <deque>
#include <set>

#include "contract/transport.hpp"
#include "tests/support/fake_wires.hpp"

namespace weft::fake {

class Card {
 public:
  explicit Card(const Costs& costs) : costs_(&costs) {}

  /// What it takes to find a buffer that is to be sent; the card knows it from now on.
  Ticks lookup(const std::byte* data) {
    if (costs_->lookup == 0) return 0;
    const auto found = std::find(known_.begin(), known_.end(), data);
    const bool is_known = found != known_.end();
    if (is_known) known_.erase(found);
    known_.push_back(data);
    if (known_.size() > costs_->known_buffers) known_.pop_front();
    return is_known ? 0 : costs_->lookup;
  }

  /// What registering takes, and deregistering.
  Ticks enter(const Buffer& memory) {
    const bool is_known = costs_->knows_registered && registered_.count(memory.data) > 0;
    registered_.insert(memory.data);
    return is_known ? 0 : costs_->register_buffer + costs_->register_byte * memory.bytes;
  }
  Ticks forget(const Buffer& memory) {
    registered_.erase(registered_.find(memory.data));
    return costs_->deregister_buffer;
  }
  [[nodiscard]] std::size_t registered() const noexcept { return registered_.size(); }

 private:
  const Costs* costs_;
  /// Least recently sent first.
  std::deque<const std::byte*> known_;
  std::multiset<const std::byte*> registered_;
};

}  // namespace weft::fake

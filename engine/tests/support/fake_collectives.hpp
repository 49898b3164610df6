// Operations of all ranks of the fake fabric.
#pragma once

#include <algorithm>
#include <cstring>
#include <mutex>
#include <span>
#include <vector>

#include "contract/transport.hpp"
#include "tests/support/fake_wires.hpp"

namespace weft::fake {

/// The calls of a link that all ranks make together. Such an operation is over for all when the
/// last rank has come to it, its control message has been there and back, and a message of the
/// operation's length has passed the wire; of a broadcast the root is done when it has sent.
class CollectiveCalls {
  /// When an operation is over for this rank, of which a message of so many bytes is waited for.
  struct WhenAllCame {
    const CollectiveCalls* calls;
    std::size_t bytes;
    Ticks operator()(const Fabric::Gathering& all) const {
      const Fabric& fabric = *calls->fabric_;
      if (all.came.size() < static_cast<std::size_t>(fabric.size)) return never;
      const Costs& costs = fabric.costs_of(calls->rank_);
      return last_of(all) + 2 * costs.latency + costs.per_byte * bytes;
    }
  };

 public:
  void sum(std::span<double> numbers) noexcept {
    // A control message: none that is measured.
    add_up(std::as_bytes(numbers), 0, [&](const std::vector<std::byte>& given, bool is_first) {
      for (std::size_t at = 0; at < numbers.size(); ++at) {
        double one = 0;
        std::memcpy(&one, given.data() + at * sizeof one, sizeof one);
        numbers[at] = is_first ? one : numbers[at] + one;
      }
    });
  }
  void allreduce(const Buffer& out, const Buffer& in) noexcept {
    const auto number_at = [](const std::byte* from, std::size_t at) {
      float one = 0;
      std::memcpy(&one, from + at * sizeof one, sizeof one);
      return one;
    };
    add_up({out.data, out.bytes}, out.bytes,
           [&](const std::vector<std::byte>& given, bool is_first) {
             for (std::size_t at = 0; at < in.bytes / sizeof(float); ++at) {
               const float before = is_first ? 0 : number_at(in.data, at);
               const float now = before + number_at(given.data(), at);
               std::memcpy(in.data + at * sizeof now, &now, sizeof now);
             }
           });
  }
  void broadcast(Peer root, const Buffer& buffer) noexcept {
    const bool is_root = rank_ == root.rank;
    const auto end = [this, root, is_root, bytes = buffer.bytes](const Fabric::Gathering& all) {
      const auto came = all.came.find(root.rank);
      if (came == all.came.end()) return never;
      const Costs& costs = fabric_->costs_of(root.rank);
      const Ticks sent = came->second + costs.send_overhead;
      if (is_root) return sent;
      return std::max(sent + costs.latency + costs.per_byte * bytes, all.came.at(rank_));
    };
    meet({buffer.data, is_root ? buffer.bytes : 0}, end, [&](const Fabric::Gathering& all) {
      if (!is_root) copy(buffer.data, all.given.at(root.rank));
    });
  }
  void alltoall(const Buffer& out, const Buffer& in) noexcept {
    const std::size_t part = out.bytes / static_cast<std::size_t>(fabric_->size);
    meet({out.data, out.bytes}, when_all_came(part), [&](const Fabric::Gathering& all) {
      for (const auto& [rank, given] : all.given) {
        std::memcpy(in.data + static_cast<std::size_t>(rank) * part,
                    given.data() + static_cast<std::size_t>(rank_) * part, part);
      }
    });
  }
  void allgather(const Buffer& out, const Buffer& in) noexcept {
    meet({out.data, out.bytes}, when_all_came(out.bytes), [&](const Fabric::Gathering& all) {
      for (const auto& [rank, given] : all.given) {
        copy(in.data + static_cast<std::size_t>(rank) * out.bytes, given);
      }
    });
  }
  void meet() noexcept {
    const auto end = [this](const Fabric::Gathering& all) {
      return all.came.size() < static_cast<std::size_t>(fabric_->size) ? never : last_of(all);
    };
    meet({}, end, [](const Fabric::Gathering& /*all*/) {});
  }
  void barrier() noexcept {
    meet({}, when_all_came(0), [](const Fabric::Gathering& /*all*/) {});
  }

 protected:
  CollectiveCalls(Fabric& fabric, int rank) : fabric_(&fabric), rank_(rank) {}

  Fabric* fabric_;
  int rank_;
  Fault fault_;

 private:
  static void copy(std::byte* to, const std::vector<std::byte>& from) noexcept {
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
  }
  /// When the last rank came.
  static Ticks last_of(const Fabric::Gathering& all) {
    Ticks last = 0;
    for (const auto& [rank, came] : all.came) last = std::max(last, came);
    return last;
  }
  [[nodiscard]] WhenAllCame when_all_came(std::size_t bytes) const { return {this, bytes}; }
  template <class Add>
  void add_up(std::span<const std::byte> mine, std::size_t bytes, const Add& add) noexcept {
    meet(mine, when_all_came(bytes), [&](const Fabric::Gathering& all) {
      bool is_first = true;
      for (const auto& [rank, given] : all.given) {
        add(given, is_first);
        is_first = false;
      }
    });
  }
  /// Gives this rank's bytes, waits until the operation is over for it, and takes what came of it.
  template <class End, class Take>
  void meet(std::span<const std::byte> mine, const End& end, const Take& take) noexcept {
    std::unique_lock hold(fabric_->lock);
    const std::size_t turn = turn_++;
    Fabric::Gathering& all = fabric_->gatherings[turn];
    all.came[rank_] = VirtualClock::time();
    all.given[rank_].assign(mine.begin(), mine.end());
    const auto self = static_cast<std::size_t>(rank_);
    fabric_->next_events[self] = [&] { return end(all); };
    fabric_->throw_if_dead();
    fabric_->changed.notify_all();
    fabric_->changed.wait(hold, [&] { return fabric_->dead || fabric_->may_go(rank_); });
    fabric_->next_events[self] = nullptr;
    if (fabric_->dead) {
      fault_ = {1, "an operation of all ranks"};
      return;
    }
    VirtualClock::time() = end(all);
    take(all);
    if (++all.gone == static_cast<std::size_t>(fabric_->size)) fabric_->gatherings.erase(turn);
  }

  std::size_t turn_ = 0;
};

}  // namespace weft::fake

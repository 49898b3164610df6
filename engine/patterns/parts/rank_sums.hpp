// Sums over all ranks: the transport's own, or one that is made of its messages.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "apps/process_grid.hpp"
#include "contract/sums.hpp"
#include "contract/task.hpp"

namespace weft {

/// The transport's own sum. What is expected and due is the library's business.
template <class T>
class OwnSums {
 public:
  OwnSums(T& link, const Task& /*task*/) noexcept : link_(&link) {}

  void expect(std::uint32_t /*sums*/) noexcept {}
  [[nodiscard]] static constexpr std::uint32_t expected() noexcept { return 0; }
  [[nodiscard]] static constexpr std::uint32_t expected_of_lane(std::size_t /*lane*/) noexcept {
    return 0;
  }
  template <class Wait>
  [[nodiscard]] bool sum(std::span<double> numbers, bool /*is_ahead*/) noexcept {
    link_->sum(numbers);
    return link_->fault() == nullptr;
  }

 private:
  T* link_;
};

/// A sum made of messages beside those of a rank's lanes. Messages of two ranks match in the order
/// of posting, so those of a sum are expected where its turn among the lanes' messages is: each
/// `expect` stands between the same receives as its sums do between the sends. Every rank gets the
/// same bits, for two partners add the same two numbers, and a + b is b + a.
template <class T>
class MessageSums {
 public:
  MessageSums(T& link, const Task& task) noexcept : link_(&link), task_(&task) {
    for (std::size_t at = 0; at < task.partners.size(); ++at) {
      for (std::size_t lane = 0; lane < task.lanes.size(); ++lane) {
        if (task.lanes[lane].peer.rank != task.partners[at].rank) continue;
        ++faces_from_[at];
        is_partners_[lane] = true;
      }
    }
    const auto power = static_cast<int>(std::bit_floor(static_cast<unsigned>(task.size)));
    is_beyond_ = task.rank >= power;
    has_beyond_ = task.rank + power < task.size;
  }

  /// The receives of so many sums more.
  void expect(std::uint32_t sums) noexcept {
    for (; sums > 0; --sums) {
      for (std::size_t at = 0; at < task_->partners.size(); ++at) {
        link_->post_recv(task_->partners[at], in(at, done_ + expected_));
      }
      ++expected_;
    }
  }
  /// Messages that are expected and not taken, of all partners.
  [[nodiscard]] std::uint32_t expected() const noexcept {
    return expected_ * static_cast<std::uint32_t>(task_->partners.size());
  }
  /// The same of the rank that a lane comes from.
  [[nodiscard]] std::uint32_t expected_of_lane(std::size_t lane) const noexcept {
    return is_partners_[lane] ? expected_ : 0;
  }

  /// The next of the sums that were expected replaces this rank's numbers. `is_ahead`: a message of
  /// each lane is expected behind it. False once the link has a fault.
  template <class Wait>
  [[nodiscard]] bool sum(std::span<double> numbers, bool is_ahead) noexcept {
    // The messages of the sum before went out from the same memory.
    if (!Wait::settle(*link_, 0, std::numeric_limits<std::uint32_t>::max())) return false;
    Numbers own{};
    for (std::size_t at = 0; at < numbers.size(); ++at) own[at] = numbers[at];
    --expected_;
    if (!exchange<Wait>(own, is_ahead)) return false;
    ++done_;
    for (std::size_t at = 0; at < numbers.size(); ++at) numbers[at] = own[at];
    return true;
  }

 private:
  using Numbers = std::array<double, summed_numbers>;
  static constexpr std::size_t most_partners = std::numeric_limits<int>::digits + 1;
  static constexpr std::size_t most_lanes = std::size_t{2} * most_dimensions;

  template <class Wait>
  [[nodiscard]] bool exchange(Numbers& own, bool is_ahead) noexcept {
    if (is_beyond_) {
      send(0, own);
      Numbers sums{};
      if (!receive<Wait>(0, is_ahead, sums)) return false;
      own = sums;
      return true;
    }
    if (has_beyond_ && !add_from<Wait>(0, is_ahead, own)) return false;
    for (std::size_t at = has_beyond_ ? 1 : 0; at < task_->partners.size(); ++at) {
      send(at, own);
      if (!add_from<Wait>(at, is_ahead, own)) return false;
    }
    if (has_beyond_) send(0, own);
    return true;
  }

  [[nodiscard]] const Buffer& out(std::size_t partner) const noexcept {
    return task_->sum_messages[messages_of_partner * partner];
  }
  [[nodiscard]] const Buffer& in(std::size_t partner, std::size_t sum) const noexcept {
    return task_->sum_messages[messages_of_partner * partner + 1 + sum % most_sums_ahead];
  }
  void send(std::size_t partner, const Numbers& own) noexcept {
    std::memcpy(out(partner).data, own.data(), sizeof(own));
    link_->post_send(task_->partners[partner], out(partner));
  }
  template <class Wait>
  [[nodiscard]] bool receive(std::size_t partner, bool is_ahead, Numbers& theirs) noexcept {
    const std::uint32_t behind = expected_ + (is_ahead ? faces_from_[partner] : 0);
    while (link_->receives_in_flight(task_->partners[partner]) > behind) {
      Wait::step(*link_);
      if (link_->fault() != nullptr) return false;
    }
    std::memcpy(theirs.data(), in(partner, done_).data, sizeof(theirs));
    return true;
  }
  template <class Wait>
  [[nodiscard]] bool add_from(std::size_t partner, bool is_ahead, Numbers& own) noexcept {
    Numbers theirs{};
    if (!receive<Wait>(partner, is_ahead, theirs)) return false;
    for (std::size_t at = 0; at < own.size(); ++at) own[at] += theirs[at];
    return true;
  }

  T* link_;
  const Task* task_;
  bool is_beyond_ = false;
  bool has_beyond_ = false;
  /// Sums that are over, and that are expected.
  std::size_t done_ = 0;
  std::uint32_t expected_ = 0;
  /// By partner: the lanes that come from it. By lane: whether it comes from a partner.
  std::array<std::uint32_t, most_partners> faces_from_{};
  std::array<bool, most_lanes> is_partners_{};
};

/// The sums of a transport: its own where it has some.
template <class T>
using SumsOf = std::conditional_t<Summing<T>, OwnSums<T>, MessageSums<T>>;

}  // namespace weft

// Requests under way in one direction, by peer in the order of posting.
#pragma once

#include <smpi/smpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "transports/parts/fixed_queue.hpp"

namespace weft {

/// Messages of a pair end in the order of posting, so only the oldest of each peer is asked after.
/// One that has ended and was not taken yet is MPI_REQUEST_NULL.
class Pending {
 public:
  explicit Pending(int peers)
      : queues_(static_cast<std::size_t>(peers)), has_room_(static_cast<std::size_t>(peers)) {
    busy_.reserve(queues_.size());
  }

  /// Room for so many to each peer, made when it is first needed: of a thousand ranks each has a
  /// few peers, and what is allocated meanwhile takes no virtual time.
  void reserve(std::size_t depth) {
    depth_ = depth;
    has_room_.assign(has_room_.size(), false);
  }
  [[nodiscard]] bool full(int peer) const noexcept {
    return has_room_[static_cast<std::size_t>(peer)] && of(peer).full();
  }
  void push(int peer, MPI_Request request) noexcept {
    FixedQueue<MPI_Request>& queue = queues_[static_cast<std::size_t>(peer)];
    if (!has_room_[static_cast<std::size_t>(peer)]) {
      queue.reserve(depth_);
      has_room_[static_cast<std::size_t>(peer)] = true;
    }
    if (queue.empty()) busy_.push_back(peer);
    queue.push(request);
    ++count_;
  }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] std::size_t size(int peer) const noexcept { return of(peer).size(); }

  /// Take whatever has ended by now; whether that was anything.
  template <class Has>
  bool take(const Has& has_ended) noexcept {
    const std::size_t before = count_;
    for (std::size_t at = 0; at < busy_.size();) {
      FixedQueue<MPI_Request>& queue = queues_[static_cast<std::size_t>(busy_[at])];
      while (!queue.empty() && has_ended(queue.front())) {
        queue.pop();
        --count_;
      }
      if (!queue.empty()) {
        ++at;
        continue;
      }
      busy_[at] = busy_.back();
      busy_.pop_back();
    }
    return count_ < before;
  }

  /// The oldest of each peer into `list`, and back from it.
  void list_oldest(std::vector<MPI_Request>& list) noexcept {
    for (const int peer : busy_) list.push_back(oldest(peer));
  }
  void set_oldest(const MPI_Request* from) noexcept {
    for (const int peer : busy_) oldest(peer) = *from++;
  }
  [[nodiscard]] std::size_t peers() const noexcept { return busy_.size(); }

 private:
  [[nodiscard]] const FixedQueue<MPI_Request>& of(int peer) const noexcept {
    return queues_[static_cast<std::size_t>(peer)];
  }
  MPI_Request& oldest(int peer) noexcept { return queues_[static_cast<std::size_t>(peer)].front(); }

  std::vector<FixedQueue<MPI_Request>> queues_;
  std::vector<bool> has_room_;
  std::size_t depth_ = 2;
  /// The peers with something under way.
  std::vector<int> busy_;
  std::size_t count_ = 0;
};

}  // namespace weft

// Requests under way in one direction, by peer in the order of posting.
#pragma once

#include <smpi/smpi.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <unordered_map>
#include <vector>

#include "transports/parts/fixed_queue.hpp"

namespace weft {

/// Messages of a pair end in the order of posting, so only the oldest of each peer is asked after.
/// One that has ended and was not taken yet is MPI_REQUEST_NULL.
class Pending {
 public:
  /// Room for so many to each peer. It is made with a peer's first message: a thousand ranks in one
  /// process have a million pairs, and what a rank does takes no virtual time.
  void reserve(std::size_t depth) {
    depth_ = depth;
    for (FixedQueue<MPI_Request>& queue : queues_) queue.reserve(depth);
  }
  [[nodiscard]] bool full(int peer) const noexcept { return knows(peer) && of(peer).full(); }
  void push(int peer, MPI_Request request) noexcept {
    if (!knows(peer)) add(peer);
    FixedQueue<MPI_Request>& queue = of(peer);
    if (queue.empty()) busy_.push_back(peer);
    queue.push(request);
    ++count_;
  }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] std::size_t size(int peer) const noexcept {
    return knows(peer) ? of(peer).size() : 0;
  }

  /// Take whatever has ended by now; whether that was anything.
  template <class Has>
  bool take(const Has& has_ended) noexcept {
    const std::size_t before = count_;
    for (std::size_t at = 0; at < busy_.size();) {
      FixedQueue<MPI_Request>& queue = of(busy_[at]);
      while (!queue.empty() && has_ended(queue.front())) {
        queue.pop();
        --count_;
        note_ended(busy_[at]);
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

  /// The peer with whom something ended longest ago of those not given since; -1 where there is
  /// none.
  int take_ended() noexcept {
    if (ended_.empty()) return -1;
    const int peer = ended_.front();
    ended_.pop_front();
    is_ended_[place_of(peer)] = false;
    return peer;
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
  [[nodiscard]] std::size_t place_of(int peer) const noexcept { return places_.find(peer)->second; }
  [[nodiscard]] bool knows(int peer) const noexcept { return places_.find(peer) != places_.end(); }
  [[nodiscard]] const FixedQueue<MPI_Request>& of(int peer) const noexcept {
    return queues_[place_of(peer)];
  }
  [[nodiscard]] FixedQueue<MPI_Request>& of(int peer) noexcept { return queues_[place_of(peer)]; }
  MPI_Request& oldest(int peer) noexcept { return of(peer).front(); }
  void note_ended(int peer) {
    const std::size_t place = place_of(peer);
    if (is_ended_[place]) return;
    is_ended_[place] = true;
    ended_.push_back(peer);
  }
  void add(int peer) {
    places_.emplace(peer, queues_.size());
    is_ended_.push_back(false);
    queues_.emplace_back().reserve(depth_);
  }

  /// The place of each peer's queue, of those that had a message: thousands of ranks in one process
  /// have no room for a place of each other one.
  std::unordered_map<int, std::size_t> places_;
  std::vector<FixedQueue<MPI_Request>> queues_;
  std::size_t depth_ = 0;
  /// The peers with something under way, and those with whom something has ended.
  std::vector<int> busy_;
  std::deque<int> ended_;
  std::vector<bool> is_ended_;
  std::size_t count_ = 0;
};

}  // namespace weft

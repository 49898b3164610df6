#include "transports/mpi/persistent.hpp"

#include <algorithm>

namespace weft {

void PersistentRequests::know(std::span<const int> ranks, std::size_t depth) {
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    numbers_[static_cast<std::size_t>(ranks[at])] = static_cast<std::uint32_t>(at);
  }
  last_.clear();
  free_keys_.clear();
  pools_.clear();
  places_.clear();
  unused_pools_ = none;
  unused_ = none;
  // A buffer may be posted as often as there are messages at once, and one that control messages
  // come in by may have each peer in turn.
  const std::size_t peers = std::max<std::size_t>(ranks.size(), 1);
  make_room(4 * peers, 4 * peers * depth);
}

std::uint64_t PersistentRequests::add() {
  // Its own pool, and a request of it; one more where its peers take turns.
  constexpr std::size_t of_buffer = 2;
  make_room(of_buffer, of_buffer);
  if (free_keys_.empty()) {
    last_.push_back(none);
    return last_.size() - 1;
  }
  const std::uint64_t key = free_keys_.back();
  free_keys_.pop_back();
  return key;
}

void PersistentRequests::remove(std::uint64_t key) {
  const std::uint32_t last = last_[key];
  std::uint32_t pool = last;
  while (pool != none) {
    const std::uint32_t next = pools_[pool].next;
    for (std::uint32_t place = pools_[pool].idle; place != none;) {
      Place& idle = places_[place];
      const std::uint32_t behind = idle.next;
      MPI_Request_free(&idle.request);
      idle.next = unused_;
      unused_ = place;
      place = behind;
    }
    pools_[pool] = {0, none, unused_pools_};
    unused_pools_ = pool;
    pool = next == last ? none : next;
  }
  last_[key] = none;
  free_keys_.push_back(key);
}

void PersistentRequests::make_room(std::size_t pools, std::size_t places) {
  for (std::size_t more = 0; more < pools; ++more) {
    pools_.push_back({0, none, unused_pools_});
    unused_pools_ = static_cast<std::uint32_t>(pools_.size() - 1);
  }
  for (std::size_t more = 0; more < places; ++more) {
    places_.push_back({MPI_REQUEST_NULL, unused_});
    unused_ = static_cast<std::uint32_t>(places_.size() - 1);
  }
}

}  // namespace weft

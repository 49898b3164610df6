#include "transports/mpi/persistent.hpp"

#include <algorithm>

namespace weft {

void PersistentRequests::know(std::span<const int> ranks) {
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    places_[static_cast<std::size_t>(ranks[at])] = static_cast<std::uint32_t>(at);
  }
  peers_ = std::max<std::size_t>(ranks.size(), 1);
  pools_.clear();
  free_keys_.clear();
}

std::uint64_t PersistentRequests::add(std::size_t depth) {
  const std::size_t pools = peers_ * 2;
  std::uint64_t key = pools_.size() / pools;
  if (free_keys_.empty()) {
    pools_.resize(pools_.size() + pools);
  } else {
    key = free_keys_.back();
    free_keys_.pop_back();
  }
  for (std::size_t pool = 0; pool < pools; ++pool) pools_[key * pools + pool].reserve(depth);
  return key;
}

void PersistentRequests::remove(std::uint64_t key) {
  const std::size_t pools = peers_ * 2;
  for (std::size_t pool = 0; pool < pools; ++pool) {
    FixedQueue<MPI_Request>& idle = pools_[key * pools + pool];
    while (!idle.empty()) {
      MPI_Request_free(&idle.front());
      idle.pop();
    }
  }
  free_keys_.push_back(key);
}

}  // namespace weft

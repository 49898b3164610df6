// Persistent requests of MPI, kept by buffer and peer.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "transports/mpi/queues.hpp"

namespace weft {

/// Requests that are made once and started again and again. A buffer that is posted several times
/// at once needs as many; each is made when it is first needed, in the warm-up, and kept.
class PersistentRequests {
 public:
  /// A started request and the pool it goes back to.
  struct Started {
    MPI_Request request;
    std::uint32_t pool;
  };

  PersistentRequests(MpiLink& link, int peers)
      : link_(&link), places_(static_cast<std::size_t>(peers)) {}

  /// The ranks of the next case: a buffer has pools for these alone. No buffer is known meanwhile.
  void know(std::span<const int> ranks);

  /// A key for a new buffer, which will be posted at most `depth` times at once.
  std::uint64_t add(std::size_t depth);
  /// Forget a buffer; none of its requests may be started.
  void remove(std::uint64_t key);

  void start_send(Peer peer, const Buffer& buffer, Started& started) noexcept {
    started = start<MPI_Send_init>(pool_of(buffer.key, peer, 0), peer, buffer, "MPI_Send_init");
  }
  void start_recv(Peer peer, const Buffer& buffer, Started& started) noexcept {
    started = start<MPI_Recv_init>(pool_of(buffer.key, peer, 1), peer, buffer, "MPI_Recv_init");
  }
  static MPI_Request& request(Started& started) noexcept { return started.request; }
  void give_back(const Started& done) noexcept { pools_[done.pool].push(done.request); }

 private:
  template <auto init>
  Started start(std::uint32_t pool, Peer peer, const Buffer& buffer, const char* during) noexcept {
    MPI_Request request = take_idle(pool);
    if (request == MPI_REQUEST_NULL) {
      const MpiShape shape = link_->shape(buffer.bytes);
      link_->latch(
          init(buffer.data, shape.count, shape.type, peer.rank, mpi_tag, link_->comm(), &request),
          during);
    }
    link_->latch(MPI_Start(&request), "MPI_Start");
    return {request, pool};
  }
  [[nodiscard]] std::uint32_t pool_of(std::uint64_t key, Peer peer,
                                      std::uint64_t direction) const noexcept {
    const std::uint64_t place = places_[static_cast<std::size_t>(peer.rank)];
    return static_cast<std::uint32_t>((key * peers_ + place) * 2 + direction);
  }
  MPI_Request take_idle(std::uint32_t pool) noexcept {
    FixedQueue<MPI_Request>& idle = pools_[pool];
    if (idle.empty()) return MPI_REQUEST_NULL;
    const MPI_Request request = idle.front();
    idle.pop();
    return request;
  }

  MpiLink* link_;
  /// By rank: which of the ranks of the case it is.
  std::vector<std::uint32_t> places_;
  std::size_t peers_ = 0;
  std::vector<FixedQueue<MPI_Request>> pools_;
  std::vector<std::uint64_t> free_keys_;
};

}  // namespace weft

// Persistent requests of MPI, kept by buffer and peer.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "transports/mpi/queues.hpp"

namespace weft {

/// Requests that are made once and started again and again. A buffer that is posted several times
/// at once needs as many; each is made when it is first needed, in the warm-up, and kept in a pool
/// of its buffer, peer and direction, which is there from the first message of the three on: most
/// buffers are of one peer and direction, whatever many others a case has.
class PersistentRequests {
 public:
  /// A started request, the pool that it goes back to, and its place in it. One without a place was
  /// made for this message alone, as there was no room to keep it.
  struct Started {
    MPI_Request request;
    std::uint32_t pool;
    std::uint32_t place;
  };

  PersistentRequests(MpiLink& link, int peers)
      : link_(&link), numbers_(static_cast<std::size_t>(peers)) {}

  /// The ranks of the next case, each with so many messages each way at once. No buffer is known
  /// meanwhile.
  void know(std::span<const int> ranks, std::size_t depth);

  /// A key for a new buffer.
  std::uint64_t add();
  /// Forget a buffer; none of its requests may be started.
  void remove(std::uint64_t key);

  void start_send(Peer peer, const Buffer& buffer, Started& started) noexcept {
    started = start<MPI_Send_init>(0, peer, buffer, "MPI_Send_init");
  }
  void start_recv(Peer peer, const Buffer& buffer, Started& started) noexcept {
    started = start<MPI_Recv_init>(1, peer, buffer, "MPI_Recv_init");
  }
  static MPI_Request& request(Started& started) noexcept { return started.request; }
  void give_back(Started& done) noexcept {
    if (done.place == none) {
      MPI_Request_free(&done.request);
      return;
    }
    places_[done.place].next = pools_[done.pool].idle;
    pools_[done.pool].idle = done.place;
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// Of one peer and direction; those of a buffer are a ring, in the order of their first messages.
  struct Pool {
    std::uint32_t of = 0;
    std::uint32_t idle = none;
    std::uint32_t next = none;
  };
  struct Place {
    MPI_Request request = MPI_REQUEST_NULL;
    std::uint32_t next = none;
  };

  template <auto init>
  Started start(std::uint32_t direction, Peer peer, const Buffer& buffer,
                const char* during) noexcept {
    const std::uint32_t of = 2 * numbers_[static_cast<std::size_t>(peer.rank)] + direction;
    const std::uint32_t pool = pool_of(buffer.key, of);
    std::uint32_t place = pool == none ? none : pools_[pool].idle;
    if (place != none) {
      pools_[pool].idle = places_[place].next;
      link_->latch(MPI_Start(&places_[place].request), "MPI_Start");
      return {places_[place].request, pool, place};
    }
    MPI_Request request = MPI_REQUEST_NULL;
    const MpiShape shape = link_->shape(buffer.bytes);
    link_->latch(
        init(buffer.data, shape.count, shape.type, peer.rank, mpi_tag, link_->comm(), &request),
        during);
    if (pool != none && unused_ != none) {
      place = unused_;
      unused_ = places_[place].next;
      places_[place].request = request;
    }
    link_->latch(MPI_Start(&request), "MPI_Start");
    return {request, pool, place};
  }
  /// The last one's, or the one behind it where peers take turns; a new one for a new peer. `none`
  /// where there is no room for it.
  std::uint32_t pool_of(std::uint64_t key, std::uint32_t of) noexcept {
    std::uint32_t& last = last_[key];
    if (last != none) {
      std::uint32_t pool = last;
      do {
        if (pools_[pool].of == of) return last = pool;
        pool = pools_[pool].next;
      } while (pool != last);
    }
    if (unused_pools_ == none) return none;
    const std::uint32_t pool = unused_pools_;
    unused_pools_ = pools_[pool].next;
    pools_[pool] = {of, none, last == none ? pool : pools_[last].next};
    if (last != none) pools_[last].next = pool;
    return last = pool;
  }
  void make_room(std::size_t pools, std::size_t places);

  MpiLink* link_;
  /// By rank: which of the ranks of the case it is.
  std::vector<std::uint32_t> numbers_;
  /// By key: the pool that was used last.
  std::vector<std::uint32_t> last_;
  std::vector<std::uint64_t> free_keys_;
  std::vector<Pool> pools_;
  std::vector<Place> places_;
  /// The first of those that belong to nobody, each of which has the next.
  std::uint32_t unused_pools_ = none;
  std::uint32_t unused_ = none;
};

}  // namespace weft

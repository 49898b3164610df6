// What the modes of the MPI transport share: communicator, counts beyond 2 GiB, exposed memory.
#pragma once

#include <mpi.h>

#include <array>
#include <climits>
#include <cstdint>
#include <span>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "bootstrap/mpi.hpp"
#include "contract/details.hpp"
#include "contract/options.hpp"
#include "contract/transport.hpp"
#include "transports/parts/fixed_queue.hpp"
#include "transports/parts/known_peers.hpp"
#include "transports/parts/mpi_collectives.hpp"
#include "transports/parts/registration_cache.hpp"

namespace weft {

/// Count and datatype of a message: bytes, or one element of a datatype of all its bytes where an
/// int does not reach.
struct MpiShape {
  int count;
  MPI_Datatype type;
};

inline constexpr std::array mpi_settings{
    Setting{"interface", "network interface of MPI's TCP; default: the site's and the library's"},
    Setting{"thread_level",
            "thread level requested from MPI; default: single, or funneled with --threads over 1",
            0, 0, thread_level_names},
    registration_cache_setting};

/// MPI_Init is called for the lowest level, else MPI_Init_thread.
inline ThreadLevel thread_level_in(const LinkOptions& options) {
  return thread_level_called(options.text("thread_level", name_of(ThreadLevel::single)));
}

/// The parts that are the same however the messages are posted.
class MpiLink {
 public:
  /// Connects with the first neighbours: MPI may wait for the first message with a rank.
  MpiLink(const LinkOptions& options, Bootstrap& boot);
  MpiLink(const MpiLink&) = delete;
  MpiLink& operator=(const MpiLink&) = delete;
  MpiLink(MpiLink&&) = delete;
  MpiLink& operator=(MpiLink&&) = delete;
  ~MpiLink();

  /// Before messages of a size go: the datatype of one beyond 2 GiB is made once.
  void know_shape(std::size_t bytes);
  /// Connects with those of the ranks of a case that it is not connected with. Throws CannotConnect
  /// where one of them does not come within the ranks' patience.
  void meet(std::span<const int> ranks);
  /// A window of memory that MPI allocates, of this rank and those that it met last: all of them
  /// meet in both calls, and are the first ranks of all, so that each has its number.
  [[nodiscard]] Opened expose(std::size_t bytes);
  void withdraw();

  [[nodiscard]] MpiShape shape(std::size_t bytes) const noexcept {
    if (bytes <= INT_MAX) [[likely]]
      return {static_cast<int>(bytes), MPI_BYTE};
    return {1, large_};
  }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }

  /// Allocates; no transfer may be in flight.
  void reserve_transfers(std::size_t count) { transfers_.reserve(count); }
  // Each has a request of its own, or nothing would tell that one of many ended.
  void put(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    begin<MPI_Rput>(peer, local, remote, "MPI_Rput");
  }
  void get(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    begin<MPI_Rget>(peer, local, remote, "MPI_Rget");
  }
  // Calls that wait themselves, as those of every other test of latency: no request is made.
  void put_and_flush(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    transfer<MPI_Put>(peer, local, remote, "MPI_Put");
  }
  void get_and_flush(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    transfer<MPI_Get>(peer, local, remote, "MPI_Get");
  }
  /// MPI knows no flush that returns before it is done. It is called by the poll whose turn it is,
  /// so that a rank may do other things before it.
  void flush(Peer peer) noexcept {
    if (transfers_.full()) return refuse();
    transfers_.push({MPI_REQUEST_NULL, peer.rank});
  }
  /// The oldest transfer if it ended, or the flush whose turn it is.
  void poll_transfers() noexcept {
    if (transfers_.empty()) return;
    Transfer& oldest = transfers_.front();
    int done = 1;
    if (oldest.flushes == no_rank) {
      latch(MPI_Test(&oldest.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    } else {
      latch(MPI_Win_flush(oldest.flushes, window_), "MPI_Win_flush");
    }
    if (done != 0) transfers_.pop();
  }
  [[nodiscard]] std::uint32_t transfers_in_flight() const noexcept {
    return static_cast<std::uint32_t>(transfers_.size());
  }

  // Operations of all ranks.
  void allreduce(const Buffer& out, const Buffer& in) noexcept {
    latch(mpi_collectives::allreduce(out, in, comm_), "MPI_Allreduce");
  }
  void broadcast(Peer root, const Buffer& buffer) noexcept {
    latch(mpi_collectives::broadcast(root, buffer, comm_), "MPI_Bcast");
  }
  void alltoall(const Buffer& out, const Buffer& in) noexcept {
    latch(mpi_collectives::alltoall(out, in, size_, comm_), "MPI_Alltoall");
  }
  void allgather(const Buffer& out, const Buffer& in) noexcept {
    latch(mpi_collectives::allgather(out, in, comm_), "MPI_Allgather");
  }
  void barrier() noexcept { latch(MPI_Barrier(comm_), "MPI_Barrier"); }

  // What keeps a fault is no part of the loops: only the test for one is.
  [[gnu::cold]] void refuse() noexcept;
  void latch(int code, const char* during) noexcept {
    if (code != MPI_SUCCESS) [[unlikely]]
      keep(code, during);
  }
  [[nodiscard]] const Fault* fault() const noexcept { return fault_.code == 0 ? nullptr : &fault_; }

  [[nodiscard]] Details details() const;

  static void before_start(const LinkOptions& options);

 private:
  static constexpr int no_rank = -1;
  /// A put or a get, or a flush of what was put to a rank before.
  struct Transfer {
    MPI_Request request = MPI_REQUEST_NULL;
    int flushes = no_rank;
  };

  template <auto call>
  void begin(Peer peer, const Buffer& local, const RemoteBuffer& remote,
             const char* during) noexcept {
    if (transfers_.full()) return refuse();
    const MpiShape shape = this->shape(local.bytes);
    Transfer begun;
    latch(
        call(local.data, shape.count, shape.type, peer.rank, static_cast<MPI_Aint>(remote.address),
             shape.count, shape.type, window_, &begun.request),
        during);
    transfers_.push(begun);
  }
  template <auto call>
  void transfer(Peer peer, const Buffer& local, const RemoteBuffer& remote,
                const char* during) noexcept {
    const MpiShape shape = this->shape(local.bytes);
    latch(call(local.data, shape.count, shape.type, peer.rank,
               static_cast<MPI_Aint>(remote.address), shape.count, shape.type, window_),
          during);
    latch(MPI_Win_flush(peer.rank, window_), "MPI_Win_flush");
  }
  [[gnu::cold]] void keep(int code, const char* during) noexcept;
  /// MPI's handler of errors: the link of the communicator hears the error, and the call returns.
  static void hear_error(MPI_Comm* comm, int* code, ...);
  void hear_errors();

  /// The communicator of a window.
  [[nodiscard]] MPI_Comm comm_of_case() const;

  Bootstrap* boot_;
  ThreadLevel requested_;
  KnownPeers known_;
  std::vector<int> ranks_of_case_;
  std::int64_t connecting_ns_;
  /// Of every host, where they differ; empty where MPI has no TCP connection.
  std::string interfaces_;
  int size_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  MPI_Datatype large_ = MPI_DATATYPE_NULL;
  std::size_t large_bytes_ = 0;
  FixedQueue<Transfer> transfers_;
  Fault fault_;
  /// What the handler heard last: of several requests the call itself tells only that one failed.
  int heard_ = MPI_SUCCESS;
  /// The library's words for it.
  std::array<char, MPI_MAX_ERROR_STRING> said_{};
};

}  // namespace weft

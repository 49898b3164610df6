// What the modes of the MPI transport share: communicator, counts beyond 2 GiB, exposed memory.
#pragma once

#include <mpi.h>

#include <array>
#include <climits>
#include <cstdint>
#include <vector>

#include "bootstrap.hpp"
#include "case.hpp"
#include "options.hpp"
#include "registration_cache.hpp"
#include "ring.hpp"
#include "transport.hpp"

namespace weft {

/// Count and datatype of a message: bytes, or one element of a datatype of all its bytes where an
/// int does not reach.
struct MpiShape {
  int count;
  MPI_Datatype type;
};

inline constexpr std::array mpi_settings{registration_cache_setting};

/// The parts that are the same however the messages are posted.
class MpiLink {
 public:
  /// Connects with every rank: MPI may wait for the first message with it.
  explicit MpiLink(Bootstrap& boot);
  MpiLink(const MpiLink&) = delete;
  MpiLink& operator=(const MpiLink&) = delete;
  MpiLink(MpiLink&&) = delete;
  MpiLink& operator=(MpiLink&&) = delete;
  ~MpiLink();

  /// Before messages of a size go: the datatype of one beyond 2 GiB is made once.
  void know_shape(std::size_t bytes);
  [[nodiscard]] Exposed allocate_exposed(std::size_t bytes);
  void release_exposed(const Exposed& exposed);

  [[nodiscard]] MpiShape shape(std::size_t bytes) const noexcept {
    if (bytes <= INT_MAX) [[likely]]
      return {static_cast<int>(bytes), MPI_BYTE};
    return {1, large_};
  }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }

  void put(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    const MpiShape shape = this->shape(local.bytes);
    latch(MPI_Put(local.data, shape.count, shape.type, peer.rank,
                  static_cast<MPI_Aint>(remote.address), shape.count, shape.type, window_),
          "MPI_Put");
    ++transfers_;
  }
  void get(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    const MpiShape shape = this->shape(local.bytes);
    latch(MPI_Get(local.data, shape.count, shape.type, peer.rank,
                  static_cast<MPI_Aint>(remote.address), shape.count, shape.type, window_),
          "MPI_Get");
    ++transfers_;
  }
  /// MPI knows no flush that returns before it is done but one for each request.
  void flush(Peer peer) noexcept {
    latch(MPI_Win_flush(peer.rank, window_), "MPI_Win_flush");
    transfers_ = 0;
  }
  /// Puts and gets have no completion of their own; this one is that of all.
  void complete_transfers() noexcept {
    if (transfers_ == 0) return;
    latch(MPI_Win_flush_local_all(window_), "MPI_Win_flush_local_all");
    transfers_ = 0;
  }
  [[nodiscard]] std::uint32_t transfers_in_flight() const noexcept { return transfers_; }

  void latch(int code, const char* during) noexcept {
    if (code == MPI_SUCCESS || fault_.code != 0) return;
    int length = 0;
    MPI_Error_string(code, said_.data(), &length);
    fault_ = {code, during, said_.data()};
  }
  void latch(const Fault& fault) noexcept {
    if (fault_.code == 0) fault_ = fault;
  }
  [[nodiscard]] const Fault* fault() const noexcept { return fault_.code == 0 ? nullptr : &fault_; }

  [[nodiscard]] Details details() const;

  static void before_start(const LinkOptions& options);

 private:
  void meet_all(int rank) const;

  std::int64_t connecting_ns_;
  int size_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  MPI_Datatype large_ = MPI_DATATYPE_NULL;
  std::size_t large_bytes_ = 0;
  std::uint32_t transfers_ = 0;
  Fault fault_;
  /// The library's words for it.
  std::array<char, MPI_MAX_ERROR_STRING> said_{};
};

}  // namespace weft

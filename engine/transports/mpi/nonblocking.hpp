// MPI over whatever the library chooses, by calls that begin a message or a transfer.
#pragma once

#include <string>
#include <string_view>

#include "transports/mpi/queues.hpp"

namespace weft {

/// MPI_Send and MPI_Recv for a ping-pong, else MPI_Isend and MPI_Irecv; MPI_Rput and MPI_Rget.
class Mpi final : public MpiQueues<FreshRequests> {
 public:
  static constexpr std::string_view name = "mpi";
  static constexpr bool measures_mpi = true;
  static constexpr std::string_view summary =
      "MPI_Send and MPI_Recv for a ping-pong, else MPI_Isend, MPI_Irecv and MPI_Waitall; MPI_Rput "
      "and MPI_Rget";
  static constexpr std::string_view mode = "nonblocking";
  static constexpr auto settings = mpi_settings;

  Mpi(const LinkOptions& options, Bootstrap& boot) : MpiQueues(options, boot) {}

  [[nodiscard]] Buffer adopt(const Buffer& memory) {
    library().know_shape(memory.bytes);
    return memory;
  }
  void disown(const Buffer& /*buffer*/) const {}
  /// A window of memory that MPI allocated may be reached where one of other memory is not.
  static constexpr bool opens_own_memory = true;
  static constexpr bool shares_opened_memory = true;
  [[nodiscard]] Opened expose(const Buffer& memory) { return library().expose(memory.bytes); }
  void withdraw(const Buffer& /*local*/) { library().withdraw(); }
  /// By the rank and the place in its window.
  [[nodiscard]] static RemoteBuffer reach(int /*rank*/, std::size_t bytes,
                                          const std::string& /*name*/) {
    return {0, bytes, 0};
  }
  [[nodiscard]] static std::string memory_polling_hazard() {
    return "MPI does not promise that the last byte of a put becomes visible last";
  }

  void put(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    library().put(peer, local, remote);
  }
  void get(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    library().get(peer, local, remote);
  }
  void flush(Peer peer) noexcept { library().flush(peer); }
  void put_and_flush(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    library().put_and_flush(peer, local, remote);
  }
  void get_and_flush(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    library().get_and_flush(peer, local, remote);
  }
  void allreduce(const Buffer& out, const Buffer& in) noexcept { library().allreduce(out, in); }
  void broadcast(Peer root, const Buffer& buffer) noexcept { library().broadcast(root, buffer); }
  void alltoall(const Buffer& out, const Buffer& in) noexcept { library().alltoall(out, in); }
  void allgather(const Buffer& out, const Buffer& in) noexcept { library().allgather(out, in); }
  void barrier() noexcept { library().barrier(); }
  void meet() noexcept { library().barrier(); }
  void poll() noexcept {
    MpiQueues::poll();
    library().poll_transfers();
  }
  [[nodiscard]] std::uint32_t transfers_in_flight() const noexcept {
    return library().transfers_in_flight();
  }
};

}  // namespace weft

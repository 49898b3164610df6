// MPI over whatever the library chooses: nonblocking calls, or persistent requests.
#include <mpi.h>

#include <string_view>

#include "../mpi_persistent.hpp"
#include "../mpi_queues.hpp"
#include "../rank.hpp"

namespace weft {

/// MPI_Send and MPI_Recv for a ping-pong, else MPI_Isend and MPI_Irecv; MPI_Put and MPI_Get.
class Mpi final : public MpiQueues<FreshRequests> {
 public:
  static constexpr std::string_view name = "mpi";
  static constexpr std::string_view summary =
      "MPI_Send and MPI_Recv for a ping-pong, else MPI_Isend, MPI_Irecv and MPI_Wait; MPI_Put and "
      "MPI_Get";
  static constexpr std::string_view mode = "nonblocking";
  static constexpr auto settings = mpi_settings;

  Mpi(const LinkOptions& /*options*/, Bootstrap& boot) : MpiQueues(boot) {}

  [[nodiscard]] Buffer adopt(const Buffer& memory) {
    library().know_shape(memory.bytes);
    return memory;
  }
  void disown(const Buffer& /*buffer*/) const {}
  [[nodiscard]] Exposed allocate_exposed(std::size_t bytes) {
    return library().allocate_exposed(bytes);
  }
  void release_exposed(const Exposed& exposed) { library().release_exposed(exposed); }
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
  void poll() noexcept {
    MpiQueues::poll();
    library().complete_transfers();
  }
  [[nodiscard]] std::uint32_t transfers_in_flight() const noexcept {
    return library().transfers_in_flight();
  }
};

/// MPI_Send_init and MPI_Recv_init once, MPI_Start for every message.
class PersistentMpi final : public MpiQueues<PersistentRequests> {
 public:
  static constexpr std::string_view name = "mpi";
  static constexpr std::string_view summary =
      "persistent requests: MPI_Send_init and MPI_Recv_init once, MPI_Start for every message";
  static constexpr std::string_view mode = "persistent";
  static constexpr auto settings = mpi_settings;

  PersistentMpi(const LinkOptions& /*options*/, Bootstrap& boot) : MpiQueues(boot) {}

  [[nodiscard]] Buffer adopt(const Buffer& memory) {
    library().know_shape(memory.bytes);
    return {memory.data, memory.bytes, requests().add(depth_)};
  }
  void disown(const Buffer& buffer) { requests().remove(buffer.key); }
  void reserve(std::size_t depth, std::size_t peers) {
    depth_ = depth;
    MpiQueues::reserve(depth, peers);
  }

 private:
  std::size_t depth_ = 2;
};

}  // namespace weft

int main(int argc, char** argv) {
  return weft::rank_main<weft::Mpi, weft::PersistentMpi>(argc, argv);
}

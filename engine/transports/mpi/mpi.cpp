// MPI over whatever the library chooses: nonblocking calls, or persistent requests.
#include <mpi.h>

#include <span>
#include <string_view>

#include "program/rank.hpp"
#include "transports/mpi/nonblocking.hpp"
#include "transports/mpi/persistent.hpp"

namespace weft {

/// MPI_Send_init and MPI_Recv_init once, MPI_Start for every message.
class PersistentMpi final : public MpiQueues<PersistentRequests> {
 public:
  static constexpr std::string_view name = "mpi";
  static constexpr bool measures_mpi = true;
  static constexpr std::string_view summary =
      "persistent requests: MPI_Send_init and MPI_Recv_init once, MPI_Start for every message";
  static constexpr std::string_view mode = "persistent";
  static constexpr auto settings = mpi_settings;

  PersistentMpi(const LinkOptions& options, Bootstrap& boot) : MpiQueues(options, boot) {}

  [[nodiscard]] Buffer adopt(const Buffer& memory) {
    library().know_shape(memory.bytes);
    return {memory.data, memory.bytes, requests().add()};
  }
  void disown(const Buffer& buffer) { requests().remove(buffer.key); }
  void reserve(std::size_t depth, std::span<const int> ranks) {
    MpiQueues::reserve(depth, ranks);
    requests().know(ranks, depth);
  }
};

}  // namespace weft

int main(int argc, char** argv) {
  return weft::rank_main<weft::Mpi, weft::PersistentMpi>(argc, argv);
}

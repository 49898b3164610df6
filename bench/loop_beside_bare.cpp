// The engine's ping-pong over MPI and a bare one of MPI_Send and MPI_Recv, turn about in one
// process: what the machine does to one it does to the other. An argument: how many turns.
#include <mpi.h>

#include <array>
#include <vector>

#include "host/memory.hpp"
#include "pair_turns.hpp"
#include "two_sided_mpi.hpp"

namespace {

using weft::Buffer;
using weft::CycleCounter;

weft::Ticks bare(int rank, std::byte* out, std::byte* in) {
  const weft::Ticks start = CycleCounter::now();
  for (std::uint32_t trip = 0; trip < pair_trips; ++trip) {
    if (rank == 0) MPI_Send(out, pair_message_bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(in, pair_message_bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(out, pair_message_bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
  return CycleCounter::now() - start;
}

}  // namespace

int main(int argc, char** argv) {
  weft::MpiBootstrap boot(&argc, &argv, weft::MpiUse::measured);
  Link link(boot);
  const int rank = boot.rank();
  std::vector<int> peers;
  if (rank < 2) peers.push_back(1 - rank);
  link.reserve(8, peers);
  std::vector<Buffer> out{weft::map_memory(pair_message_bytes)};
  std::vector<Buffer> in{weft::map_memory(pair_message_bytes)};
  take_pair_turns(
      boot, argc, argv, [&] { return engine_turn(link, rank, out, in); },
      [&] { return bare(rank, out[0].data, in[0].data); });
  weft::unmap_memory(out[0]);
  weft::unmap_memory(in[0]);
  return 0;
}

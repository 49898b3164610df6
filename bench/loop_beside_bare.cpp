// The engine's ping-pong over MPI and a bare one of MPI_Send and MPI_Recv, turn about in one
// process: what the machine does to one it does to the other. An argument: how many turns.
#include <mpi.h>

#include <cstddef>

#include "pair_turns.hpp"
#include "two_sided_mpi.hpp"

namespace {

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
  weft::MpiBootstrap boot(&argc, &argv, weft::MpiUse::measured, weft::ThreadLevel::single);
  Link link(weft::LinkOptions{}, boot);
  take_pair_turns_over(link, boot, argc, argv, bare);
  return 0;
}

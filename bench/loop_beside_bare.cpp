// The engine's ping-pong over MPI and a bare one of MPI_Send and MPI_Recv, turn about in one
// process: what the machine does to one it does to the other. Prints for each turn the time of a
// round trip in ns, the engine's and the bare one's.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "bootstrap/mpi.hpp"
#include "contract/task.hpp"
#include "host/clock.hpp"
#include "host/memory.hpp"
#include "patterns/ping_pong.hpp"
#include "two_sided_mpi.hpp"

namespace {

using weft::Buffer;
using weft::CycleCounter;
using weft::Ticks;

constexpr std::uint32_t trips = 2000;
constexpr int usual_turns = 200;
constexpr std::size_t message_bytes = 8;

Ticks engine(Link& link, int rank, std::vector<Buffer>& out, std::vector<Buffer>& in) {
  Ticks sample = 0;
  weft::Task task;
  task.rank = rank;
  task.size = 2;
  task.ops_per_sample = trips;
  task.out = weft::Rotation<Buffer>(out);
  task.in = weft::Rotation<Buffer>(in);
  task.samples = {&sample, 1};
  weft::measured_loop<weft::PingPong, CycleCounter, weft::UsualWait<Link>>(link, task);
  return sample;
}

Ticks bare(int rank, std::byte* out, std::byte* in) {
  const Ticks start = CycleCounter::now();
  for (std::uint32_t trip = 0; trip < trips; ++trip) {
    if (rank == 0) MPI_Send(out, message_bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(in, message_bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(out, message_bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
  return CycleCounter::now() - start;
}

}  // namespace

int main(int argc, char** argv) {
  weft::MpiBootstrap boot(&argc, &argv, weft::MpiUse::measured);
  Link link(boot);
  link.reserve(8, std::array{1 - boot.rank()});
  std::vector<Buffer> out{weft::map_memory(message_bytes)};
  std::vector<Buffer> in{weft::map_memory(message_bytes)};
  const double tick_ns = weft::calibrate(weft::read_both_clocks(), 20'000'000).tick_ns;
  // Reported at the end: who writes meanwhile has other things in its caches in the turn that
  // follows.
  const int turns = argc > 1 ? std::atoi(argv[1]) : usual_turns;
  std::vector<std::pair<double, double>> reported;
  reported.reserve(turns);
  for (int turn = 0; turn < turns; ++turn) {
    boot.barrier();
    const Ticks first = engine(link, boot.rank(), out, in);
    boot.barrier();
    const Ticks second = bare(boot.rank(), out[0].data, in[0].data);
    boot.barrier();
    const Ticks third = bare(boot.rank(), out[0].data, in[0].data);
    boot.barrier();
    const Ticks fourth = engine(link, boot.rank(), out, in);
    reported.emplace_back(tick_ns * static_cast<double>(first + fourth) / (2 * trips),
                          tick_ns * static_cast<double>(second + third) / (2 * trips));
  }
  if (boot.rank() == 0) {
    for (const auto& [engines, bares] : reported) std::printf("%.3f %.3f\n", engines, bares);
  }
  weft::unmap_memory(out[0]);
  weft::unmap_memory(in[0]);
  return 0;
}

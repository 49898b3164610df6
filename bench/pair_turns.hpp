// Two loops of a ping-pong that take turns in one process, the engine's and a bare one, while the
// other ranks of the launch sleep.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "bootstrap/mpi.hpp"
#include "contract/task.hpp"
#include "host/clock.hpp"
#include "host/memory.hpp"
#include "patterns/ping_pong.hpp"

inline constexpr std::uint32_t pair_trips = 2000;
inline constexpr std::size_t pair_message_bytes = 8;

/// One turn of the engine's loop over a link.
template <class Link>
weft::Ticks engine_turn(Link& link, int rank, std::vector<weft::Buffer>& out,
                        std::vector<weft::Buffer>& in) {
  weft::Ticks sample = 0;
  weft::Task task;
  task.rank = rank;
  task.size = 2;
  task.ops_per_sample = pair_trips;
  task.out = weft::Rotation<weft::Buffer>(out);
  task.in = weft::Rotation<weft::Buffer>(in);
  task.samples = {&sample, 1};
  weft::measured_loop<weft::PingPong, weft::CycleCounter, weft::UsualWait<Link>>(link, task);
  return sample;
}

/// Prints for each turn the time of a round trip in ns, of the engine's loop and of the bare one;
/// ranks beyond the first two sleep until it is over. Collective.
template <class Engine, class Bare>
void take_pair_turns(weft::MpiBootstrap& boot, int argc, char** argv, const Engine& engine,
                     const Bare& bare) {
  if (boot.rank() > 1) return boot.barrier_asleep(true);
  constexpr int usual_turns = 200;
  const int turns = argc > 1 ? std::atoi(argv[1]) : usual_turns;
  const double tick_ns = weft::calibrate(weft::read_both_clocks(), 20'000'000).tick_ns;
  const auto once = [&](const auto& loop) {
    const int peer = 1 - boot.rank();
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, peer, 1, nullptr, 0, MPI_BYTE, peer, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return tick_ns * static_cast<double>(loop()) / (2 * pair_trips);
  };
  // Reported at the end: who writes meanwhile has other things in its caches in the turn that
  // follows.
  std::vector<std::pair<double, double>> reported;
  reported.reserve(static_cast<std::size_t>(turns));
  for (int turn = 0; turn < turns; ++turn) {
    const double first = once(engine);
    const double second = once(bare);
    const double third = once(bare);
    const double fourth = once(engine);
    reported.emplace_back(first + fourth, second + third);
  }
  boot.barrier_asleep(false);
  if (boot.rank() > 0) return;
  for (const auto& [engines, bares] : reported) std::printf("%.3f %.3f\n", engines, bares);
}

/// All of such a program: the engine's loop over the link and `bare(rank, out, in)`, which have the
/// same two buffers. Collective.
template <class Link, class Bare>
void take_pair_turns_over(Link& link, weft::MpiBootstrap& boot, int argc, char** argv,
                          const Bare& bare) {
  const int rank = boot.rank();
  std::vector<int> peers;
  if (rank < 2) peers.push_back(1 - rank);
  link.reserve(8, peers);
  std::vector<weft::Buffer> out{weft::map_memory(pair_message_bytes)};
  std::vector<weft::Buffer> in{weft::map_memory(pair_message_bytes)};
  take_pair_turns(
      boot, argc, argv, [&] { return engine_turn(link, rank, out, in); },
      [&] { return bare(rank, out[0].data, in[0].data); });
  weft::unmap_memory(out[0]);
  weft::unmap_memory(in[0]);
}

// Ranks hand the samples of a batch over to rank 0, as after a case; nothing is measured before it.
// Arguments: how many samples a series has, and how often they are handed over. Rank 0 prints what
// each time took in s, what each bare MPI_Gather of as many bytes took beside it, its peak of
// resident memory in bytes before the first of these, and the last line of the protocol.
#include <mpi.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/mpi.hpp"
#include "host/clock.hpp"
#include "run/batch_line.hpp"
#include "run/gather.hpp"
#include "run/report.hpp"

namespace {

// Those of a solver on a lattice, which has the most: five parts beside the times.
constexpr std::array parts{"pack", "local", "wait", "remote", "sum"};
constexpr std::uint32_t warmup = 10;
constexpr long of_host = 80;
constexpr double per_second = 1e9;

std::vector<weft::Ticks> drawn(std::mt19937_64& random, std::size_t samples) {
  // An iteration of some ms on a counter of some GHz: what a digit costs is part of the line.
  std::lognormal_distribution<double> times(16, 0.1);
  std::vector<weft::Ticks> ticks(samples + warmup);
  for (weft::Ticks& value : ticks) value = static_cast<weft::Ticks>(times(random));
  return ticks;
}

weft::Report report_of(int rank, std::size_t samples) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank));
  weft::Report report;
  report.tick_ns = 1;
  for (const char* name : parts) report.parts.push_back({name, drawn(random, samples)});
  report.parts.push_back({"", {}});
  if (rank > 0) report.parts.back().ticks = drawn(random, samples);
  return report;
}

/// Rank 0's side; the line.
std::string gather(weft::Bootstrap& boot, const weft::Report& own, std::size_t samples) {
  std::mt19937_64 random;
  weft::Batch batch;
  batch.warmup = warmup;
  batch.ticks = drawn(random, samples);
  std::string line;
  weft::BatchLine answer([&](std::string_view text) { line += text; });
  weft::Gathering others(boot, own, batch);
  answer.begin(batch);
  others.parts(answer);
  answer.end(batch);
  return line;
}

/// As many bytes of each rank, in pieces of which rank 0 holds as many at a time, by the library
/// alone.
void gather_bare(const weft::Bootstrap& boot, std::size_t samples) {
  const auto ranks = static_cast<std::size_t>(boot.size());
  const std::size_t all = samples * (parts.size() + 1) * sizeof(weft::Ticks);
  const std::size_t most = std::max<std::size_t>(weft::window_bytes / ranks, 1);
  const std::vector<std::byte> mine(most);
  std::vector<std::byte> others(boot.rank() == 0 ? most * ranks : 0);
  for (std::size_t done = 0; done < all; done += most) {
    const auto bytes = static_cast<int>(std::min(most, all - done));
    MPI_Gather(mine.data(), bytes, MPI_BYTE, others.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
}

void print_since(std::int64_t start_ns) {
  std::printf("%g\n", static_cast<double>(weft::monotonic_raw_ns() - start_ns) / per_second);
}

}  // namespace

int main(int argc, char** argv) {
  weft::MpiBootstrap boot(&argc, &argv, weft::MpiUse::meeting);
  // Less seldom than ranks that are all on one host look for each other.
  boot.share_host(of_host);
  const auto samples = static_cast<std::size_t>(argc > 1 ? std::atol(argv[1]) : 1000);
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  std::string line;
  // Where each rank runs, as at the start of a launch, and what all do before a case: rank 0 is
  // connected with all from then on, and they with those by whom they hear of it.
  (void)weft::gather_texts(boot, "a rank");
  (void)boot.broadcast("a case");
  boot.barrier_asleep(boot.rank() > 0);
  for (int round = 0; round < rounds; ++round) {
    weft::Report report = report_of(boot.rank(), samples);
    // Asleep, as ranks wait before a case: on few cores spinning ones would keep them from it.
    boot.barrier_asleep(boot.rank() > 0);
    const std::int64_t start_ns = weft::monotonic_raw_ns();
    if (boot.rank() == 0) {
      line = gather(boot, report, samples);
      print_since(start_ns);
    } else {
      hand_over(boot, report);
    }
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  for (int round = 0; round < rounds; ++round) {
    boot.barrier_asleep(boot.rank() > 0);
    const std::int64_t start_ns = weft::monotonic_raw_ns();
    gather_bare(boot, samples);
    if (boot.rank() == 0) print_since(start_ns);
  }
  if (boot.rank() == 0) {
    std::printf("%ld\n%s\n", used.ru_maxrss * 1024, line.c_str());
    std::fflush(stdout);
  }
  // Until the line is written, or those that spin at the end keep the starter from reading it.
  boot.barrier_asleep(boot.rank() > 0);
  return 0;
}

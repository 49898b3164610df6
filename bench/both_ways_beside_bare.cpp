// The engine's bidirectional stream over MPI and a bare one, turn about in one process, in memory
// of several kinds: what the machine does to one it does to the others. The bare loop makes the
// calls of osu_bibw: a window of receives, a window of sends, and a wait for all of each, from one
// buffer and into one. Prints a line of names, then for each turn the bandwidth of both directions
// together in B/s, a column a name. An argument: how many turns. Columns differ in one thing each:
// whose memory and pages, whose loop, a window or refills by half of one, and how many messages a
// sample of the engine's has, for with one window of them how a sample begins counts most. What the
// kernel's pinning costs is the time of CMA's own call (process_vm_readv) over that of a copy of as
// much within a process; what the colour of caches costs is a receive that lies a quarter of a huge
// page further on, for within one the place in a cache is known.
#include <mpi.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bootstrap/mpi.hpp"
#include "contract/task.hpp"
#include "host/clock.hpp"
#include "host/memory.hpp"
#include "host/pages.hpp"
#include "patterns/bidirectional_stream.hpp"
#include "run/buffer_set.hpp"
#include "two_sided_mpi.hpp"

namespace {

using weft::Buffer;
using weft::CycleCounter;
using weft::Pages;
using weft::Region;
using weft::Ticks;

constexpr std::uint32_t window = 64;
constexpr std::uint32_t windows = 4;
constexpr int usual_turns = 15;
constexpr std::size_t message_bytes = std::size_t{1} << 20U;
constexpr int tag = 10;
constexpr std::size_t quarter_of_huge_page = std::size_t{512} << 10U;

/// Where messages lie and where they arrive: the buffers in their order of use.
struct Sides {
  std::vector<Buffer> out;
  std::vector<Buffer> in;
};

/// As osu_bibw allocates: page-aligned, by the C library, touched.
Sides of_library() {
  constexpr std::size_t page = 4096;
  Sides sides;
  for (std::vector<Buffer>* side : {&sides.out, &sides.in}) {
    void* memory = nullptr;
    if (posix_memalign(&memory, page, message_bytes) != 0) throw std::bad_alloc();
    std::memset(memory, 'a', message_bytes);
    side->push_back({static_cast<std::byte*>(memory), message_bytes, 0});
  }
  return sides;
}

/// Buffers that each begin a page, as the engine lays them.
std::vector<Buffer> pages_of(std::byte* first, std::size_t count, std::size_t bytes) {
  return weft::slices_of({first, 0, 0}, count, bytes, weft::page_stride_of(bytes));
}

/// Memory as the engine takes it, with as many buffers to receive into.
class Own {
 public:
  Own(Pages pages, std::size_t receives, std::size_t shift = 0)
      : out_(message_bytes, pages),
        in_(receives * message_bytes + shift, pages),
        sides_{pages_of(out_.data(), 1, message_bytes),
               pages_of(in_.data() + shift, receives, message_bytes)} {}
  [[nodiscard]] const Sides& sides() const { return sides_; }

 private:
  Region out_;
  Region in_;
  Sides sides_;
};

Ticks engine(Link& link, int rank, const Sides& sides, std::vector<Buffer>& control,
             std::uint32_t in_sample) {
  std::vector<Ticks> samples(windows / in_sample, 0);
  weft::Task task;
  task.rank = rank;
  task.size = 2;
  task.ops_per_sample = window * in_sample;
  task.queue_depth = window;
  weft::Lane lane;
  lane.peer = weft::Peer{1 - rank};
  lane.out = weft::Rotation<Buffer>(sides.out);
  lane.in = weft::Rotation<Buffer>(sides.in);
  task.lanes = {&lane, 1};
  task.control_out = control.front();
  task.control_in = weft::Rotation<Buffer>(std::span(control).subspan(1));
  task.samples = samples;
  weft::measured_loop<weft::BidirectionalStream, CycleCounter, weft::UsualWait<Link>>(link, task);
  return std::accumulate(samples.begin(), samples.end(), Ticks{0});
}

Ticks bare(int rank, const Sides& sides) {
  std::array<MPI_Request, window> sends{};
  std::array<MPI_Request, window> receives{};
  const int peer = 1 - rank;
  const Ticks start = CycleCounter::now();
  for (std::uint32_t at = 0; at < windows; ++at) {
    for (MPI_Request& one : receives) {
      MPI_Irecv(sides.in[0].data, message_bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &one);
    }
    for (MPI_Request& one : sends) {
      MPI_Isend(sides.out[0].data, message_bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &one);
    }
    MPI_Waitall(window, sends.data(), MPI_STATUSES_IGNORE);
    MPI_Waitall(window, receives.data(), MPI_STATUSES_IGNORE);
  }
  return CycleCounter::now() - start;
}

/// The same calls with half a window more whenever half of one has ended, as the engine refills.
Ticks bare_refills(int rank, const Sides& sides) {
  constexpr std::uint32_t half = window / 2;
  std::array<MPI_Request, window> sends{};
  std::array<MPI_Request, window> receives{};
  const int peer = 1 - rank;
  const auto post = [&](std::uint32_t first) {
    for (std::uint32_t at = first; at < first + half; ++at) {
      MPI_Irecv(sides.in[0].data, message_bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD,
                &receives.at(at));
    }
    for (std::uint32_t at = first; at < first + half; ++at) {
      MPI_Isend(sides.out[0].data, message_bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD,
                &sends.at(at));
    }
  };
  const Ticks start = CycleCounter::now();
  post(0);
  post(half);
  for (std::uint32_t at = 0; at < 2 * windows; ++at) {
    const std::uint32_t first = at % 2 * half;
    MPI_Waitall(half, &sends.at(first), MPI_STATUSES_IGNORE);
    MPI_Waitall(half, &receives.at(first), MPI_STATUSES_IGNORE);
    if (at + 2 < 2 * windows) post(first);
  }
  return CycleCounter::now() - start;
}

/// Where the other rank's messages lie, for calls that read them there.
struct Theirs {
  pid_t process = 0;
  std::uint64_t out = 0;
};
Theirs theirs_of(int rank, const Sides& sides) {
  Theirs own{getpid(), std::bit_cast<std::uint64_t>(sides.out[0].data)};
  Theirs theirs;
  MPI_Sendrecv(&own, sizeof own, MPI_BYTE, 1 - rank, tag, &theirs, sizeof theirs, MPI_BYTE,
               1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return theirs;
}

/// CMA's call by itself, which pins the other process's pages; no library is on the way.
Ticks cma(int rank, const Sides& sides) {
  const Theirs theirs = theirs_of(rank, sides);
  const iovec to{sides.in[0].data, message_bytes};
  const iovec from{std::bit_cast<void*>(theirs.out), message_bytes};
  MPI_Barrier(MPI_COMM_WORLD);
  const Ticks start = CycleCounter::now();
  for (std::uint32_t at = 0; at < window * windows; ++at) {
    const ssize_t got = process_vm_readv(theirs.process, &to, 1, &from, 1, 0);
    if (got != static_cast<ssize_t>(message_bytes)) {
      throw std::runtime_error(
          "process_vm_readv is not allowed here: see kernel.yama.ptrace_scope");
    }
  }
  const Ticks took = CycleCounter::now() - start;
  MPI_Barrier(MPI_COMM_WORLD);
  return took;
}

/// As much copied within the process: nothing is pinned.
Ticks copy(const Sides& sides) {
  const Ticks start = CycleCounter::now();
  for (std::uint32_t at = 0; at < window * windows; ++at) {
    std::memcpy(sides.in[0].data, sides.out[0].data, message_bytes);
    // The next copy may not be left undone because it changes nothing.
    asm volatile("" : : "r"(sides.in[0].data) : "memory");
  }
  return CycleCounter::now() - start;
}

enum class Loop : std::uint8_t { bare, bare_refills, engine, cma, copy };

/// One variant: a loop in some memory, and of the engine's how many windows a sample has.
struct Column {
  const char* name;
  Loop loop;
  const Sides* sides;
  std::uint32_t in_sample = windows;
};

Ticks time_of(const Column& column, Link& link, int rank, std::vector<Buffer>& control) {
  switch (column.loop) {
    case Loop::bare:
      return bare(rank, *column.sides);
    case Loop::bare_refills:
      return bare_refills(rank, *column.sides);
    case Loop::engine:
      return engine(link, rank, *column.sides, control, column.in_sample);
    case Loop::cma:
      return cma(rank, *column.sides);
    case Loop::copy:
      return copy(*column.sides);
  }
  return 0;
}

void measure(weft::MpiBootstrap& boot, Link& link, const std::vector<Column>& columns, int turns) {
  const weft::Buffer memory = weft::map_memory(9 * weft::page_stride_of(1));
  std::vector<Buffer> control = pages_of(memory.data, 9, 32);
  const double tick_s = weft::calibrate(weft::read_both_clocks(), 20'000'000).tick_ns * 1e-9;
  constexpr double bytes = 2.0 * 2 * message_bytes * window * windows;
  // Reported at the end: who writes meanwhile has other things in its caches in the turn that
  // follows.
  std::vector<std::vector<double>> reported;
  for (int turn = 0; turn <= turns; ++turn) {
    std::vector<Ticks> took(columns.size(), 0);
    const auto once = [&](std::size_t at) {
      boot.barrier();
      const Column& column = columns[at];
      took[at] += time_of(column, link, boot.rank(), control);
    };
    // There and back: what drifts meanwhile drifts for all alike.
    for (std::size_t at = 0; at < columns.size(); ++at) once(at);
    for (std::size_t at = columns.size(); at > 0; --at) once(at - 1);
    std::vector<double> rates;
    for (const Ticks ticks : took) rates.push_back(bytes / (static_cast<double>(ticks) * tick_s));
    if (turn > 0) reported.push_back(rates);  // the first warms up
  }
  weft::unmap_memory(memory);
  if (boot.rank() != 0) return;
  for (const Column& column : columns) std::printf("%s ", column.name);
  for (const std::vector<double>& rates : reported) {
    std::printf("\n");
    for (const double rate : rates) std::printf("%.6g ", rate);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  weft::MpiBootstrap boot(&argc, &argv, weft::MpiUse::measured);
  Link link(boot);
  link.reserve(2 * window + 8, 1);
  const Sides library = of_library();
  const Own usual(Pages::usual, 1);
  const Own many(Pages::usual, 2 * window);
  const Own small(Pages::small, 1);
  std::optional<Own> huge;
  std::optional<Own> other_colour;
  try {
    huge.emplace(Pages::huge, 1);
    other_colour.emplace(Pages::huge, 1, quarter_of_huge_page);
  } catch (const std::runtime_error&) {
    huge.reset();  // not to be had on this host: one column less
  }
  std::vector<Column> columns{{"bare_library", Loop::bare, &library},
                              {"bare_usual", Loop::bare, &usual.sides()},
                              {"bare_refills_usual", Loop::bare_refills, &usual.sides()},
                              {"engine_usual", Loop::engine, &usual.sides()},
                              {"engine_one_window_usual", Loop::engine, &usual.sides(), 1},
                              {"engine_many_usual", Loop::engine, &many.sides()},
                              {"bare_small", Loop::bare, &small.sides()},
                              {"cma_small", Loop::cma, &small.sides()},
                              {"copy_small", Loop::copy, &small.sides()}};
  if (huge && other_colour) {
    columns.push_back({"bare_huge", Loop::bare, &huge->sides()});
    columns.push_back({"bare_huge_other_colour", Loop::bare, &other_colour->sides()});
    columns.push_back({"cma_huge", Loop::cma, &huge->sides()});
    columns.push_back({"copy_huge", Loop::copy, &huge->sides()});
  }
  if (huge) columns.push_back({"engine_one_window_huge", Loop::engine, &huge->sides(), 1});
  measure(boot, link, columns, argc > 1 ? std::atoi(argv[1]) : usual_turns);
  return 0;
}

// The engine's bidirectional stream over MPI and a bare one, turn about in one process, in memory
// of several kinds: what the machine does to one it does to the others. The bare loop makes the
// calls of osu_bibw: a window of receives, a window of sends, and a wait for all of each, from one
// buffer and into one, as the engine's bidirectional_window_stream (engine_windows_usual) does.
// Prints a line of names, then for each turn the bandwidth of both directions together in B/s, a
// column a name. An argument: how many turns. Columns differ in one thing each:
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

#include "beside_bare.hpp"
#include "bootstrap/mpi.hpp"
#include "contract/task.hpp"
#include "host/clock.hpp"
#include "host/memory.hpp"
#include "host/pages.hpp"
#include "patterns/bidirectional_stream.hpp"
#include "patterns/bidirectional_window_stream.hpp"
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

template <class Pattern>
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
  weft::measured_loop<Pattern, CycleCounter, weft::UsualWait<Link>>(link, task);
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

}  // namespace

int main(int argc, char** argv) {
  weft::MpiBootstrap boot(&argc, &argv, weft::MpiUse::measured, weft::ThreadLevel::single);
  Link link(weft::LinkOptions{}, boot);
  link.reserve(2 * window + 8, std::array{1 - boot.rank()});
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
  const weft::Buffer memory = weft::map_memory(9 * weft::page_stride_of(1));
  std::vector<Buffer> control = pages_of(memory.data, 9, 32);
  const int rank = boot.rank();
  // One variant: a loop in some memory, and of the engine's how many windows a sample has.
  const auto of_bare = [&](const char* name, const Sides& sides) {
    return Column{name, [rank, &sides] { return bare(rank, sides); }};
  };
  const auto of_engine = [&](const char* name, const Sides& sides, std::uint32_t in_sample) {
    return Column{name, [&, in_sample] {
                    return engine<weft::BidirectionalStream>(link, rank, sides, control, in_sample);
                  }};
  };
  const auto of_cma = [&](const char* name, const Sides& sides) {
    return Column{name, [rank, &sides] { return cma(rank, sides); }};
  };
  const auto of_copy = [&](const char* name, const Sides& sides) {
    return Column{name, [&sides] { return copy(sides); }};
  };
  std::vector<Column> columns{
      of_bare("bare_library", library),
      of_bare("bare_usual", usual.sides()),
      {"bare_refills_usual", [&] { return bare_refills(rank, usual.sides()); }},
      of_engine("engine_usual", usual.sides(), windows),
      of_engine("engine_one_window_usual", usual.sides(), 1),
      of_engine("engine_many_usual", many.sides(), windows),
      {"engine_windows_usual",
       [&] {
         return engine<weft::BidirectionalWindowStream>(link, rank, usual.sides(), control,
                                                        windows);
       }},
      of_bare("bare_small", small.sides()),
      of_cma("cma_small", small.sides()),
      of_copy("copy_small", small.sides())};
  if (huge && other_colour) {
    columns.push_back(of_bare("bare_huge", huge->sides()));
    columns.push_back(of_bare("bare_huge_other_colour", other_colour->sides()));
    columns.push_back(of_cma("cma_huge", huge->sides()));
    columns.push_back(of_copy("copy_huge", huge->sides()));
  }
  if (huge) columns.push_back(of_engine("engine_one_window_huge", huge->sides(), 1));
  take_turns(boot, columns, 2.0 * message_bytes * window * windows,
             argc > 1 ? std::atoi(argv[1]) : usual_turns);
  weft::unmap_memory(memory);
  return 0;
}

// The engine's stream of 8 B over MPI and bare ones, turn about in one process: what the machine
// does to one it does to the others. The first column makes the calls of osu_bw: a window of sends
// against a window of receives, a wait for all of each, and an answer of 4 B before the next.
// Prints a line of names, then for each turn the bandwidth in B/s, a column a name. An argument:
// how many turns. Columns differ in one thing each: whether the waits ask for statuses; whether
// windows follow each other without an answer, with 2Q receives posted ahead; whether half a window
// follows whenever half of one has ended, as the engine refills; whose loop; how many windows a
// sample of the engine's has; and, last, that the engine's loop is osu_bw's too.
#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "beside_bare.hpp"
#include "bootstrap/mpi.hpp"
#include "contract/task.hpp"
#include "host/clock.hpp"
#include "host/memory.hpp"
#include "patterns/stream.hpp"
#include "patterns/window_stream.hpp"
#include "two_sided_mpi.hpp"

namespace {

using weft::Buffer;
using weft::CycleCounter;
using weft::Ticks;

constexpr std::uint32_t window = 64;
constexpr std::uint32_t windows = 64;
constexpr std::uint32_t messages = window * windows;
constexpr int usual_turns = 200;
constexpr std::size_t message_bytes = 8;
constexpr int answer_bytes = 4;
constexpr int tag = 100;
constexpr int answer_tag = 101;

/// This rank, and its buffers: of a message each way, and of control messages.
struct Place {
  int rank;
  Buffer out;
  Buffer in;
  std::vector<Buffer> control;
};

template <class Pattern>
Ticks engine(Link& link, Place& place, std::uint32_t in_sample) {
  std::vector<Ticks> samples(windows / in_sample, 0);
  weft::Task task;
  task.rank = place.rank;
  task.size = 2;
  task.ops_per_sample = window * in_sample;
  task.queue_depth = window;
  weft::Lane lane;
  lane.peer = weft::Peer{1 - place.rank};
  lane.out = weft::Rotation<Buffer>({&place.out, 1});
  lane.in = weft::Rotation<Buffer>({&place.in, 1});
  task.lanes = {&lane, 1};
  task.control_out = place.control.front();
  task.control_in = weft::Rotation<Buffer>(std::span(place.control).subspan(1));
  task.samples = samples;
  weft::measured_loop<Pattern, CycleCounter, weft::UsualWait<Link>>(link, task);
  return std::accumulate(samples.begin(), samples.end(), Ticks{0});
}

void post_send(const Place& place, MPI_Request& request) {
  MPI_Isend(place.out.data, message_bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &request);
}
void post_receive(const Place& place, MPI_Request& request) {
  MPI_Irecv(place.in.data, message_bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &request);
}
void await_answer(const Place& place) {
  MPI_Recv(place.in.data, answer_bytes, MPI_BYTE, 1, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
void answer(const Place& place) {
  MPI_Send(place.out.data, answer_bytes, MPI_BYTE, 0, answer_tag, MPI_COMM_WORLD);
}

/// osu_bw's loop; `statuses` may be MPI_STATUSES_IGNORE.
Ticks bare(const Place& place, MPI_Status* statuses) {
  std::array<MPI_Request, window> requests{};
  const Ticks start = CycleCounter::now();
  for (std::uint32_t at = 0; at < windows; ++at) {
    for (MPI_Request& one : requests) {
      if (place.rank == 0) {
        post_send(place, one);
      } else {
        post_receive(place, one);
      }
    }
    MPI_Waitall(window, requests.data(), statuses);
    if (place.rank == 0) {
      await_answer(place);
    } else {
      answer(place);
    }
  }
  return CycleCounter::now() - start;
}

/// All messages with `depth` in flight, as many more as have ended whenever those are `refill`.
template <std::uint32_t depth, std::uint32_t refill, class Post>
void keep_in_flight(const Post& post) {
  static_assert(depth % refill == 0);
  std::array<MPI_Request, depth> requests{};
  std::uint32_t posted = 0;
  for (; posted < depth; ++posted) post(requests.at(posted));
  for (std::uint32_t ended = 0; ended < messages; ended += refill) {
    MPI_Request* const oldest = &requests.at(ended % depth);
    MPI_Waitall(refill, oldest, MPI_STATUSES_IGNORE);
    for (std::uint32_t at = 0; at < refill && posted < messages; ++at, ++posted) post(oldest[at]);
  }
}

/// One answer for all, and 2Q receives posted ahead.
template <std::uint32_t refill>
Ticks bare_stream(const Place& place) {
  const Ticks start = CycleCounter::now();
  if (place.rank == 0) {
    keep_in_flight<window, refill>([&](MPI_Request& request) { post_send(place, request); });
    await_answer(place);
  } else {
    keep_in_flight<2 * window, refill>([&](MPI_Request& request) { post_receive(place, request); });
    answer(place);
  }
  return CycleCounter::now() - start;
}

}  // namespace

int main(int argc, char** argv) {
  weft::MpiBootstrap boot(&argc, &argv, weft::MpiUse::measured, weft::ThreadLevel::single);
  Link link(weft::LinkOptions{}, boot);
  link.reserve(2 * window + 8, std::array{1 - boot.rank()});
  constexpr std::size_t control_messages = 9;
  const Buffer memory = weft::map_memory((2 + control_messages) * weft::page_stride_of(1));
  const std::vector<Buffer> sides = pages_of(memory.data, 2, message_bytes);
  Place place{boot.rank(), sides[0], sides[1],
              pages_of(memory.data + 2 * weft::page_stride_of(1), control_messages, 32)};
  std::array<MPI_Status, window> statuses{};
  const std::vector<Column> columns{
      {"bare", [&] { return bare(place, MPI_STATUSES_IGNORE); }},
      {"bare_statuses", [&] { return bare(place, statuses.data()); }},
      {"bare_ahead", [&] { return bare_stream<window>(place); }},
      {"bare_refills", [&] { return bare_stream<window / 2>(place); }},
      {"engine", [&] { return engine<weft::Stream>(link, place, windows); }},
      {"engine_one_window", [&] { return engine<weft::Stream>(link, place, 1); }},
      {"engine_windows", [&] { return engine<weft::WindowStream>(link, place, windows); }},
  };
  take_turns(boot, columns, double{message_bytes} * messages,
             argc > 1 ? std::atoi(argv[1]) : usual_turns);
  weft::unmap_memory(memory);
  return 0;
}

// Put latency there and back, the target polling its memory.
#pragma once

#include "contract/clock.hpp"
#include "patterns/parts/one_sided.hpp"

namespace weft {

/// Rank 0 puts, rank 1 sees the last byte change and puts back; an operation is one round trip
/// (ib_write_lat of perftest measures so). It stands on the last byte of a put becoming visible
/// last: a transport that does not promise it is refused (`memory_polling_hazard`).
struct PutPingPong {
  static constexpr PatternInfo info{
      .name = "put_ping_pong",
      .title = "Put latency with polled memory",
      .summary = "a put there and back, each side polling its memory; half the round trip",
      .figure = Figure::one_sided_latency,
      .ranks = 2,
      .latency_divisor = 2,
      .bandwidth_factor = 2,
      .least_bytes = 1,
  };
  static constexpr Opens opens = Opens::incoming;
  static constexpr bool polls_memory = true;

  template <Clock Now, class Wait, OneSided T>
  static bool run(T& link, Task& task) noexcept {
    return task.rank == 0 ? ping<Now, Wait>(link, task) : pong<Wait>(link, task);
  }

 private:
  template <OneSided T>
  static void put_marked(T& link, Peer peer, Task& task, std::byte mark) noexcept {
    const Buffer& out = task.out.next();
    out.data[out.bytes - 1] = mark;
    link.put(peer, out, task.remote.next());
  }

  template <Clock Now, class Wait, OneSided T>
  static bool ping(T& link, Task& task) noexcept {
    const Peer peer{1};
    Marks marks(task.mark_period);
    for (Ticks& sample : task.samples) {
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        const std::byte mark = marks.next();
        put_marked(link, peer, task, mark);
        if (!await_mark(link, task.in.next(), mark)) return false;
        if (!settle_transfers<Wait>(link, 0)) return false;
      }
      sample = Now::now() - start;
    }
    return true;
  }

  template <class Wait, OneSided T>
  static bool pong(T& link, Task& task) noexcept {
    const Peer peer{0};
    Marks marks(task.mark_period);
    for (std::size_t message = messages_of(task); message > 0; --message) {
      const std::byte mark = marks.next();
      if (!await_mark(link, task.in.next(), mark)) return false;
      put_marked(link, peer, task, mark);
      if (!settle_transfers<Wait>(link, 0)) return false;
    }
    return true;
  }
};

}  // namespace weft

// A receive and work beside it.
#pragma once

#include "patterns/parts/beside_work.hpp"

namespace weft {

/// An operation is three messages that rank 0 asks for, and the work by itself. Alone: the receive
/// is posted and the message asked for and waited for. The sample: the same with work before the
/// wait. `call` leaves the asking out of what is timed: what it is longer than the work is the
/// receiver's overhead, where the work lasts until the message must be there.
struct ReceiveOverlap {
  static constexpr PatternInfo info{
      .name = "receive_overlap",
      .title = "Receive overlapped with work",
      .summary = "a receive, work, and the wait for the requested message; also each alone",
      .figure = Figure::overlap,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .time_factor = 4,
      .axis = work_axis,
      .clock_reads = 1,
      .part_clock_reads = {1, 1, 2},
  };
  static constexpr std::string_view beyond_models = models_always_overlap;
  static constexpr std::array parts{std::string_view{"alone"}, std::string_view{"work"},
                                    std::string_view{"call"}};
  static constexpr std::uint32_t messages_per_operation = 3;
  static constexpr std::uint32_t messages_before = trial_transfers;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank == 1) return send<Wait>(link, task);
    const Peer peer{1};
    const auto transfer = [&](std::uint64_t rounds, Ticks& took) {
      const Ticks start = Now::now();
      link.post_recv(peer, task.in.next());
      link.post_send(peer, task.control_out);
      Now::compute(rounds);
      if (!drain<Wait>(link)) return false;
      took += Now::now() - start;
      return true;
    };
    const auto call = [&](std::uint64_t rounds, std::size_t at) {
      const Ticks before = Now::now();
      link.post_recv(peer, task.in.next());
      const Ticks posted = Now::now();
      link.post_send(peer, task.control_out);
      if (!Wait::settle(link, 0, 1)) return false;
      const Ticks start = Now::now();
      Now::compute(rounds);
      if (!drain<Wait>(link)) return false;
      task.parts[2][at] += Now::now() - start + (posted - before);
      return true;
    };
    return measure_beside_work<Now>(task, transfer, call);
  }

 private:
  /// Rank 1 answers each asking, ready for the next one before it does.
  template <class Wait, TwoSided T>
  static bool send(T& link, Task& task) noexcept {
    const Peer peer{0};
    link.post_recv(peer, task.control_in.next());
    std::size_t left = trial_transfers + 3 * task.samples.size() * task.ops_per_sample;
    for (; left > 0; --left) {
      if (!Wait::settle(link, 1, 0)) return false;
      if (left > 1) link.post_recv(peer, task.control_in.next());
      link.post_send(peer, task.out.next());
    }
    return drain<Wait>(link);
  }
};

}  // namespace weft

// A send and work beside it.
#pragma once

#include "patterns/parts/beside_work.hpp"

namespace weft {

/// An operation is the same message three times, and the work by itself. Alone: a send until the
/// receiver's control message that it has it. The sample: send, work, wait for that. `call`: send,
/// work, and the wait until the buffer may be used again, without a control message to take in:
/// what it is longer than the work is the sender's overhead.
struct SendOverlap {
  static constexpr PatternInfo info{
      .name = "send_overlap",
      .title = "Send overlapped with work",
      .summary = "a send, work, and the wait for the receiver's confirmation; also each alone",
      .figure = Figure::overlap,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .time_factor = 4,
      .axis = work_axis,
      .clock_reads = 1,
      .part_clock_reads = {1, 1, 1},
  };
  static constexpr std::string_view beyond_models = models_always_overlap;
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t /*queue_depth*/,
                                                  std::uint64_t /*point*/) noexcept {
    return 3;
  }
  static constexpr std::array parts{std::string_view{"alone"}, std::string_view{"work"},
                                    std::string_view{"call"}};
  static constexpr std::uint32_t messages_per_operation = 3;
  static constexpr std::uint32_t messages_before = trial_transfers;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank == 1) return receive<Wait>(link, task);
    const Peer peer{1};
    const auto transfer = [&](std::uint64_t rounds, Ticks& took) {
      link.post_recv(peer, task.control_in.next());
      const Ticks start = Now::now();
      link.post_send(peer, task.out.next());
      Now::compute(rounds);
      if (!drain<Wait>(link)) return false;
      took += Now::now() - start;
      return true;
    };
    const auto call = [&](std::uint64_t rounds, std::size_t at) {
      const Ticks start = Now::now();
      link.post_send(peer, task.out.next());
      Now::compute(rounds);
      if (!drain<Wait>(link)) return false;
      task.parts[2][at] += Now::now() - start;
      return true;
    };
    return measure_beside_work<Now>(task, transfer, call);
  }

 private:
  /// Rank 1 says of two messages in three that it has them. Its receives are posted ahead.
  template <class Wait, TwoSided T>
  static bool receive(T& link, Task& task) noexcept {
    const Peer peer{0};
    std::size_t to_post = trial_transfers + 3 * task.samples.size() * task.ops_per_sample;
    const std::size_t messages = to_post;
    std::uint32_t posted = 0;
    for (std::size_t message = 0; message < messages; ++message) {
      for (; posted < 3 && to_post > 0; ++posted, --to_post) {
        link.post_recv(peer, task.in.next());
      }
      if (!Wait::settle(link, 1, posted - 1)) return false;
      --posted;
      const bool is_silent = message >= trial_transfers && (message - trial_transfers) % 3 == 2;
      if (!is_silent) link.post_send(peer, task.control_out);
    }
    return drain<Wait>(link);
  }
};

}  // namespace weft

// Bandwidth while the sender computes: how much of its time the processor is free.
#pragma once

#include "patterns/parts/beside_work.hpp"
#include "patterns/parts/streaming.hpp"

namespace weft {

/// A sample is a stream whose sender computes after each time that it posts: Liu et al.,
/// section 4.3, "we insert a computation loop in the program". All the work of a sample takes the
/// `point` in per cent of the stream alone, which is measured before each sample as `parts[0]`; the
/// work alone is `parts[1]`. The share of the time that is spent computing is `parts[1]` over the
/// sample.
struct BusyStream {
  static constexpr PatternInfo info{
      .name = "busy_stream",
      .title = "Bandwidth under computation",
      .summary =
          "a stream whose sender computes between its posts; also the stream and the work alone",
      .figure = Figure::bandwidth,
      .ranks = 2,
      .latency_divisor = 0,
      .bandwidth_factor = 1,
      .least_bytes = 1,
      .time_factor = 3,
      .axis = {.name = "work", .unit = "%", .points = "0,20,40,60,80,90,100,110,120,150,200"},
      .has_queue = true,
      .latencies_per_sample = 2,
  };
  static constexpr std::string_view beyond_models = models_always_overlap;
  static constexpr bool streams = true;
  static constexpr bool one_way = true;
  static constexpr std::array parts{std::string_view{"alone"}, std::string_view{"work"}};
  /// A probe, the stream alone and the stream with work.
  static constexpr std::uint32_t messages_per_operation = 3;

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank == 1) return receive_streams<Wait>(link, task, 1 + 2 * task.samples.size());
    if (!await_ready<Wait>(link, task, task.lanes[0])) return false;
    Ticks alone = 0;
    if (!send_stream<Now, Wait>(link, task, alone, NoProbe{}, nothing_more)) return false;
    const std::uint64_t times = postings(task);
    const std::uint64_t rounds = rounds_for<Now>(share_of(alone, task.point)) / times;
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      const bool whole = probe_in_warmup(task, at, [&](const auto& probe) {
        return send_stream<Now, Wait>(link, task, task.parts[0][at], probe, nothing_more);
      });
      const auto compute = [&] { Now::compute(rounds); };
      if (!whole || !send_stream<Now, Wait>(link, task, task.samples[at], NoProbe{}, compute)) {
        return false;
      }
      task.parts[1][at] = work_alone<Now>(rounds, times);
    }
    return true;
  }

 private:
  /// How often the sender of a stream posts: Q messages, then Q/2 at a time.
  static std::uint64_t postings(const Task& task) noexcept {
    const std::uint32_t refill = refill_of(task.queue_depth);
    return 1 + (task.ops_per_sample - task.queue_depth + refill - 1) / refill;
  }
};

}  // namespace weft

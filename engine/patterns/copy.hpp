// The memory's own copy rate, which a host bus is measured against.
#pragma once

#include "contract/clock.hpp"
#include "contract/task.hpp"
#include "host/copy_memory.hpp"

namespace weft {

/// Rank 0 copies a buffer to another one in its memory; no message goes. Larger than the caches it
/// is the memory's rate for one core (McCalpin's STREAM, Copy, but that its stores pass the
/// caches).
struct Copy {
  static constexpr PatternInfo info{
      .name = "copy",
      .title = "Memory copy",
      .summary =
          "one rank copies within its memory, stores past the caches; bandwidth counts bytes once",
      .figure = Figure::copy,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 1,
      .least_bytes = 1,
  };
  static constexpr std::string_view beyond_models = "a model has no memory whose speed counts";

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& /*link*/, Task& task) noexcept {
    if (task.rank != 0) return true;
    // Looked at and not taken: nothing of a peer's is to be found there.
    const Buffer& to = task.in.peek();
    for (Ticks& sample : task.samples) {
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        copy_memory(to.data, task.out.next().data, to.bytes);
      }
      sample = Now::now() - start;
    }
    return true;
  }
};

}  // namespace weft

// What benchmarks share that wait for a whole window before they post the next one, as osu_bw and
// osu_bibw do.
#pragma once

#include <algorithm>
#include <cstdint>

#include "contract/task.hpp"

namespace weft {

/// What such a benchmark says of itself: the receives of one window are there at once, and messages
/// may come before them.
struct ByWindows {
  static constexpr bool streams = true;
  static constexpr bool whole_windows = true;
  static constexpr bool measures_unexpected = true;

  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t queue_depth,
                                                  std::uint64_t /*point*/) noexcept {
    return queue_depth;
  }
};

/// `each(messages)` for every window of a sample: Q messages, of the last one what is left. False
/// once `each` is.
template <class Each>
[[nodiscard]] bool for_each_window(const Task& task, const Each& each) noexcept {
  std::uint32_t left = task.ops_per_sample;
  while (left > 0) {
    const std::uint32_t window = std::min(left, task.queue_depth);
    left -= window;
    if (!each(window)) return false;
  }
  return true;
}

}  // namespace weft

// What the benchmarks of all ranks share that send one way along a permutation.
#pragma once

#include "contract/clock.hpp"
#include "contract/task.hpp"

namespace weft {

/// Each operation sends a message to one rank and receives one from another, both posted inside the
/// timed region; a sample is all operations on this rank's own clock.
template <Clock Now, class Wait, TwoSided T>
[[nodiscard]] bool exchange_along(T& link, Task& task, Peer to, Peer from) noexcept {
  for (Ticks& sample : task.samples) {
    const Ticks start = Now::now();
    for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
      link.post_recv(from, task.in.next());
      link.post_send(to, task.out.next());
      if (!drain<Wait>(link)) return false;
    }
    sample = Now::now() - start;
  }
  return true;
}

}  // namespace weft

// What the benchmarks of many ranks share: streams that rank 0 starts.
#pragma once

#include <cstdint>

#include "contract/clock.hpp"
#include "contract/task.hpp"
#include "patterns/parts/streaming.hpp"

namespace weft {

/// A rank that streams when rank 0 says so: its samples run on its own clock, from rank 0's start
/// to the receiver's report that it has all. With `reports` its receiver is another rank than 0,
/// and it tells rank 0 when that one is ready and when a sample is done.
template <bool reports, Clock Now, class Wait, TwoSided T>
[[nodiscard]] bool stream_when_started(T& link, Task& task) noexcept {
  const Peer leader{0};
  Lane& lane = task.lanes[0];
  if (reports && !await_ready<Wait>(link, task, lane)) return false;
  link.post_recv(leader, task.control_in.next());
  if (reports) link.post_send(leader, task.control_out);
  for (std::size_t at = 0; at < task.samples.size(); ++at) {
    if (!drain<Wait>(link)) return false;
    const bool whole = probe_in_warmup(task, at, [&](const auto& probe) {
      const Ticks start = Now::now();
      // Of the two control messages that are waited for the receiver's comes first: the next start
      // waits for it.
      const std::uint32_t ahead = at + 1 < task.samples.size() ? 1 : 0;
      link.post_recv(lane.peer, task.control_in.next());
      if (ahead > 0) link.post_recv(leader, task.control_in.next());
      if (!stream_out<Wait>(link, task, 1 + ahead, probe, nothing_more)) return false;
      if (!Wait::settle(link, 0, ahead)) return false;
      task.samples[at] = Now::now() - start;
      return true;
    });
    if (!whole) return false;
    if (reports) link.post_send(leader, task.control_out);
  }
  return drain<Wait>(link);
}

}  // namespace weft

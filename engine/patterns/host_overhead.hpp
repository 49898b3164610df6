// The processor's time in the calls of a message.
#pragma once

#include <array>
#include <string_view>

#include "contract/clock.hpp"
#include "contract/task.hpp"

namespace weft {

/// A ping-pong whose ranks read the clock round every call. Only the call that finds a completion
/// counts as completing; those that find nothing are waiting, which costs no more than the message
/// takes. A send's completion is asked for first and by itself where the library can be asked so:
/// then its call has no part of the receive's. Each figure of an operation holds one read of the
/// clock, also where nothing was to be completed: a small message may be gone with its post, and
/// sends may complete in groups.
struct HostOverhead {
  static constexpr PatternInfo info{
      .name = "host_overhead",
      .title = "Host overhead of a round trip",
      .summary =
          "a round trip with the clock read around each call: post and completion, on both ranks",
      .figure = Figure::overhead,
      .ranks = 2,
      .latency_divisor = 2,
      .bandwidth_factor = 0,
      .part_clock_reads = {1, 1, 1, 1},
  };
  static constexpr std::array parts{
      std::string_view{"post_send"}, std::string_view{"complete_send"},
      std::string_view{"post_receive"}, std::string_view{"complete_receive"}};

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    const bool answers = task.rank == 1;
    const Peer peer{1 - task.rank};
    std::size_t left = task.samples.size() * task.ops_per_sample;
    if (answers) link.post_recv(peer, task.in.next());
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      Calls calls;
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        if (answers && !complete<Now>(link, calls)) return false;
        --left;
        const Ticks before = Now::now();
        if (!answers || left > 0) link.post_recv(peer, task.in.next());
        const Ticks between = Now::now();
        link.post_send(peer, task.out.next());
        const Ticks after = Now::now();
        calls.post_receive += between - before;
        calls.post_send += after - between;
        if (!answers && !complete<Now>(link, calls)) return false;
      }
      task.samples[at] = Now::now() - start;
      task.parts[0][at] = calls.post_send;
      task.parts[1][at] = calls.complete_send;
      task.parts[2][at] = calls.post_receive;
      task.parts[3][at] = calls.complete_receive;
    }
    return drain<Wait>(link);
  }

 private:
  struct Calls {
    Ticks post_send = 0;
    Ticks complete_send = 0;
    Ticks post_receive = 0;
    Ticks complete_receive = 0;
  };

  template <Clock Now, TwoSided T>
  [[nodiscard]] static bool complete(T& link, Calls& calls) noexcept {
    std::uint32_t found_sends = 0;
    if constexpr (AsksApart<T>) {
      while (link.sends_in_flight() > 0) {
        const Ticks start = Now::now();
        link.poll_sends();
        const Ticks took = Now::now() - start;
        if (link.sends_in_flight() == 0) {
          calls.complete_send += took;
          ++found_sends;
        }
        if (link.fault() != nullptr) return false;
      }
    }
    while (link.sends_in_flight() > 0 || link.receives_in_flight() > 0) {
      const std::uint32_t sends = link.sends_in_flight();
      const std::uint32_t receives = link.receives_in_flight();
      const Ticks start = Now::now();
      link.poll();
      const Ticks took = Now::now() - start;
      // A call that completes both counts as the receive's, whose part is the larger.
      if (link.receives_in_flight() < receives) {
        calls.complete_receive += took;
      } else if (link.sends_in_flight() < sends) {
        calls.complete_send += took;
        ++found_sends;
      }
      if (link.fault() != nullptr) return false;
    }
    if (found_sends == 0) calls.complete_send += nothing<Now>();
    return true;
  }

  /// What two reads of the clock with nothing between them say.
  template <Clock Now>
  [[nodiscard]] static Ticks nothing() noexcept {
    const Ticks start = Now::now();
    return Now::now() - start;
  }
};

}  // namespace weft

// One rank receives from several others at once.
#pragma once

#include <cstdint>

#include "patterns/parts/hot_spot.hpp"
#include "patterns/parts/many_ranks.hpp"

namespace weft {

/// A sample runs from rank 0's first start message to the last message of the last peer. Each peer
/// has Q receives posted for it, anew as its own messages come, so that none has to wait for
/// another.
struct HotSpotReceive : HotSpot {
  static constexpr PatternInfo info{
      .name = "hot_spot_receive",
      .title = "Hot spot, one receiver (incast)",
      .summary = "one rank receives streams of several others at once; aggregate bandwidth",
      .figure = Figure::bandwidth,
      .ranks = 2,
      .latency_divisor = 0,
      .bandwidth_factor = 1,
      .least_bytes = 1,
      .axis = {.name = "peers", .unit = "", .points = "1..ranks-1"},
      .has_queue = true,
      .latencies_per_sample = 2,
      .splits_operations = true,
  };

  static Role role(const Case& spec, int rank, int size) {
    const int peers = peers_of(spec, size);
    Role role;
    role.streams = static_cast<std::uint32_t>(peers);
    if (rank == 0) role.from = role.neighbours = first_ranks(peers);
    if (rank > 0 && rank <= peers) role.to = role.neighbours = {0};
    return role;
  }

  template <Clock Now, class Wait, TellsPeers T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank != 0) return stream_when_started<false, Now, Wait>(link, task);
    const std::uint32_t messages = messages_per_lane(task);
    for (Lane& lane : task.lanes) {
      open_lane<ControlAt::none>(link, task, lane, messages, task.samples.size());
    }
    for (Ticks& sample : task.samples) {
      const Ticks start = Now::now();
      for (Lane& lane : task.lanes) {
        lane.to_come = messages;
        link.post_send(lane.peer, task.control_out);
      }
      if (!take_from_all<Wait>(link, task)) return false;
      std::uint32_t posted = 0;
      for (const Lane& lane : task.lanes) posted += lane.posted;
      if (!Wait::settle(link, 0, posted)) return false;
      sample = Now::now() - start;
    }
    return true;
  }

 private:
  template <class Wait, TellsPeers T>
  static bool take_from_all(T& link, Task& task) noexcept {
    std::uint32_t open = task.streams;
    bool has_posted = true;
    while (open > 0) {
      step_after_posts<Wait>(link, has_posted);
      if (link.fault() != nullptr) return false;
      has_posted = false;
      with_ended(link, task, [&](Lane& lane) {
        if (lane.to_come == 0) return;
        const std::uint32_t in_flight = link.receives_in_flight(lane.peer);
        if (!take_what_came<ControlAt::none>(link, task, lane, in_flight)) return;
        has_posted = true;
        if (lane.to_come > 0) return;
        link.post_send(lane.peer, task.control_out);
        --open;
      });
    }
    return true;
  }
};

}  // namespace weft

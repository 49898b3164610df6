// One rank sends to several others at once.
#pragma once

#include <cstdint>

#include "patterns/parts/hot_spot.hpp"
#include "patterns/parts/many_ranks.hpp"
#include "patterns/parts/posting.hpp"

namespace weft {

/// A sample runs from rank 0's first start message to the last peer's report that it has all its
/// messages. Rank 0 has a window of Q for each of its peers.
struct HotSpotSend : HotSpot {
  static constexpr PatternInfo info{
      .name = "hot_spot_send",
      .title = "Hot spot, one sender",
      .summary = "one rank streams to several others at once; aggregate bandwidth",
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
    if (rank == 0) role.to = role.neighbours = first_ranks(peers);
    if (rank > 0 && rank <= peers) role.from = role.neighbours = {0};
    return role;
  }

  template <Clock Now, class Wait, TellsPeers T>
  static bool run(T& link, Task& task) noexcept {
    return task.rank == 0 ? send<Now, Wait>(link, task) : receive<Now, Wait>(link, task);
  }

 private:
  template <Clock Now, class Wait, TellsPeers T>
  static bool send(T& link, Task& task) noexcept {
    for (const Lane& lane : task.lanes) link.post_recv(lane.peer, task.control_in.next());
    if (!drain<Wait>(link)) return false;
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      const bool whole = probe_in_warmup(task, at, [&](const auto& probe) {
        for (const Lane& lane : task.lanes) link.post_recv(lane.peer, task.control_in.next());
        const Ticks start = Now::now();
        for (const Lane& lane : task.lanes) link.post_send(lane.peer, task.control_out);
        if (!send_to_all<Wait>(link, task, probe) || !drain<Wait>(link)) return false;
        task.samples[at] = Now::now() - start;
        return true;
      });
      if (!whole) return false;
    }
    return true;
  }

  /// A window for each peer: one that is slow has no more than Q in flight and holds nobody up.
  template <class Wait, TellsPeers T, class Probe>
  static bool send_to_all(T& link, Task& task, const Probe& probe) noexcept {
    const std::uint32_t messages = messages_per_lane(task);
    for (std::uint32_t posted = 0; posted < task.queue_depth; ++posted) {
      for (Lane& lane : task.lanes) link.post_send(lane.peer, lane.out.next());
    }
    probe(link, [&] { return link.sends_in_flight(task.lanes[0].peer); });
    for (Lane& lane : task.lanes) lane.to_send = messages - task.queue_depth;
    std::uint32_t open = messages > task.queue_depth ? task.streams : 0;
    while (true) {
      bool has_room = false;
      with_ended(link, task, [&](Lane& lane) {
        SendWindow window(lane.to_send, task.queue_depth);
        const std::uint32_t in_flight = link.sends_in_flight(lane.peer);
        if (window.left() == 0 || in_flight > window.most_in_flight()) return;
        // As much as there is room for: nothing tells of a lane again that has room already.
        window.refill_beside(in_flight,
                             [&](std::uint32_t count) { post_sends(link, lane, count); });
        lane.to_send = window.left();
        if (lane.to_send == 0) --open;
        has_room = true;
      });
      if (open == 0) return true;
      // Where the library copies, a window may have room again at once: there is nothing to wait
      // for.
      if (has_room) continue;
      Wait::step(link);
      if (link.fault() != nullptr) return false;
    }
  }

  /// A peer's samples run from rank 0's start message to its last message. Its receives are posted
  /// ahead across samples, each of which begins with that message.
  template <Clock Now, class Wait, TwoSided T>
  static bool receive(T& link, Task& task) noexcept {
    Lane& lane = task.lanes[0];
    open_lane<ControlAt::before>(link, task, lane, messages_per_lane(task), task.samples.size());
    say_ready(link, task, lane);
    for (Ticks& sample : task.samples) {
      if (!take<Wait, ControlAt::before>(link, task, lane, 1)) return false;
      const Ticks start = Now::now();
      if (!take_all<Wait, ControlAt::before>(link, task, lane)) return false;
      sample = Now::now() - start;
      link.post_send(lane.peer, task.control_out);
    }
    return drain<Wait>(link);
  }
};

}  // namespace weft

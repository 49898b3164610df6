// One rank sends to several others at once.
#pragma once

#include <cstdint>

#include "patterns/parts/hot_spot.hpp"
#include "patterns/parts/many_ranks.hpp"

namespace weft {

/// A sample runs from rank 0's first word to the last peer's word that it has all its messages.
/// Rank 0 has a queue of Q for each of its peers.
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

  static Cast cast(const Case& test, int rank, int size) {
    const int peers = peers_of(test, size);
    Cast cast;
    cast.streams = static_cast<std::uint32_t>(peers);
    if (rank == 0) cast.to = cast.neighbours = first_ranks(peers);
    if (rank > 0 && rank <= peers) cast.from = cast.neighbours = {0};
    return cast;
  }

  template <Clock Now, class Wait, TellsPeers T>
  static bool run(T& link, Work& work) noexcept {
    return work.rank == 0 ? send<Now, Wait>(link, work) : receive<Now, Wait>(link, work);
  }

 private:
  template <Clock Now, class Wait, TellsPeers T>
  static bool send(T& link, Work& work) noexcept {
    for (const Lane& lane : work.lanes) link.post_recv(lane.peer, work.words.next());
    if (!drain<Wait>(link)) return false;
    for (std::size_t at = 0; at < work.samples.size(); ++at) {
      const bool whole = look_in_warmup(work, at, [&](const auto& look) {
        for (const Lane& lane : work.lanes) link.post_recv(lane.peer, work.words.next());
        const Ticks start = Now::now();
        for (const Lane& lane : work.lanes) link.post_send(lane.peer, work.token_out);
        if (!send_to_all<Wait>(link, work, look) || !drain<Wait>(link)) return false;
        work.samples[at] = Now::now() - start;
        return true;
      });
      if (!whole) return false;
    }
    return true;
  }

  /// A queue for each peer: one that is slow has no more than Q in flight and holds nobody up.
  template <class Wait, TellsPeers T, class Looks>
  static bool send_to_all(T& link, Work& work, const Looks& look) noexcept {
    const std::uint32_t messages = messages_per_lane(work);
    for (std::uint32_t posted = 0; posted < work.queue_depth; ++posted) {
      for (Lane& lane : work.lanes) link.post_send(lane.peer, lane.out.next());
    }
    look(link, [&] { return link.sends_in_flight(work.lanes[0].peer); });
    for (Lane& lane : work.lanes) lane.to_send = messages - work.queue_depth;
    std::uint32_t open = messages > work.queue_depth ? work.streams : 0;
    while (true) {
      bool has_room = false;
      for (Lane& lane : work.lanes) {
        SendQueue queue(lane.to_send, work.queue_depth);
        if (queue.left() == 0 || link.sends_in_flight(lane.peer) > queue.most_in_flight()) continue;
        queue.refill([&] { link.post_send(lane.peer, lane.out.next()); });
        lane.to_send = queue.left();
        if (lane.to_send == 0) --open;
        has_room = true;
      }
      if (open == 0) return true;
      // Where the library copies, a queue may have room again at once: there is nothing to wait
      // for.
      if (has_room) continue;
      Wait::step(link);
      if (link.fault() != nullptr) return false;
    }
  }

  /// A peer's samples run from rank 0's word to its last message. Its receives are posted ahead
  /// across samples, each of which begins with the word.
  template <Clock Now, class Wait, TwoSided T>
  static bool receive(T& link, Work& work) noexcept {
    Lane& lane = work.lanes[0];
    open_lane<WordAt::before>(link, work, lane, messages_per_lane(work), work.samples.size());
    say_ready(link, work, lane);
    for (Ticks& sample : work.samples) {
      if (!take<Wait, WordAt::before>(link, work, lane, 1)) return false;
      const Ticks start = Now::now();
      if (!take_all<Wait, WordAt::before>(link, work, lane)) return false;
      sample = Now::now() - start;
      link.post_send(lane.peer, work.token_out);
    }
    return drain<Wait>(link);
  }
};

}  // namespace weft

// Hot spots: one rank sends to several others, or receives from them (Liu et al., section 4.6).
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "../cast.hpp"
#include "many_ranks.hpp"

namespace weft {

/// Rank 0 and as many others as the case's point says; without one, all others.
struct HotSpot {
  static constexpr bool streams = true;
  static constexpr bool every_rank_times = true;

  static std::string lacks(const Case& test, int size) {
    if (test.point < static_cast<std::uint64_t>(size)) return "";
    return std::to_string(test.point) + " peers need " + std::to_string(test.point + 1) +
           " ranks; choose more with --ranks";
  }

 protected:
  static int peers_of(const Case& test, int size) {
    return test.point == 0 ? size - 1 : static_cast<int>(test.point);
  }
  static std::vector<int> first_ranks(int count) {
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 1);
    return ranks;
  }
};

/// A sample runs from rank 0's first word to the last peer's word that it has all its messages.
/// Rank 0 posts to its peers in turn, with Q times as many in flight as there are peers.
struct HotSpotSend : HotSpot {
  static constexpr PatternInfo info{
      .name = "hot_spot_send",
      .title = "Hot spot, sending",
      .summary = "one rank streams to several others at once, all bandwidths together",
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

  template <Clock Now, class Wait, TellsSenders T>
  static bool run(T& link, Work& work) noexcept {
    return work.rank == 0 ? send<Now, Wait>(link, work) : receive<Now, Wait>(link, work);
  }

 private:
  template <Clock Now, class Wait, TwoSided T>
  static bool send(T& link, Work& work) noexcept {
    const std::uint32_t refill = refill_of(work.queue_depth);
    const std::uint32_t messages = messages_per_lane(work);
    for (Ticks& sample : work.samples) {
      for (const Lane& lane : work.lanes) link.post_recv(lane.peer, work.words.next());
      const Ticks start = Now::now();
      for (const Lane& lane : work.lanes) link.post_send(lane.peer, work.token_out);
      std::uint32_t posted = 0;
      post_to_all(link, work, work.queue_depth, posted);
      while (posted < messages) {
        const std::uint32_t most = (work.queue_depth - refill) * work.streams;
        if (!Wait::settle(link, most, work.streams)) return false;
        post_to_all(link, work, std::min(posted + refill, messages), posted);
      }
      if (!drain<Wait>(link)) return false;
      sample = Now::now() - start;
    }
    return true;
  }

  template <TwoSided T>
  static void post_to_all(T& link, Work& work, std::uint32_t until,
                          std::uint32_t& posted) noexcept {
    for (; posted < until; ++posted) {
      for (Lane& lane : work.lanes) link.post_send(lane.peer, lane.out.next());
    }
  }

  /// A peer's samples run from rank 0's word to its last message. Its receives are posted ahead
  /// across samples, each of which begins with the word.
  template <Clock Now, class Wait, TwoSided T>
  static bool receive(T& link, Work& work) noexcept {
    const std::uint32_t refill = refill_of(work.queue_depth);
    const std::uint32_t messages = messages_per_lane(work);
    Lane& lane = work.lanes[0];
    lane.to_post = work.samples.size() * (messages + 1);
    post_ahead(link, work, work.queue_depth + 1);
    for (Ticks& sample : work.samples) {
      if (!Wait::settle(link, 1, lane.posted - 1)) return false;
      const Ticks start = Now::now();
      --lane.posted;
      post_ahead(link, work, 1);
      for (std::uint32_t got = 0; got < messages; got += refill) {
        if (!Wait::settle(link, 1, lane.posted - refill)) return false;
        lane.posted -= refill;
        post_ahead(link, work, refill);
      }
      sample = Now::now() - start;
      link.post_send(lane.peer, work.token_out);
    }
    return drain<Wait>(link);
  }

  template <TwoSided T>
  static void post_ahead(T& link, Work& work, std::uint32_t count) noexcept {
    Lane& lane = work.lanes[0];
    const std::size_t whole = messages_per_lane(work) + 1;
    for (; count > 0 && lane.to_post > 0; --count, --lane.to_post, ++lane.posted) {
      const bool begins = lane.to_post % whole == 0;
      link.post_recv(lane.peer, begins ? work.words.next() : lane.in.next());
    }
  }
};

/// A sample runs from rank 0's first word to the last message of the last peer. Each peer has Q
/// receives posted for it, anew as its own messages come, so that none has to wait for another.
struct HotSpotReceive : HotSpot {
  static constexpr PatternInfo info{
      .name = "hot_spot_receive",
      .title = "Hot spot, receiving",
      .summary = "one rank receives streams of several others at once, all bandwidths together",
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
    if (rank == 0) cast.from = cast.neighbours = first_ranks(peers);
    if (rank > 0 && rank <= peers) cast.to = cast.neighbours = {0};
    return cast;
  }

  template <Clock Now, class Wait, TellsSenders T>
  static bool run(T& link, Work& work) noexcept {
    if (work.rank != 0) return stream_at_word<Now, Wait>(link, work, false);
    std::uint32_t posted = 0;
    for (Lane& lane : work.lanes) {
      lane.to_post = work.samples.size() * messages_per_lane(work);
      post_ahead(link, lane, work.queue_depth);
      posted += lane.posted;
    }
    for (Ticks& sample : work.samples) {
      const Ticks start = Now::now();
      for (Lane& lane : work.lanes) {
        lane.to_come = messages_per_lane(work);
        link.post_send(lane.peer, work.token_out);
      }
      if (!take_all<Wait>(link, work)) return false;
      if (!Wait::settle(link, 0, posted)) return false;
      sample = Now::now() - start;
    }
    return true;
  }

 private:
  template <class Wait, TellsSenders T>
  static bool take_all(T& link, Work& work) noexcept {
    const std::uint32_t refill = refill_of(work.queue_depth);
    std::uint32_t open = work.streams;
    while (open > 0) {
      Wait::step(link);
      if (link.fault() != nullptr) return false;
      for (Lane& lane : work.lanes) {
        if (lane.to_come == 0) continue;
        const std::uint32_t came = lane.posted - link.receives_in_flight(lane.peer);
        if (came < std::min(refill, lane.to_come)) continue;
        lane.posted -= came;
        lane.to_come -= came;
        post_ahead(link, lane, came);
        if (lane.to_come > 0) continue;
        link.post_send(lane.peer, work.token_out);
        --open;
      }
    }
    return true;
  }

  template <TwoSided T>
  static void post_ahead(T& link, Lane& lane, std::uint32_t count) noexcept {
    for (; count > 0 && lane.to_post > 0; --count, --lane.to_post, ++lane.posted) {
      link.post_recv(lane.peer, lane.in.next());
    }
  }
};

}  // namespace weft

// All pairs of ranks in rounds: in a round every rank has one partner, and each times its own way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "contract/clock.hpp"
#include "contract/roles.hpp"
#include "contract/task.hpp"

namespace weft {

/// One round of a tournament of all ranks (the circle method: one place stays, the others rotate),
/// which is the axis' point. Ranks sit at places drawn from the number of the tournament, so that a
/// second one has the same pairs in other company. In a sample first the lower rank of a pair sends
/// its messages and waits for a short answer to each, then the other one does: each rank's own
/// samples are the way from it to its partner. Pairs do not wait for each other.
struct PairRounds {
  static constexpr PatternInfo info{
      .name = "pair_rounds",
      .title = "Rounds of all pairs",
      .summary = "every rank with one partner at a time; a message and its short answer, each way",
      .figure = Figure::pairs,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 1,
      .time_factor = 2,
      .axis = {.name = "round", .unit = "", .points = "0"},
  };
  static constexpr bool every_rank_times = true;
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t /*queue_depth*/,
                                                  std::uint64_t /*point*/) noexcept {
    return 2;
  }

  static std::string lacks(const Case& /*spec*/, int /*size*/) { return ""; }
  static Role role(const Case& spec, int rank, int size) {
    const int partner = partner_in(spec.point, rank, size);
    Role role;
    if (partner < size) role.to = role.from = role.neighbours = {partner};
    // Rank 0 has samples in every batch.
    role.is_alone = partner == size && rank == 0;
    return role;
  }

  /// With whom a rank is in a round; `size`: with nobody. Of an even number of ranks a tournament
  /// has size - 1 rounds, of an odd one `size`, and one rank stands by in each.
  static int partner_in(std::uint64_t point, int rank, int size) {
    const auto places = static_cast<std::uint64_t>(size) + static_cast<std::uint64_t>(size % 2);
    const std::uint64_t rounds = places - 1;
    const std::vector<int> ranks = seats(point / rounds, places);
    std::uint64_t place = 0;
    while (ranks[place] != rank) ++place;
    const std::uint64_t turn = point % rounds;
    // Places but the last are numbers modulo `rounds`: two of them meet where they add up to twice
    // the turn, and the one that would meet itself meets the last.
    std::uint64_t other = (2 * turn + rounds - place % rounds) % rounds;
    if (place == rounds) {
      other = turn;
    } else if (other == place) {
      other = rounds;
    }
    return ranks[other];
  }

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.lanes.empty()) {
      for (Ticks& sample : task.samples) sample = 1;
      return true;
    }
    Lane& lane = task.lanes[0];
    const std::uint64_t messages = messages_of(task);
    Arrivals<T> arrivals(link, task, lane, task.rank < lane.peer.rank, 2 * messages);
    arrivals.post_next();
    for (Ticks& sample : task.samples) {
      if (task.rank > lane.peer.rank && !answer<Wait>(link, task, arrivals)) return false;
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        const std::uint32_t ahead = arrivals.post_next();
        link.post_send(lane.peer, lane.out.next());
        if (!Wait::settle(link, 0, ahead)) return false;
      }
      sample = Now::now() - start;
      if (task.rank < lane.peer.rank && !answer<Wait>(link, task, arrivals)) return false;
    }
    return drain<Wait>(link);
  }

 private:
  /// What comes from the partner, in its order: the answers to a sample's messages and then the
  /// messages of its own, or the other way round. One receive is always posted ahead.
  template <TwoSided T>
  class Arrivals {
   public:
    Arrivals(T& link, Task& task, Lane& lane, bool begins, std::uint64_t all) noexcept
        : link_(&link), task_(&task), lane_(&lane), are_answers_(begins), left_(all) {}

    /// How many it posted: none once all are.
    std::uint32_t post_next() noexcept {
      if (left_ == 0) return 0;
      --left_;
      link_->post_recv(lane_->peer, are_answers_ ? task_->control_in.next() : lane_->in.next());
      if (++posted_ == task_->ops_per_sample) {
        posted_ = 0;
        are_answers_ = !are_answers_;
      }
      return 1;
    }

   private:
    T* link_;
    Task* task_;
    Lane* lane_;
    bool are_answers_;
    std::uint64_t left_;
    std::uint32_t posted_ = 0;
  };

  template <class Wait, TwoSided T>
  static bool answer(T& link, Task& task, Arrivals<T>& arrivals) noexcept {
    for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
      if (!Wait::settle(link, 0, arrivals.post_next())) return false;
      link.post_send(task.lanes[0].peer, task.control_out);
    }
    return true;
  }

  /// The rank at each place of a tournament, drawn by SplitMix64 (Steele, Lea, Flood 2014) and the
  /// shuffle of Fisher and Yates: src/weft/plan/rounds.py draws the same.
  static std::vector<int> seats(std::uint64_t tournament, std::uint64_t places) {
    std::vector<int> ranks(places);
    std::iota(ranks.begin(), ranks.end(), 0);
    std::uint64_t state = tournament;
    for (std::uint64_t left = places; left > 1; --left) {
      state += 0x9e3779b97f4a7c15U;
      std::uint64_t drawn = state;
      drawn = (drawn ^ (drawn >> 30U)) * 0xbf58476d1ce4e5b9U;
      drawn = (drawn ^ (drawn >> 27U)) * 0x94d049bb133111ebU;
      std::swap(ranks[left - 1], ranks[(drawn ^ (drawn >> 31U)) % left]);
    }
    return ranks;
  }
};

}  // namespace weft

// All pairs of ranks in rounds: in a round every rank has one partner, and each times its own way.
#pragma once

#include <algorithm>
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
/// second one has the same pairs in other company. In a sample first one rank of a pair sends its
/// messages and waits for a short answer to each, then the other one does: each rank's own samples
/// are the way from it to its partner. Who begins is drawn for each pair, so that those below one
/// switch do not all send at once. Pairs do not wait for each other; but where the case says how
/// many run at once, pairs form as many chains by the ranks that begin, and in each a pair begins
/// at the control message with which the one before it ends.
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
  static constexpr bool pairs_all = true;
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
    if (spec.at_once > 0 && partner < size && begins(spec.point, rank, partner)) {
      role.followers = beside_in_chain(spec, rank, size);
      role.neighbours.insert(role.neighbours.end(), role.followers.begin(), role.followers.end());
    }
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
    return ranks[place_met(place, point % rounds, rounds)];
  }

  /// Whether a rank begins in a pair of a round; rank 0 always does, for its time stands for that
  /// of any pair. src/weft/plan/rounds.py draws the same.
  static bool begins(std::uint64_t point, int rank, int partner) noexcept {
    const auto low = static_cast<std::uint64_t>(std::min(rank, partner));
    const auto high = static_cast<std::uint64_t>(std::max(rank, partner));
    const bool low_begins =
        low == 0 || mixed(golden + (point << 40U) + (low << 20U) + high) % 2 == 0;
    return low_begins == (rank < partner);
  }

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.lanes.empty()) {
      for (Ticks& sample : task.samples) sample = 1;
      return true;
    }
    if (!await_turn<Wait>(link, task)) return false;
    Lane& lane = task.lanes[0];
    const std::uint64_t messages = messages_of(task);
    const bool is_first = begins(task.point, task.rank, lane.peer.rank);
    Arrivals<T> arrivals(link, task, lane, is_first, 2 * messages);
    arrivals.post_next();
    for (Ticks& sample : task.samples) {
      if (!is_first && !answer<Wait>(link, task, arrivals)) return false;
      const Ticks start = Now::now();
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        const std::uint32_t ahead = arrivals.post_next();
        link.post_send(lane.peer, lane.out.next());
        if (!Wait::settle(link, 0, ahead)) return false;
      }
      sample = Now::now() - start;
      if (is_first && !answer<Wait>(link, task, arrivals)) return false;
    }
    for (const Peer other : task.followers) {
      if (other.rank > task.rank) link.post_send(other, task.control_out);
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

  /// Until the pair before this one in its chain has ended; the rank that began it is the lesser.
  template <class Wait, TwoSided T>
  static bool await_turn(T& link, Task& task) noexcept {
    for (const Peer other : task.followers) {
      if (other.rank > task.rank) continue;
      link.post_recv(other, task.control_in.next());
      if (!Wait::settle(link, 0, 0)) return false;
    }
    return true;
  }

  /// The ranks that begin the pairs before and after the one that a rank begins, in its chain.
  static std::vector<int> beside_in_chain(const Case& spec, int rank, int size) {
    const auto places = static_cast<std::uint64_t>(size) + static_cast<std::uint64_t>(size % 2);
    const std::uint64_t rounds = places - 1;
    const std::vector<int> ranks = seats(spec.point / rounds, places);
    std::vector<int> first;
    for (std::uint64_t place = 0; place < places; ++place) {
      const int met = ranks[place_met(place, spec.point % rounds, rounds)];
      if (std::max(ranks[place], met) < size && begins(spec.point, ranks[place], met)) {
        first.push_back(ranks[place]);
      }
    }
    std::sort(first.begin(), first.end());
    const auto at = static_cast<std::size_t>(std::lower_bound(first.begin(), first.end(), rank) -
                                             first.begin());
    std::vector<int> beside;
    if (at >= spec.at_once) beside.push_back(first[at - spec.at_once]);
    if (at + spec.at_once < first.size()) beside.push_back(first[at + spec.at_once]);
    return beside;
  }

  /// Places but the last are numbers modulo `rounds`: two of them meet where they add up to twice
  /// the turn, and the one that would meet itself meets the last.
  static std::uint64_t place_met(std::uint64_t place, std::uint64_t turn, std::uint64_t rounds) {
    if (place == rounds) return turn;
    const std::uint64_t other = (2 * turn + rounds - place % rounds) % rounds;
    return other == place ? rounds : other;
  }

  template <class Wait, TwoSided T>
  static bool answer(T& link, Task& task, Arrivals<T>& arrivals) noexcept {
    for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
      if (!Wait::settle(link, 0, arrivals.post_next())) return false;
      link.post_send(task.lanes[0].peer, task.control_out);
    }
    return true;
  }

  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;

  static std::uint64_t mixed(std::uint64_t drawn) noexcept {
    drawn = (drawn ^ (drawn >> 30U)) * 0xbf58476d1ce4e5b9U;
    drawn = (drawn ^ (drawn >> 27U)) * 0x94d049bb133111ebU;
    return drawn ^ (drawn >> 31U);
  }

  /// The rank at each place of a tournament, drawn by SplitMix64 (Steele, Lea, Flood 2014) and the
  /// shuffle of Fisher and Yates: src/weft/plan/rounds.py draws the same.
  static std::vector<int> seats(std::uint64_t tournament, std::uint64_t places) {
    std::vector<int> ranks(places);
    std::iota(ranks.begin(), ranks.end(), 0);
    std::uint64_t state = tournament;
    for (std::uint64_t left = places; left > 1; --left) {
      state += golden;
      std::swap(ranks[left - 1], ranks[mixed(state) % left]);
    }
    return ranks;
  }
};

}  // namespace weft

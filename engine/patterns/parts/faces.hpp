// What the benchmarks on a lattice share: whom a rank exchanges faces with, and when they are here.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/process_grid.hpp"
#include "contract/clock.hpp"
#include "contract/roles.hpp"
#include "contract/task.hpp"
#include "patterns/parts/rank_sums.hpp"

namespace weft {

/// The lattice of a case on so many ranks. Throws std::invalid_argument with what to choose
/// instead.
inline Decomposition lattice_on(const Lattice& lattice, int ranks, const LocalRule& rule) {
  const std::span extents(lattice.extents.data(), lattice.dimensions);
  return lattice.is_global ? divided(extents, ranks, rule) : grown(extents, ranks, rule);
}

/// Why so many ranks cannot have it; empty when they can.
inline std::string refuse_lattice(const Lattice& lattice, int ranks, const LocalRule& rule) {
  try {
    (void)lattice_on(lattice, ranks, rule);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

/// A rank that exchanges its faces, a lane for each split dimension and direction: on the first of
/// two it sends to the next rank and receives from the one before, on the second the other way.
/// `bytes_of(dimension)` is the length of a message. Where two ranks share a dimension both lanes
/// join the same two: their receives are posted in the order in which the other rank sends.
template <class BytesOf>
Role role_with_faces(const Decomposition& lattice, int rank, const BytesOf& bytes_of) {
  Role role;
  for (std::size_t dimension = 0; dimension < most_dimensions; ++dimension) {
    if (!lattice.grid.is_split(dimension)) continue;
    const int next = lattice.grid.neighbour(rank, dimension, 1);
    const int before = lattice.grid.neighbour(rank, dimension, -1);
    role.to.insert(role.to.end(), {next, before});
    role.from.insert(role.from.end(), {before, next});
    role.bytes.insert(role.bytes.end(), 2, bytes_of(dimension));
    role.neighbours.push_back(before);
    if (next != before) role.neighbours.push_back(next);
  }
  role.is_alone = role.to.empty();
  return role;
}

/// Of each lane how many lanes come from its rank: messages of the next iteration that may be here
/// before those of this one from another rank.
inline void count_ahead(Task& task) noexcept {
  for (Lane& lane : task.lanes) {
    lane.posted = 0;
    for (const Lane& other : task.lanes) {
      if (other.peer.rank == lane.peer.rank) ++lane.posted;
    }
  }
}

/// The receives of one iteration.
template <TwoSided T>
void post_faces(T& link, Task& task) noexcept {
  for (Lane& lane : task.lanes) link.post_recv(lane.peer, lane.in.next());
}

/// Wait until this iteration's faces are gone and here; those of the next one are expected already
/// with `is_ahead`, and the messages of some sums. False once the link has a fault.
template <class Wait, TellsPeers T>
[[nodiscard]] bool await_faces(T& link, const Task& task, bool is_ahead,
                               const SumsOf<T>& sums) noexcept {
  const auto ahead = static_cast<std::uint32_t>(is_ahead ? task.lanes.size() : 0) + sums.expected();
  if (!Wait::settle(link, 0, ahead)) return false;
  // A quick neighbour's next face is none of a slow one's.
  for (std::size_t at = 0; at < task.lanes.size(); ++at) {
    const Lane& lane = task.lanes[at];
    const std::uint32_t behind = (is_ahead ? lane.posted : 0) + sums.expected_of_lane(at);
    while (link.receives_in_flight(lane.peer) > behind) {
      Wait::step(link);
      if (link.fault() != nullptr) return false;
    }
  }
  return true;
}

/// Splits a loop's time into parts without a gap: one read of the clock each.
template <Clock Now>
class Laps {
 public:
  void end(Ticks& part) noexcept {
    const Ticks now = Now::now();
    part += now - last_;
    last_ = now;
  }
  [[nodiscard]] Ticks last() const noexcept { return last_; }

 private:
  Ticks last_ = Now::now();
};

}  // namespace weft

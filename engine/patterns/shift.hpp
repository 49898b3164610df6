// A shift permutation: every rank sends to the one so many places further.
#pragma once

#include <string>

#include "contract/roles.hpp"
#include "patterns/parts/exchange_along.hpp"

namespace weft {

/// The point of a case is the distance D: rank r sends to r + D and receives from r - D, modulo the
/// ranks, all at once. With D of 1 it is SendRecv; with more, neighbours at one switch send to
/// another one together, so what the switches between them carry is seen.
struct Shift {
  static constexpr PatternInfo info{
      .name = "shift",
      .title = "Shift",
      .summary = "each rank sends to the one D places further and receives from the one D before",
      .figure = Figure::exchange,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 2,
      .axis = {.name = "places", .unit = "", .points = "1,ranks/2"},
  };
  static constexpr bool every_rank = true;
  static constexpr bool every_rank_times = true;

  static std::string lacks(const Case& spec, int size) {
    if (spec.point == 0 || spec.point >= static_cast<std::uint64_t>(size)) {
      return "a shift is by 1 place to one less than there are ranks; choose other --points";
    }
    return "";
  }
  static Role role(const Case& spec, int rank, int size) {
    const auto distance = static_cast<int>(spec.point);
    const int to = (rank + distance) % size;
    const int from = (rank + size - distance) % size;
    return {.to = {to}, .from = {from}, .neighbours = {from, to}, .followers = {}};
  }

  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    const auto distance = static_cast<int>(task.point);
    return exchange_along<Now, Wait>(link, task, {(task.rank + distance) % task.size},
                                     {(task.rank + task.size - distance) % task.size});
  }
};

}  // namespace weft

// A sum over all ranks of the fake fabric.
#pragma once

#include <algorithm>
#include <mutex>
#include <span>

#include "tests/fake_wires.hpp"

namespace weft::fake {

/// A rank's next sum, its `index`-th: over when the last rank has come to it and its word has been
/// there and back. False once the fabric is dead.
inline bool sum_over_ranks(Fabric& fabric, int rank, std::size_t index,
                           std::span<double> numbers) noexcept {
  std::unique_lock hold(fabric.lock);
  Fabric::Sum& all = fabric.sums[index];
  all.numbers.resize(numbers.size());
  for (std::size_t at = 0; at < numbers.size(); ++at) all.numbers[at] += numbers[at];
  all.latest = std::max(all.latest, VirtualClock::time());
  ++all.came;
  const auto end = [&] {
    const bool is_whole = all.came == static_cast<std::size_t>(fabric.size);
    return is_whole ? all.latest + 2 * fabric.costs_of(rank).latency : never;
  };
  const auto self = static_cast<std::size_t>(rank);
  fabric.next_events[self] = end;
  fabric.look_whether_dead();
  fabric.changed.notify_all();
  fabric.changed.wait(hold, [&] { return fabric.dead || fabric.may_go(rank); });
  fabric.next_events[self] = nullptr;
  if (fabric.dead) return false;
  VirtualClock::time() = end();
  std::copy(all.numbers.begin(), all.numbers.end(), numbers.begin());
  return true;
}

}  // namespace weft::fake

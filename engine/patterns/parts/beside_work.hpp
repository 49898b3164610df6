// What the benchmarks share that compute while a transfer is on its way: post, work, wait
// (Lawry, Wilson, Maccabe and Brightwell, COMB, a benchmark suite for assessing overlap, 2002; its
// descendant SMB).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "contract/clock.hpp"
#include "contract/task.hpp"

namespace weft {

/// The axis of these benchmarks: how long the work is, in per cent of what it is done beside.
inline constexpr Axis work_axis{.name = "work", .unit = "%", .points = "100,200"};

/// Why no model of a fabric shows what they measure.
inline constexpr std::string_view models_always_overlap =
    "in a model messages take no processor: they would always overlap completely";

/// Transfers that show how long one takes alone, of which the shortest counts, for the longest may
/// hold a turn of the scheduler.
inline constexpr std::uint32_t trial_transfers = 4;

/// How many rounds of computing take so long. Nothing rests on it being exact: what the work took
/// is measured beside every sample.
template <Clock Now>
std::uint64_t rounds_for(Ticks wanted) noexcept {
  constexpr std::uint64_t probe_rounds = 4096;
  Ticks shortest = std::numeric_limits<Ticks>::max();
  for (std::uint32_t trial = 0; trial < trial_transfers; ++trial) {
    const Ticks start = Now::now();
    Now::compute(probe_rounds);
    shortest = std::min(shortest, Now::now() - start);
  }
  const double each = static_cast<double>(std::max<Ticks>(shortest, 1)) / probe_rounds;
  return static_cast<std::uint64_t>(static_cast<double>(wanted) / each);
}

/// So many per cent of a time.
constexpr Ticks share_of(Ticks whole, std::uint64_t per_cent) noexcept {
  return static_cast<Ticks>(static_cast<double>(whole) * static_cast<double>(per_cent) / 100);
}

/// The work by itself, as often as it is done.
template <Clock Now>
Ticks work_alone(std::uint64_t rounds, std::uint64_t times = 1) noexcept {
  const Ticks start = Now::now();
  for (; times > 0; --times) Now::compute(rounds);
  return Now::now() - start;
}

/// Rank 0 of a benchmark whose `transfer(rounds, took)` begins a transfer, works and waits until it
/// is done, and is false once the link has a fault; `more(rounds, op)` is what an operation
/// measures besides. `parts[0]` is the transfer alone, `parts[1]` the work alone.
template <Clock Now, class Transfer, class More>
[[nodiscard]] bool measure_beside_work(Task& task, const Transfer& transfer, const More& more) {
  Ticks shortest = std::numeric_limits<Ticks>::max();
  for (std::uint32_t trial = 0; trial < trial_transfers; ++trial) {
    Ticks took = 0;
    if (!transfer(0, took)) return false;
    shortest = std::min(shortest, took);
  }
  const std::uint64_t rounds = rounds_for<Now>(share_of(shortest, task.point));
  for (std::size_t at = 0; at < task.samples.size(); ++at) {
    Ticks both = 0;
    Ticks alone = 0;
    Ticks working = 0;
    for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
      if (!transfer(0, alone) || !transfer(rounds, both) || !more(rounds, at)) return false;
      working += work_alone<Now>(rounds);
    }
    task.samples[at] = both;
    task.parts[0][at] = alone;
    task.parts[1][at] = working;
  }
  return true;
}

}  // namespace weft

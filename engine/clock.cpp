#include "clock.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace weft {

Spent spent_so_far() {
  timespec cpu{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  return {monotonic_raw_ns(), cpu.tv_sec * 1'000'000'000LL + cpu.tv_nsec};
}

Instant read_both_clocks() {
  Instant best{.uncertainty_ns = std::numeric_limits<std::int64_t>::max()};
  for (int attempt = 0; attempt < 50; ++attempt) {
    const std::int64_t before = monotonic_raw_ns();
    const Ticks ticks = CycleCounter::now();
    const std::int64_t after = monotonic_raw_ns();
    if (after - before < best.uncertainty_ns) {
      best = {ticks, before + (after - before) / 2, after - before};
    }
  }
  return best;
}

namespace {

Ticks median_overhead() {
  std::array<Ticks, 1001> differences{};
  for (Ticks& difference : differences) {
    const Ticks start = CycleCounter::now();
    difference = CycleCounter::now() - start;
  }
  auto* const middle = differences.begin() + differences.size() / 2;
  std::nth_element(differences.begin(), middle, differences.end());
  return *middle;
}

}  // namespace

Calibration calibrate(const Instant& start, std::int64_t baseline_ns) {
  while (monotonic_raw_ns() - start.nanoseconds < baseline_ns) {
  }
  const Instant end = read_both_clocks();
  const std::int64_t elapsed_ns = end.nanoseconds - start.nanoseconds;
  const auto ticks = static_cast<double>(end.ticks - start.ticks);
  return {static_cast<double>(elapsed_ns) / ticks, median_overhead(), elapsed_ns};
}

}  // namespace weft

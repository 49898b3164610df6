// Ticks of the processor's own counter, and what one tick is worth.
#pragma once

#include <ctime>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "contract/clock.hpp"
#include "contract/transport.hpp"
#include "host/compute.hpp"

namespace weft {

/// The time stamp counter. The fence keeps a read from moving ahead of earlier loads
/// (Intel SDM, volume 2, RDTSC; Arm ARM, CNTVCT_EL0).
struct CycleCounter {
#if defined(__x86_64__)
  static constexpr std::string_view name = "tsc";
  static Ticks now() noexcept {
    _mm_lfence();
    return __rdtsc();
  }
#elif defined(__aarch64__)
  static constexpr std::string_view name = "cntvct";
  static Ticks now() noexcept {
    Ticks value = 0;
    asm volatile("isb; mrs %0, cntvct_el0" : "=r"(value)::"memory");
    return value;
  }
#else
#error "weft has no cycle counter for this processor yet: add it to engine/host/clock.hpp"
#endif
  static Ticks pause(Ticks least) noexcept {
    const Ticks start = now();
    Ticks at = start;
    while (at - start < least) at = now();
    return at - start;
  }
  static void compute(std::uint64_t rounds) noexcept {
    compute_loop(rounds);
  }
};

inline std::int64_t monotonic_raw_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

/// Time gone by, on the wall and on the processor for all threads of this process.
struct Spent {
  std::int64_t wall_ns = 0;
  std::int64_t cpu_ns = 0;

  friend Spent operator-(const Spent& end, const Spent& start) {
    return {end.wall_ns - start.wall_ns, end.cpu_ns - start.cpu_ns};
  }
};

Spent spent_so_far();

/// One instant read on both clocks: the ticks lie within `uncertainty_ns` of `nanoseconds`.
struct Instant {
  Ticks ticks = 0;
  std::int64_t nanoseconds = 0;
  std::int64_t uncertainty_ns = 0;
};

/// What the tick counter of that name is worth over a baseline.
struct Calibration {
  double tick_ns = 0;
  Ticks overhead_ticks = 0;
  std::int64_t baseline_ns = 0;
  std::string_view name = CycleCounter::name;
};

/// CLOCK_MONOTONIC_RAW, which nobody adjusts.
struct RawClock {
  static std::int64_t now_ns() noexcept { return monotonic_raw_ns(); }
};

/// The tightest of several readings of a tick counter between two readings of a raw clock.
template <class Counter, class Raw>
Instant read_both() {
  constexpr int attempts = 50;
  Instant best{.uncertainty_ns = std::numeric_limits<std::int64_t>::max()};
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const std::int64_t before = Raw::now_ns();
    const Ticks ticks = Counter::now();
    const std::int64_t after = Raw::now_ns();
    if (after - before < best.uncertainty_ns) {
      best = {ticks, before + (after - before) / 2, after - before};
    }
  }
  return best;
}

/// The median of 1,001 differences of two reads in a row.
template <class Counter>
Ticks median_overhead() {
  std::array<Ticks, 1001> differences{};
  for (Ticks& difference : differences) {
    const Ticks start = Counter::now();
    difference = Counter::now() - start;
  }
  auto* const middle = differences.begin() + differences.size() / 2;
  std::nth_element(differences.begin(), middle, differences.end());
  return *middle;
}

/// Wait until `baseline_ns` after `start`, then compare the clocks.
template <class Counter, class Raw>
Calibration calibrate_by(const Instant& start, std::int64_t baseline_ns) {
  while (Raw::now_ns() - start.nanoseconds < baseline_ns) {
  }
  const Instant end = read_both<Counter, Raw>();
  const std::int64_t elapsed_ns = end.nanoseconds - start.nanoseconds;
  const auto ticks = static_cast<double>(end.ticks - start.ticks);
  return {static_cast<double>(elapsed_ns) / ticks, median_overhead<Counter>(), elapsed_ns};
}

/// Of the processor's counter and the raw clock.
Instant read_both_clocks();
Calibration calibrate(const Instant& start, std::int64_t baseline_ns);

}  // namespace weft

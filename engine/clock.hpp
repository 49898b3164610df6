// Ticks of the processor's own counter, and what one tick is worth.
#pragma once

#include <ctime>

#include <cstdint>
#include <string_view>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "compute.hpp"
#include "transport.hpp"

namespace weft {

/// A clock that a pattern can read: a name and one static, inlined read; a pause by it, which gives
/// back how long it really was, less one read; and computing, in rounds whose worth the pattern
/// finds out by the clock.
template <class C>
concept Clock = requires {
  { C::name } -> std::convertible_to<std::string_view>;
  { C::now() }
  noexcept->std::same_as<Ticks>;
  { C::pause(Ticks{}) }
  noexcept->std::same_as<Ticks>;
  { C::compute(std::uint64_t{}) }
  noexcept->std::same_as<void>;
};

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
#error "weft has no cycle counter for this processor yet: add it to engine/clock.hpp"
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

/// What the tick counter is worth over a baseline.
struct Calibration {
  double tick_ns = 0;
  Ticks overhead_ticks = 0;
  std::int64_t baseline_ns = 0;
};

/// The tightest of several readings of the tick counter between two readings of the raw clock.
Instant read_both_clocks();

/// Wait until `baseline_ns` after `start`, then compare the clocks. The overhead is the median of
/// 1,001 differences of two reads in a row.
Calibration calibrate(const Instant& start, std::int64_t baseline_ns);

}  // namespace weft

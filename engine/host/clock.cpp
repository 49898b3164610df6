#include "host/clock.hpp"

namespace weft {

Spent spent_so_far() {
  timespec cpu{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  return {monotonic_raw_ns(), cpu.tv_sec * 1'000'000'000LL + cpu.tv_nsec};
}

Instant read_both_clocks() {
  return read_both<CycleCounter, RawClock>();
}

Calibration calibrate(const Instant& start, std::int64_t baseline_ns) {
  return calibrate_by<CycleCounter, RawClock>(start, baseline_ns);
}

}  // namespace weft

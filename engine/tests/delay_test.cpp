// The delay method on a fabric whose o_s, o_r and gap are known.
#include <gtest/gtest.h>

#include "fake_fabric.hpp"

namespace weft::fake {
namespace {

constexpr Costs costs{
    .send_overhead = 7, .receive_overhead = 11, .latency = 500, .per_byte = 2, .clock_read = 3};
constexpr Ticks round_trip = 2 * (7 + 200 + 500 + 11);

Ticks per_operation(const std::string& test, std::uint32_t ops = 4) {
  Case made;
  made.test = test;
  made.bytes = 100;
  made.samples = 5;
  made.warmup = 1;
  made.ops_per_sample = ops;
  const Result result = run(made, costs);
  EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  return result.batch.ticks.at(3) / ops;
}

TEST(Burst, WhatItTakesBeyondARoundTripIsItsGaps) {
  // The wire takes 200 ticks a message, the receiver's 11 are hidden behind it.
  EXPECT_NEAR(static_cast<double>(per_operation("burst")), round_trip + 7 * 200, 7);
}

TEST(PausedBurst, WhatItTakesBeyondARoundTripIsSendOverheadAndAClockRead) {
  EXPECT_NEAR(static_cast<double>(per_operation("paused_burst")), round_trip + 7 * (7 + 3), 1);
}

TEST(LateReceive, IsTheReceiveOverheadAndAClockRead) {
  EXPECT_EQ(per_operation("late_receive"), 11U + 3U);
}

/// A benchmark broken on purpose: its pause is too short, so the wire's time is in its figure.
struct PausesTooShort {
  static constexpr PatternInfo info = LateReceive::info;
  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Work& work) noexcept {
    const Peer peer{1 - work.rank};
    for (Ticks& sample : work.samples) {
      link.post_recv(peer, work.in.next());
      if (work.rank == 1 && !Wait::settle(link, 0, 0)) return false;
      link.post_send(peer, work.out.next());
      (void)Now::pause(1);
      const Ticks start = Now::now();
      if (!drain<Wait>(link)) return false;
      sample = Now::now() - start;
    }
    return true;
  }
};

TEST(Planted, APauseThatIsTooShortDoesNotReadAsTheReceiveOverhead) {
  Case made;
  made.test = "late_receive";
  made.bytes = 100;
  made.samples = 5;
  const Result result = run<std::tuple<PausesTooShort>>(made, costs);
  EXPECT_GT(result.batch.ticks.at(3), 11U + 3U);
}

}  // namespace
}  // namespace weft::fake

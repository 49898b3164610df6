// Clocks of a known ratio, and passes that nobody may leave unchecked.
#include <gtest/gtest.h>

#include <string>

#include "run/case_memory.hpp"
#include "tests/support/fake_cases.hpp"

namespace weft::fake {
namespace {

/// What both clocks below are read from: each read takes a time, now and then a long one.
struct Script {
  static double& now_ns() noexcept {
    thread_local double time_ns = 1e6;
    return time_ns;
  }
  static double passing() noexcept {
    thread_local unsigned reads = 0;
    // An interrupt now and then, between any two reads.
    now_ns() += ++reads % 17 == 0 ? 5000.0 : 20.0;
    return now_ns();
  }
};

constexpr double true_tick_ns = 0.3851;

struct ScriptedCounter {
  static Ticks now() noexcept { return static_cast<Ticks>(Script::passing() / true_tick_ns); }
};

struct ScriptedRaw {
  static std::int64_t now_ns() noexcept { return static_cast<std::int64_t>(Script::passing()); }
};

TEST(Calibration, GivesTheTrueWorthOfATick) {
  const Instant start = read_both<ScriptedCounter, ScriptedRaw>();
  for (const std::int64_t baseline_ns : {1'000'000, 20'000'000, 500'000'000}) {
    const Calibration found = calibrate_by<ScriptedCounter, ScriptedRaw>(start, baseline_ns);
    // Two reads of the raw clock lie 40 ns apart, at both ends.
    EXPECT_NEAR(found.tick_ns, true_tick_ns, true_tick_ns * 45 / static_cast<double>(baseline_ns));
    EXPECT_GE(found.baseline_ns, baseline_ns);
    EXPECT_LT(found.baseline_ns, baseline_ns + 1'000'000);
    EXPECT_NEAR(static_cast<double>(found.overhead_ticks), 20 / true_tick_ns, 1);
  }
}

TEST(Calibration, AnInstantIsWithinItsUncertainty) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const Instant instant = read_both<ScriptedCounter, ScriptedRaw>();
    EXPECT_EQ(instant.uncertainty_ns, 40);
    const double true_ns = static_cast<double>(instant.ticks) * true_tick_ns;
    EXPECT_NEAR(true_ns, static_cast<double>(instant.nanoseconds), 2);
  }
}

class EveryTimedPass : public testing::TestWithParam<const char*> {};

/// Without the untimed pass only the check after the timed one can see it.
TEST_P(EveryTimedPass, AWrongByteInABuffersLastMessageIsSeen) {
  Case spec = make_case(GetParam(), 64, 8);
  spec.verify = false;
  EXPECT_EQ(run(spec, usual_costs).batch.outcome.status, Status::ok);
  int seen = 0;
  for (const int sender : {0, 1}) {
    for (std::size_t message = 0; message < 160; ++message) {
      const Mischief flip{.rank = sender, .message = message, .flip_offset = 33};
      const Batch batch = run(spec, usual_costs, flip).batch;
      if (batch.outcome.status == Status::ok) continue;
      EXPECT_EQ(batch.outcome.status, Status::failed);
      EXPECT_TRUE(batch.ticks.empty());
      if (batch.outcome.reason.find("in the last message in buffer") != std::string::npos) ++seen;
    }
  }
  EXPECT_GT(seen, 0) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(All, EveryTimedPass,
                         testing::Values("ping_pong", "ping_ping", "stream", "bidirectional_stream",
                                         "sendrecv", "put_ping_pong", "put_notify_ping_pong",
                                         "put_latency", "get_latency", "put_stream", "get_stream",
                                         "hot_spot_send", "hot_spot_receive", "message_rate",
                                         "window_stream", "bidirectional_window_stream"));

/// A benchmark broken on purpose: rank 1 counts a message as received that nobody sent.
struct TakesNothing {
  static constexpr PatternInfo info = PingPong::info;
  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    (void)task.in.next();
    return link.fault() == nullptr;
  }
};

TEST(Planted, ABufferThatNothingCameIntoIsSeen) {
  for (const bool verify : {true, false}) {
    Case spec = make_case("ping_pong", 64, 1);
    spec.verify = verify;
    const Batch batch = run<std::tuple<TakesNothing>>(spec, usual_costs).batch;
    EXPECT_EQ(batch.outcome.status, Status::failed);
    EXPECT_NE(batch.outcome.reason.find("wrong byte at offset 0"), std::string::npos);
  }
}

TEST(TimedPass, AWrongByteOnEitherRankIsTheBatchs) {
  Case spec = make_case("ping_pong", 64, 8);
  spec.verify = false;
  for (const int sender : {0, 1}) {
    int seen = 0;
    for (std::size_t message = 0; message < 80; ++message) {
      const Mischief flip{.rank = sender, .message = message, .flip_offset = 33};
      const Outcome outcome = run(spec, usual_costs, flip).batch.outcome;
      if (outcome.reason.find("from rank " + std::to_string(sender)) != std::string::npos) ++seen;
    }
    EXPECT_GT(seen, 0) << sender;
  }
}

TEST(TimedPass, EveryBufferThatWasUsedIsChecked) {
  Case spec = make_case("ping_pong", 64, 8);
  spec.verify = false;
  spec.schedule = {"turn", 5, 100};
  // Five buffers on each side, and the closing message by both ways round the ring of two.
  const Batch batch = run(spec, usual_costs).batch;
  EXPECT_EQ(batch.outcome.status, Status::ok) << batch.outcome.reason;
  EXPECT_EQ(batch.outcome.verified_bytes, 2 * (5 * 64 + 2 * control_bytes));
}

}  // namespace
}  // namespace weft::fake

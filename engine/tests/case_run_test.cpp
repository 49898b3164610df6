// What a case's run says of its warm-up and of its loop, by loops that say what a test wants.
#include "run/case_run.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "tests/support/fake_cases.hpp"

namespace weft::fake {
namespace {

/// A stream whose queue held in the warm-up what is said here.
struct HeldAsSaid {
  static constexpr PatternInfo info = Stream::info;
  static constexpr bool streams = true;
  static constexpr bool one_way = true;
  static constexpr std::array<std::uint32_t, 5> said{9, 2, 5, 7, 8};
  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if (!Stream::run<Now, Wait>(link, task)) return false;
    for (std::size_t at = 0; at < task.held.size() && task.rank == 0; ++at) {
      task.held[at] = said.at(at);
    }
    return true;
  }
};

std::optional<std::uint32_t> held_after(std::uint32_t warmup) {
  Case spec = make_case("stream", 8, 8);
  spec.warmup = warmup;
  const Batch batch = run<std::tuple<HeldAsSaid>>(spec, usual_costs).batch;
  EXPECT_EQ(batch.outcome.status, Status::ok) << batch.outcome.reason;
  EXPECT_EQ(batch.warmup, warmup);
  EXPECT_EQ(batch.ops_per_sample, 8U);
  return batch.queue_held;
}

TEST(CaseRun, SaysTheMedianOfWhatTheQueueHeldInTheWarmUp) {
  EXPECT_FALSE(held_after(0).has_value());
  EXPECT_EQ(held_after(1), 9U);
  // Of two in the middle the larger.
  EXPECT_EQ(held_after(2), 9U);
  EXPECT_EQ(held_after(3), 5U);
  EXPECT_EQ(held_after(4), 7U);
  EXPECT_EQ(held_after(5), 7U);
}

/// A stream that finds a fault of its own in one of both passes.
template <bool when_checked>
struct FindsAFault {
  static constexpr PatternInfo info = Stream::info;
  static constexpr bool streams = true;
  static constexpr bool one_way = true;
  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.checks == when_checked) task.wrong = when_checked ? "the first" : "the second";
    return Stream::run<Now, Wait>(link, task);
  }
};

TEST(CaseRun, FailsOfWhatALoopFindsInEitherPass) {
  const Case spec = make_case("stream", 8, 4);
  const Batch checked = run<std::tuple<FindsAFault<true>>>(spec, usual_costs).batch;
  EXPECT_EQ(checked.outcome.status, Status::failed);
  EXPECT_EQ(checked.outcome.reason, "the first");
  const Batch timed = run<std::tuple<FindsAFault<false>>>(spec, usual_costs).batch;
  EXPECT_EQ(timed.outcome.status, Status::failed);
  EXPECT_EQ(timed.outcome.reason, "the second");
}

int meetings_of(const Case& spec, int ranks) {
  const Result result = run(spec, usual_costs, {}, ranks);
  EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  return result.meetings;
}

// Every one costs a round of a map as much as a pair's messages do where ranks share cores: all
// agree to begin with what each has connected and taken, and all report, with their short series.
TEST(CaseRun, RanksOfARoundMeetTwice) {
  Case spec = make_case("pair_rounds", 8, 2);
  EXPECT_EQ(meetings_of(spec, 4), 2);
  spec.verify = false;
  EXPECT_EQ(meetings_of(spec, 4), 2);
  spec.at_once = 1;
  EXPECT_EQ(meetings_of(spec, 4), 2);
}

// Ranks take what a round needs before they know that all have it: not of much memory.
TEST(CaseRun, RanksOfARoundOfLongMessagesAgreeBeforeTheyTakeMemory) {
  Case spec = make_case("pair_rounds", 1U << 20U, 2);
  EXPECT_EQ(meetings_of(spec, 4), 2);
  spec.bytes = 1U << 24U;
  EXPECT_EQ(meetings_of(spec, 4), 4);
}

TEST(CaseRun, RanksMeetOnceMoreWhereOneStandsByOrSeriesAreLong) {
  Case spec = make_case("pair_rounds", 8, 2);
  EXPECT_EQ(meetings_of(spec, 5), 3);
  spec.samples = 511;
  EXPECT_EQ(meetings_of(spec, 4), 2);
  spec.samples = 512;
  EXPECT_EQ(meetings_of(spec, 4), 4) << "what is wanted of them, and they";
}

// A library may open memory by a call of all, and nobody reaches into it any more at the end.
TEST(CaseRun, RanksMeetFourTimesMoreWhereTheyOpenMemory) {
  Case spec = make_case("put_ping_pong", 8, 2);
  EXPECT_EQ(meetings_of(spec, 2), 8);
}

// The plan of one may be long, so none is made before all have room for the case.
TEST(CaseRun, RanksMeetOnceMoreForALongPlan) {
  Case spec = make_case("ping_pong", 8, 2);
  const int of_short = meetings_of(spec, 2);
  spec.schedule = {"reuse", 1U << 15U, 0};
  EXPECT_EQ(meetings_of(spec, 2), of_short);
  spec.schedule.count += 1;
  EXPECT_EQ(meetings_of(spec, 2), of_short + 1);
}

}  // namespace
}  // namespace weft::fake

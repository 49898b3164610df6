// What holds of everything that nobody has said anything of yet: most of it is said before it is
// read, so that no result would tell.
#include <gtest/gtest.h>

#include "run/case_memory.hpp"
#include "run/case_plan.hpp"
#include "run/describe.hpp"
#include "run/gather.hpp"

namespace weft {
namespace {

TEST(Defaults, OfABatchSayNothing) {
  const Batch batch;
  EXPECT_EQ(batch.id, 0U);
  EXPECT_EQ(batch.outcome.status, Status::ok);
  EXPECT_EQ(batch.outcome.verified_bytes, 0U);
  EXPECT_EQ(batch.warmup, 0U);
  EXPECT_EQ(batch.ops_per_sample, 1U);
  EXPECT_EQ(batch.sent_bytes, 0U);
  EXPECT_EQ(batch.sent_messages, 0U);
  EXPECT_EQ(batch.elapsed_ns, 0);
  EXPECT_EQ(batch.timed_ns, 0);
  EXPECT_EQ(batch.pages.bytes, 0U);
  EXPECT_EQ(batch.pages.huge_bytes, 0U);
  EXPECT_FALSE(batch.queue_held.has_value());
  EXPECT_FALSE(batch.ended_launch);
}

TEST(Defaults, OfAReportAndItsHeadSayNothing) {
  const Report report;
  EXPECT_EQ(report.cpu_ns, 0);
  EXPECT_EQ(report.tick_ns, 0);
  EXPECT_EQ(report.most_values, 0U);
  EXPECT_FALSE(report.is_of_all);
  EXPECT_FALSE(report.keeps_all);
  const ReportHead head;
  EXPECT_EQ(head.verified_bytes, 0U);
  EXPECT_EQ(head.cpu_ns, 0);
  EXPECT_EQ(head.tick_ns, 0);
  EXPECT_EQ(head.values, 0U);
  EXPECT_EQ(head.filled, 0U);
  EXPECT_EQ(head.reason_bytes, 0U);
  EXPECT_EQ(head.queue_held, 0U);
  EXPECT_EQ(head.has_queue_held, 0U);
  EXPECT_EQ(head.status, 0U);
  EXPECT_EQ(head.unused, 0U);
}

TEST(Defaults, OfWhatIsAskedAreNobodysReasonAndNoSeries) {
  const Asked asked;
  EXPECT_EQ(asked.values, 0U);
  EXPECT_EQ(asked.tick_ns, 1);
  EXPECT_EQ(asked.warmup, 0U);
  EXPECT_EQ(asked.reason_of, -1);
  EXPECT_EQ(asked.wanted, Wanted::nothing);
  EXPECT_EQ(OverRanks{}.values, 0U);
}

TEST(Defaults, OfAPlanAreNoMessagesAndNoMemory) {
  const CasePlan plan;
  EXPECT_EQ(plan.pattern, nullptr);
  EXPECT_EQ(plan.loop, nullptr);
  EXPECT_EQ(plan.rank, 0);
  EXPECT_EQ(plan.size, 0);
  EXPECT_EQ(plan.work, 0U);
  EXPECT_EQ(plan.operations, 1U);
  EXPECT_EQ(plan.samples, 0U);
  EXPECT_EQ(plan.warmup, 0U);
  EXPECT_EQ(plan.checked.depth, 0U);
  EXPECT_EQ(plan.checked.operations, 0U);
  EXPECT_EQ(plan.checked.slots, 0U);
  EXPECT_EQ(plan.slots_before_timed, 0U);
  EXPECT_FALSE(plan.goes_by_pairs);
  const OrderSize order;
  EXPECT_EQ(order.slots, 1U);
  EXPECT_EQ(order.arriving, 1U);
  EXPECT_EQ(order.places, 2U);
  const RanksOfCase ranks;
  EXPECT_EQ(ranks.ranks, 0);
  EXPECT_EQ(ranks.lanes, 0U);
  const SideLayout layout;
  EXPECT_EQ(layout.lanes, 0U);
  EXPECT_EQ(layout.slots, 0U);
  EXPECT_EQ(layout.stride, 0U);
  EXPECT_EQ(layout.behind, 0U);
  EXPECT_FALSE(layout.is_opened);
}

TEST(Defaults, OfAPatternAreThatItDoesNothingOfItsOwn) {
  const PatternOn pattern;
  EXPECT_EQ(pattern.opens, Opens::none);
  EXPECT_FALSE(pattern.whole_windows);
  EXPECT_FALSE(pattern.every_rank);
  EXPECT_FALSE(pattern.every_rank_times);
  EXPECT_FALSE(pattern.polls_memory);
  EXPECT_FALSE(pattern.registers);
  EXPECT_FALSE(pattern.keeps_time);
  EXPECT_FALSE(pattern.is_collective);
  EXPECT_EQ(pattern.prepare, nullptr);
  EXPECT_EQ(pattern.role, nullptr);
  EXPECT_EQ(pattern.lacks, nullptr);
  EXPECT_TRUE(Support{}.supported);
  EXPECT_EQ(SimulationEnd{}.peak_bytes, 0U);
}

}  // namespace
}  // namespace weft

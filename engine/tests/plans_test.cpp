// What follows from a case before it runs, by numbers that were counted by hand: its plan, and the
// numbers that messages bear.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run/case_memory.hpp"
#include "run/case_plan.hpp"
#include "run/verification.hpp"
#include "tests/support/planned.hpp"

namespace weft::fake {
namespace {

std::uint32_t by_queue_and_point(std::uint32_t queue_depth, std::uint64_t point) {
  return queue_depth + static_cast<std::uint32_t>(point);
}

TEST(CasePlan, HasWhatIsAskedAndTheRanksRole) {
  const PatternOn pattern = pattern_of({});
  const CasePlan plan =
      plan_case(usual(), pattern, loop, 2, ranks, 1, {.content = 64, .read = 128});
  EXPECT_EQ(plan.rank, 2);
  EXPECT_EQ(plan.size, ranks);
  EXPECT_EQ(plan.pattern, &pattern);
  EXPECT_EQ(plan.loop, &loop);
  EXPECT_EQ(plan.carried.content, 64U);
  EXPECT_EQ(plan.carried.read, 128U);
  EXPECT_EQ(plan.operations, 6U);
  EXPECT_EQ(plan.samples, 23U);
  EXPECT_EQ(plan.warmup, 3U);
  EXPECT_EQ(plan.orders.in, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(plan.checked.slots, 0U);
  EXPECT_EQ(plan.slots_before_timed, 0U);
  EXPECT_EQ(peers_of(plan), (std::vector<int>{1, 3, 4}));
}

TEST(CasePlan, OfARankThatStandsByHasNoOrderAndNoSamples) {
  const PatternOn pattern = pattern_of({});
  const CasePlan plan = plan_case(usual(), pattern, loop, 3, ranks);
  EXPECT_TRUE(plan.orders.out.empty());
  EXPECT_EQ(plan.samples, 0U);
  EXPECT_EQ(refuse_buffers(plan), "");
  EXPECT_EQ(layout_of(plan, Opens::outgoing).bytes(), 0U);
}

TEST(CasePlan, OfAStreamHasWholeRefillsOfEachOrWholeWindows) {
  PatternOn pattern = pattern_of({.streams = true});
  Case spec = usual();
  spec.queue_depth = 4;
  spec.ops_per_sample = 9;
  // Two streams of 4 at once, by refills of 2 each.
  EXPECT_EQ(plan_case(spec, pattern, loop, 0, ranks).operations, 12U);
  spec.ops_per_sample = 1;
  EXPECT_EQ(plan_case(spec, pattern, loop, 0, ranks).operations, 8U);
  pattern.whole_windows = true;
  EXPECT_EQ(plan_case(spec, pattern, loop, 0, ranks).operations, 4U);
}

TEST(CasePlan, TakesTheReceivesOfItsQueueAtItsPoint) {
  const PatternOn pattern = pattern_of({});
  const LoopOn by_case{"spin", by_queue_and_point, nullptr};
  Case spec = usual();
  spec.queue_depth = 4;
  spec.point = 2;
  EXPECT_EQ(plan_case(spec, pattern, by_case, 0, ranks).orders.in.size(), 6U);
}

TEST(CasePlan, ComputesForEachSiteOfARankInItsTicks) {
  const PatternOn pattern = pattern_of({});
  Case spec = usual();
  spec.lattice.extents = {10, 10, 10, 1};
  spec.lattice.dimensions = 3;
  spec.lattice.compute_ps_per_site = 500;
  // 1,000 sites of half a nanosecond, of ticks of a quarter.
  EXPECT_EQ(plan_case(spec, pattern, loop, 0, ranks, 0.25).work, 2000U);
  spec.lattice.is_global = true;
  EXPECT_EQ(plan_case(spec, pattern, loop, 0, ranks, 0.25).work, 400U);
}

// Of 100 new buffers, two messages of an operation of three and four before the first.
TEST(CasePlan, IsShorterWhereBuffersThatAreUsedOnceAreFew) {
  const PatternOn pattern = pattern_of({.messages_per_operation = 2, .messages_before = 4});
  Case spec = usual();
  spec.ops_per_sample = 3;
  spec.schedule = {"reuse", 100, 0};
  const auto planned = [&](std::uint32_t warmup) {
    spec.warmup = warmup;
    return plan_case(spec, pattern, loop, 0, ranks);
  };
  EXPECT_EQ(planned(3).samples, 16U);
  EXPECT_EQ(planned(3).warmup, 3U);
  EXPECT_EQ(planned(8).warmup, 8U);
  EXPECT_EQ(planned(9).warmup, 8U);
  EXPECT_EQ(refuse_buffers(planned(3)), "");
  spec.schedule.count = 142;
  EXPECT_EQ(planned(3).samples, 23U);
  spec.samples = 1;
  EXPECT_EQ(planned(3).samples, 4U);
  EXPECT_EQ(planned(3).warmup, 3U);
  const std::string too_few =
      "a sample has more messages than there are buffers to use once; choose more "
      "--buffers, or a smaller --queue-depth";
  spec.schedule.count = 10;
  EXPECT_EQ(refuse_buffers(planned(1)), "");
  for (const std::uint32_t count : {9U, 4U, 3U}) {
    spec.schedule.count = count;
    EXPECT_EQ(refuse_buffers(planned(1)), too_few) << count;
  }
}

TEST(CasePlan, OfACheckedPassItsBuffersComeBeforeThoseThatAreUsedOnce) {
  const PatternOn pattern = pattern_of({});
  Case spec = usual();
  spec.verify = true;
  spec.most_checked = 7;
  const CasePlan plan = plan_case(spec, pattern, loop, 0, ranks);
  EXPECT_EQ(plan.checked.slots, 7U);
  EXPECT_EQ(plan.checked_orders.out, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(plan.checked_orders.in, plan.checked_orders.out);
  EXPECT_EQ(plan.slots_before_timed, 0U);
  spec.schedule = {"reuse", 200, 50};
  EXPECT_EQ(plan_case(spec, pattern, loop, 0, ranks).slots_before_timed, 7U);
}

TEST(CasePlan, WantsWholeTurnsOfEachStreamUnlessThePatternTakesThem) {
  const PatternOn pattern = pattern_of({.buffers = 2});
  Case spec = usual();
  // Three operations of each of two streams in a sample: 9 of warm-up, 60 behind it.
  const auto refused = [&](std::uint32_t turn) {
    spec.schedule = {"turn", turn, 100};
    return refuse_buffers(plan_case(spec, pattern, loop, 0, ranks));
  };
  EXPECT_EQ(refused(9), "");
  EXPECT_EQ(refused(10),
            "10 buffers in turn need 10 messages of warm-up and 20 after it, and there are 9 and "
            "60; choose more samples or fewer buffers");
  spec.warmup = 0;
  EXPECT_EQ(refused(2), "");
  EXPECT_NE(refused(3), "");
  spec.schedule = {};
  EXPECT_EQ(refuse_buffers(plan_case(spec, pattern, loop, 0, ranks)), "");
}

TEST(CasePlan, OfAContentHasNoMoreThanIsCarried) {
  CasePlan plan;
  std::vector<std::byte> memory(10);
  EXPECT_EQ(content_in(plan, {memory.data(), 10, 0}).size(), 10U);
  plan.carried.content = 4;
  EXPECT_EQ(content_in(plan, {memory.data(), 10, 0}).size(), 4U);
  EXPECT_EQ(content_in(plan, {memory.data(), 3, 0}).size(), 3U);
  EXPECT_EQ(content_in(plan, {memory.data(), 3, 0}).data(), memory.data());
  EXPECT_EQ(room_for(usual()), 2 * 8 + 24U);
}

TEST(Contents, BearTheSenderTheCaseAndTheReceiversOwnNumber) {
  CasePlan plan;
  plan.spec.id = 9;
  const Content content = content_of(plan, 3, 5, 7);
  EXPECT_EQ(content.rank, 3U);
  EXPECT_EQ(content.batch, 9U);
  EXPECT_EQ(content.message, (std::uint64_t{5} << 40U) + 7);
  EXPECT_EQ(closing_message, std::uint64_t{1} << 62U);
  EXPECT_EQ(timed_message, std::uint64_t{1} << 61U);
}

/// Whether a buffer holds the message of that number.
bool holds(const Buffer& buffer, const Content& content) {
  return !first_difference({buffer.data, buffer.bytes}, content).has_value();
}

TEST(Contents, OfLanesThatJoinTheSameTwoRanksDiffer) {
  PatternOn pattern;
  CasePlan plan;
  plan.pattern = &pattern;
  plan.rank = 2;
  plan.role.to = {1, 4, 1};
  constexpr std::size_t slots = 2;
  std::vector<std::vector<std::byte>> memory(6, std::vector<std::byte>(40));
  std::vector<Buffer> out;
  out.reserve(memory.size());
  for (std::vector<std::byte>& one : memory) out.push_back({one.data(), one.size(), 0});
  fill_lanes(plan, out, slots, 100);
  for (std::size_t slot = 0; slot < out.size(); ++slot) {
    const std::size_t lane = slot / slots;
    // The second lane to the same rank has numbers of its own.
    const std::uint64_t number = 100 + slot % slots + (lane == 2 ? std::uint64_t{1} << 54U : 0);
    EXPECT_TRUE(holds(out[slot], content_of(plan, 2, plan.role.to[lane], number))) << slot;
  }
}

TEST(Contents, OfALaneAreLookedAtAsFarAsTheyWereTaken) {
  PatternOn pattern;
  CasePlan plan;
  plan.pattern = &pattern;
  plan.rank = 2;
  plan.role.from = {1, 4};
  const BufferOrders orders{{0, 1}, {2, 0, 1}, {1, 0, 1}};
  std::vector<std::vector<std::byte>> memory(6, std::vector<std::byte>(40));
  std::vector<Buffer> in;
  in.reserve(memory.size());
  for (std::vector<std::byte>& one : memory) in.push_back({one.data(), one.size(), 0});
  // Of rank 4 what comes into slot 2 is message 1, and into slot 0 too.
  for (const std::size_t slot : {0U, 2U}) {
    fill({in[3 + slot].data, 40}, content_of(plan, 4, 2, timed_message + 1));
  }
  Outcome good;
  check_lane(good, plan, in, 1, orders, 2, timed_message);
  EXPECT_EQ(good.status, Status::ok) << good.reason;
  EXPECT_EQ(good.verified_bytes, 80U);
  Outcome wrong;
  check_lane(wrong, plan, in, 1, orders, 9, timed_message);
  EXPECT_EQ(wrong.verified_bytes, 120U);
  EXPECT_EQ(wrong.reason,
            "wrong byte at offset 0 of 40 in the last message in buffer 1 from rank 4");
  Outcome checked;
  check_lane(checked, plan, in, 0, orders, 1, 0);
  EXPECT_EQ(checked.reason, "wrong byte at offset 0 of 40 in message 2 from rank 1");
  // The first reason stays.
  check_lane(checked, plan, in, 1, orders, 9, timed_message);
  EXPECT_EQ(checked.reason, "wrong byte at offset 0 of 40 in message 2 from rank 1");
}

TEST(Contents, ArePoisonedInEveryByteAndAMarkIsTakenAway) {
  PatternOn pattern;
  CasePlan plan;
  plan.pattern = &pattern;
  plan.rank = 2;
  plan.role.from = {1};
  const BufferOrders orders{{0}, {0, 1}, {0, 0}};
  std::vector<std::byte> memory(80);
  const std::vector<Buffer> in{{memory.data(), 40, 0}, {memory.data() + 40, 40, 0}};
  for (const bool polls : {false, true}) {
    pattern.polls_memory = polls;
    for (const Buffer& one : in) fill({one.data, 40}, content_of(plan, 1, 2, 7));
    poison_lanes(plan, in, orders, 7);
    std::vector<std::byte> wanted(40);
    fill(wanted, content_of(plan, 1, 2, 7));
    for (const Buffer& one : in) {
      for (std::size_t at = 0; at < 39; ++at) EXPECT_NE(one.data[at], wanted[at]);
      EXPECT_EQ(one.data[39] == std::byte{0}, polls);
    }
  }
}

}  // namespace
}  // namespace weft::fake

// Where the messages of a case lie on one rank, by numbers that were counted by hand.
#include "run/case_memory.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "contract/sums.hpp"
#include "host/pages.hpp"
#include "tests/support/planned.hpp"

namespace weft::fake {
namespace {

TEST(CaseMemory, CountsItsControlMessagesByNeighboursAndPartners) {
  CasePlan plan;
  plan.role.neighbours = {1, 2, 3};
  plan.role.partners = {1, 2};
  EXPECT_EQ(control_messages_of_pass(plan), 9U);
  EXPECT_EQ(control_messages_of_handshake(plan), 4U);
  EXPECT_EQ(messages_of_sums(plan), 2 * messages_of_partner);
  EXPECT_EQ(control_stride_of(plan), 4096U);
  plan.carried.content = 64;
  EXPECT_EQ(control_stride_of(plan), 64U);
}

TEST(CaseMemory, HasALaneForEachRankAndTheSlotsOfThePassThatHasMore) {
  const PatternOn pattern = pattern_of({});
  Case spec = usual();
  spec.bytes = 4097;
  CasePlan plan = plan_case(spec, pattern, loop, 0, ranks);
  const SideLayout out = layout_of(plan, Opens::outgoing);
  EXPECT_EQ(out.lanes, 2U);
  EXPECT_EQ(out.slots, 1U);
  EXPECT_EQ(out.stride, 8192U);
  EXPECT_EQ(out.bytes(), 2 * 8192U);
  EXPECT_FALSE(out.is_opened);
  EXPECT_EQ(layout_of(plan, Opens::incoming).lanes, 3U);
  EXPECT_EQ(layout_of(plan, Opens::incoming).slots, 3U);
  plan.checked.slots = 5;
  EXPECT_EQ(layout_of(plan, Opens::incoming).slots, 5U);
  plan.slots_before_timed = 5;
  EXPECT_EQ(layout_of(plan, Opens::outgoing).slots, 6U);
  EXPECT_EQ(layout_of(plan, Opens::incoming).slots, 8U);
}

TEST(CaseMemory, ThatIsOpenedIsThereOnEveryRankWithoutGaps) {
  PatternOn pattern = pattern_of({});
  pattern.opens = Opens::outgoing;
  CasePlan plan = plan_case(usual(), pattern, loop, 0, ranks);
  plan.role.to.clear();
  const SideLayout out = layout_of(plan, Opens::outgoing);
  EXPECT_TRUE(out.is_opened);
  EXPECT_EQ(out.lanes, 1U);
  EXPECT_EQ(out.stride, 128U);
  const SideLayout in = layout_of(plan, Opens::incoming);
  EXPECT_FALSE(in.is_opened);
  EXPECT_EQ(in.stride, 4096U);
  EXPECT_EQ(stride_of(0), 64U);
  EXPECT_EQ(stride_of(64), 64U);
  EXPECT_EQ(stride_of(65), 128U);
  EXPECT_EQ(stride_of(4095), 4096U);
  EXPECT_EQ(stride_of(4096), 4096U);
  EXPECT_EQ(stride_of(4097), 8192U);
  EXPECT_EQ(page_stride_of(0), 4096U);
  EXPECT_EQ(page_stride_of(4097), 8192U);
}

TEST(CaseMemory, GivesEachLaneOfAPassItsBuffersBehindThoseOfTheOther) {
  const PatternOn pattern = pattern_of({});
  CasePlan plan = plan_case(usual(), pattern, loop, 0, ranks);
  MessageMemory memory;
  const CaseMemory own(plan, memory, false);
  const std::byte* const first = memory.out.data();
  const std::vector<Buffer> out = own.slices(Opens::outgoing, nullptr, 3, 1);
  ASSERT_EQ(out.size(), 6U);
  for (std::size_t at = 0; at < out.size(); ++at) {
    EXPECT_EQ(out[at].data - first, static_cast<std::ptrdiff_t>((2 + at) * 4096));
    EXPECT_EQ(out[at].bytes, 100U);
    EXPECT_EQ(out[at].key, 0U);
  }
  plan.role.bytes = {7, 9};
  const std::vector<Buffer> lanes = own.slices(Opens::outgoing, nullptr, 2, 0);
  EXPECT_EQ(lanes[1].bytes, 7U);
  EXPECT_EQ(lanes[2].bytes, 9U);
  // Its control messages: 11 of a pass, and 5 to begin and to end with.
  EXPECT_EQ(own.control(), memory.control.data());
  EXPECT_EQ(memory.control.bytes(), 21 * 4096U);
  EXPECT_EQ(own.own().bytes, 0U);
  EXPECT_EQ(own.pages_had(own.slices(Opens::incoming, nullptr, 1, 0), out).bytes, 9 * 4096U);
  EXPECT_EQ(own.pages_had({}, out).bytes, 2 * 4096U);
  EXPECT_EQ(own.pages_had({}, {}).bytes, 0U);
}

TEST(CaseMemory, OpensTheSideThatThePatternSaysUnlessTheLibraryHasItsOwn) {
  for (const Opens side : {Opens::incoming, Opens::outgoing}) {
    PatternOn pattern = pattern_of({});
    pattern.opens = side;
    const CasePlan plan = plan_case(usual(), pattern, loop, 0, ranks);
    const std::size_t bytes = side == Opens::incoming ? 9 * 128 : 2 * 128;
    MessageMemory memory;
    const SideMemory& opened = side == Opens::incoming ? memory.in : memory.out;
    {
      const CaseMemory own(plan, memory, false);
      EXPECT_EQ(own.to_open().data, opened.data());
      EXPECT_EQ(own.to_open().bytes, bytes);
      EXPECT_EQ(own.to_open().key, 0U);
      const std::vector<RemoteBuffer> remote = own.remote({1000, 5000, 3}, 2, 4);
      ASSERT_EQ(remote.size(), 2U);
      EXPECT_EQ(remote[0].address, 1000 + 4 * 128U);
      EXPECT_EQ(remote[1].address, 1000 + 5 * 128U);
      EXPECT_EQ(remote[1].bytes, 100U);
      EXPECT_EQ(remote[1].key, 3U);
    }
    EXPECT_TRUE(opened.empty()) << "it is given back";
    const CaseMemory librarys(plan, memory, true);
    EXPECT_TRUE(opened.empty());
    EXPECT_EQ(librarys.to_open().bytes, bytes);
    EXPECT_EQ(memory.in.empty(), side == Opens::incoming);
  }
}

TEST(CaseMemory, HasRoomOfItsOwnForMessagesOfAPatternWithoutBuffers) {
  const PatternOn pattern = pattern_of({.own_messages = 1, .own_messages_per_rank = 2});
  const CasePlan plan = plan_case(usual(), pattern, loop, 3, ranks);
  MessageMemory memory;
  const CaseMemory own(plan, memory, false);
  // 11 messages of 100 bytes, and a page between what is given and what is got.
  EXPECT_EQ(own.own().bytes, 2 * 4096U);
  EXPECT_EQ(own.own().data, memory.in.data());
  EXPECT_EQ(own.own().key, 0U);
  EXPECT_TRUE(memory.control.empty()) << "it stands by";
}

}  // namespace
}  // namespace weft::fake

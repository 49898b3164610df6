// The memory of a case and the length of its untimed pass, beside numbers that were counted by
// hand.
#include "run/footprint.hpp"

#include <gtest/gtest.h>

#include "run/case_memory.hpp"
#include "tests/support/fake_cases.hpp"

namespace weft::fake {
namespace {

TEST(Footprint, AStreamIsAMultipleOfItsRefillsFromItsQueueOn) {
  // Q, then Q/2 at a time; of 3 the half is 1, of 1 it is one message.
  EXPECT_EQ(stream_operations(1, 8, 1), 8U);
  EXPECT_EQ(stream_operations(8, 8, 1), 8U);
  EXPECT_EQ(stream_operations(9, 8, 1), 12U);
  EXPECT_EQ(stream_operations(12, 8, 1), 12U);
  EXPECT_EQ(stream_operations(13, 8, 1), 16U);
  EXPECT_EQ(stream_operations(7, 3, 1), 7U);
  EXPECT_EQ(stream_operations(5, 1, 1), 5U);
  EXPECT_EQ(stream_operations(9, 5, 1), 10U);
  // Of three streams each has its queue: refills of 12, and 24 at least.
  EXPECT_EQ(stream_operations(1, 8, 3), 24U);
  EXPECT_EQ(stream_operations(25, 8, 3), 36U);
}

TEST(Footprint, WindowsAreWhole) {
  EXPECT_EQ(whole_windows(1, 8), 8U);
  EXPECT_EQ(whole_windows(8, 8), 8U);
  EXPECT_EQ(whole_windows(9, 8), 16U);
  EXPECT_EQ(whole_windows(5, 1), 5U);
}

TEST(Footprint, MessagesWithoutGapsHaveAPageBetweenWhatGoesAndWhatComes) {
  EXPECT_DOUBLE_EQ(own_bytes_of(0, 100), 0);
  EXPECT_DOUBLE_EQ(own_bytes_of(3, 0), 2 * 4096);
  EXPECT_DOUBLE_EQ(own_bytes_of(1, 4096), 2 * 4096);
  EXPECT_DOUBLE_EQ(own_bytes_of(1, 4097), 3 * 4096);
  EXPECT_DOUBLE_EQ(own_bytes_of(5, 4000), 6 * 4096);
}

/// The untimed pass of messages of so many bytes.
CheckedPass pass_of(std::size_t bytes, std::uint32_t depth, const Footprint& pattern,
                    std::uint32_t streams = 1) {
  Case spec = make_case("any", bytes, 1);
  spec.queue_depth = depth;
  return checked_pass_of(spec, pattern, streams);
}

void expect(const CheckedPass& found, std::uint32_t depth, std::uint32_t operations,
            std::size_t slots) {
  EXPECT_EQ(found.depth, depth);
  EXPECT_EQ(found.operations, operations);
  EXPECT_EQ(found.slots, slots);
}

constexpr std::size_t mib = std::size_t{1} << 20U;

TEST(Footprint, TheUntimedPassTakesWhatFitsIntoEightMiB) {
  const Footprint one{};
  expect(pass_of(0, 64, one), 64, 256, 256);
  expect(pass_of(32768, 64, one), 64, 256, 256);
  expect(pass_of(mib, 64, one), 4, 8, 8);
  expect(pass_of(2 * mib, 64, one), 2, 4, 4);
  expect(pass_of(4 * mib, 64, one), 2, 2, 2);
  // Of longer ones one at a time, in turn in two buffers or as many as are received at once.
  expect(pass_of(4 * mib + 1, 64, one), 2, 1, 1);
  expect(pass_of(9 * mib, 64, {.messages_per_operation = 5}), 2, 1, 2);
  expect(pass_of(9 * mib, 64, {.messages_per_operation = 5, .receives = 3}), 2, 1, 3);
  // What goes before has buffers of its own; several of an operation share what fits.
  expect(pass_of(mib, 3, {.messages_per_operation = 3, .messages_before = 4}), 3, 2, 10);
}

TEST(Footprint, TheUntimedPassOfAStreamIsWholeRefillsOfEachOfItsStreams) {
  const Footprint stream{.streams = true};
  expect(pass_of(1, 64, stream), 64, 256, 256);
  expect(pass_of(9 * mib, 64, stream), 2, 2, 2);
  // Two streams of three messages each would be 6; refills of 2 make it 6, each its queue of 2.
  expect(pass_of(mib, 8, stream, 2), 2, 8, 4);
  expect(pass_of(1, 7, stream, 3), 7, 774, 258);
}

TEST(Footprint, ACaseNeedsItsBuffersOrdersSeriesAndControlMessages) {
  Case spec = make_case("any", 5000, 1);
  spec.samples = 10;
  spec.warmup = 2;
  spec.verify = false;
  spec.schedule = {"one", 3, 100};
  // A host's ranks: control of 16 pages, two pages a buffer, 96 bytes a place, 96 bytes a number.
  const Footprint pattern{.series = 3, .bytes_per_site = 0};
  const OrderSize order = size_of(at_least(spec.schedule, 1), 1);
  const double rank = 16 * 4096.0 + static_cast<double>(order.slots + order.arriving) * 2 * 4096 +
                      static_cast<double>(order.places) * 96 + 12 * 3 * 96.0;
  EXPECT_DOUBLE_EQ(needed_bytes(spec, pattern, 5, {5, 5}), 5 * rank);
  EXPECT_DOUBLE_EQ(needed_bytes(spec, pattern, 5, {2, 2}), 2 * rank);
  EXPECT_DOUBLE_EQ(needed_bytes(spec, pattern, 5, {}), 0);
  // Of a lane more: its buffers, its part of the order, and four control messages.
  const double lane = rank - 16 * 4096.0 - 12 * 3 * 96.0 + 4 * 4096.0;
  EXPECT_DOUBLE_EQ(needed_bytes(spec, pattern, 5, {2, 5}), 2 * rank + 3 * lane);
  // Of a message no more than so much is there.
  const double less = static_cast<double>(order.slots + order.arriving) * 4096;
  EXPECT_DOUBLE_EQ(needed_bytes(spec, pattern, 1, {1, 1}, 4096), rank - less);
  // Receives of a queue and of the points make the order longer.
  spec.queue_depth = 3;
  spec.point = 4;
  const Footprint queue{
      .series = 3, .receives = 1, .receives_per_queue = 2, .receives_per_point = 5};
  const OrderSize longer = size_of(at_least(spec.schedule, 1), 1 + 2 * 3 + 5 * 4);
  EXPECT_DOUBLE_EQ(needed_bytes(spec, queue, 1, {1, 1}),
                   16 * 4096.0 + static_cast<double>(longer.slots + longer.arriving) * 2 * 4096 +
                       static_cast<double>(longer.places) * 96 + 12 * 3 * 96.0);
  // Messages of its own stand in place of buffers: two of them and one for each of three ranks.
  const Footprint own{.own_messages = 2, .own_messages_per_rank = 1};
  EXPECT_DOUBLE_EQ(needed_bytes(spec, own, 3, {1, 1}), 16 * 4096.0 + 8 * 4096 + 12 * 96.0);
}

// A simulated link carries the first bytes alone, and its library reads further.
TEST(Footprint, BehindTheLastBufferThereIsWhatTheLibraryReads) {
  PatternOn pattern;
  CasePlan plan;
  plan.pattern = &pattern;
  plan.role = {.to = {1}, .from = {1}, .neighbours = {1}, .followers = {}};
  plan.orders = {.out = {0}, .in = {0}, .sent_from = {0}};
  plan.checked.slots = 2;
  plan.carried = {.content = 64, .read = 4096};
  for (const auto& [bytes, read] : {std::pair{65536UL, 4096UL}, {1000UL, 1000UL}, {8UL, 8UL}}) {
    plan.spec = make_case("any", bytes, 1);
    const SideLayout out = layout_of(plan, Opens::outgoing);
    EXPECT_EQ(out.stride, stride_of(std::min<std::size_t>(bytes, 64)));
    EXPECT_EQ(out.behind, read - std::min(read, out.stride)) << bytes;
    EXPECT_EQ(out.bytes(), 2 * out.stride + out.behind);
    EXPECT_EQ(layout_of(plan, Opens::incoming).behind, 0U);
  }
  plan.spec = make_case("any", 65536, 1);
  EXPECT_EQ(layout_of(plan, Opens::outgoing).behind, 4096U - stride_of(64));
}

}  // namespace
}  // namespace weft::fake

// Liu's queue, its receiver and their buffers, on a fabric whose answer is known.
#include <gtest/gtest.h>

#include "fake_cases.hpp"

namespace weft::fake {
namespace {

constexpr Costs costs = usual_costs;

// The link refuses a receive that shares memory with one under way; these hold what must arrive.
class ReceivesOfAStream : public testing::TestWithParam<const char*> {};

TEST_P(ReceivesOfAStream, NeverShareABuffer) {
  for (const std::uint32_t depth : {1U, 2U, 3U, 7U, 16U}) {
    for (const Schedule& schedule :
         {Schedule{"one", 1, 100}, Schedule{"turn", 3, 100}, Schedule{"turn", 40, 100},
          Schedule{"reuse", 600, 60}, Schedule{"reuse", 1, 100}}) {
      Case test = make_case(GetParam(), 48, 13);
      test.queue_depth = depth;
      test.schedule = schedule;
      const Result result = run(test, costs, {}, 4);
      EXPECT_EQ(result.batch.outcome.status, Status::ok)
          << depth << schedule.kind << schedule.count << ": " << result.batch.outcome.reason;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReceivesOfAStream,
                         testing::Values("stream", "bidirectional_stream", "busy_stream",
                                         "register_stream", "hot_spot_send", "hot_spot_receive",
                                         "message_rate", "random_pairs"));

TEST(BufferOrders, ReceivesUnderWayHaveSlotsOfTheirOwnAndKnowTheirSender) {
  const std::vector<Schedule> schedules{{"one", 1, 100},  {"turn", 3, 100},  {"turn", 16, 100},
                                        {"reuse", 50, 0}, {"reuse", 50, 75}, {"reuse", 50, 100}};
  for (const Schedule& schedule : schedules) {
    for (const std::size_t at_once : {1UL, 2UL, 3UL, 8UL, 16UL, 128UL}) {
      const BufferOrders orders = make_orders(schedule, 7, at_once);
      EXPECT_EQ(orders.out, make_order(schedule, 7));
      const bool is_walked_once = schedule.kind == "reuse" && schedule.reuse_percent < 100;
      const std::size_t messages = is_walked_once ? orders.out.size() : 3 * orders.in.size();
      for (std::size_t message = 0; message < messages; ++message) {
        const std::uint32_t slot = orders.in[message % orders.in.size()];
        EXPECT_EQ(orders.sent_from.at(slot), orders.out[message % orders.out.size()]);
        for (std::size_t later = message + 1; later < std::min(message + at_once, messages);
             ++later) {
          ASSERT_NE(orders.in[later % orders.in.size()], slot) << schedule.kind << at_once;
        }
      }
    }
  }
}

TEST(BufferOrders, OneBufferStaysOneWhereReceivesFollowEachOther) {
  const BufferOrders orders = make_orders({"one", 1, 100}, 1, 1);
  EXPECT_EQ(orders.in, orders.out);
  EXPECT_EQ(orders.sent_from.size(), 1U);
}

}  // namespace
}  // namespace weft::fake

// Orders of buffers that were counted by hand, and the marks that tell two uses of one apart.
#include "run/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "run/case_plan.hpp"

namespace weft {
namespace {

using Slots = std::vector<std::uint32_t>;

Slots counted_up(std::uint32_t count) {
  Slots all(count);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

TEST(Orders, OfBuffersInTurnReceivesTakeWholeRounds) {
  const BufferOrders few = make_orders({"turn", 3, 100}, 1, 2);
  EXPECT_EQ(few.out, (Slots{0, 1, 2}));
  EXPECT_EQ(few.in, (Slots{0, 1, 2}));
  EXPECT_EQ(few.sent_from, (Slots{0, 1, 2}));
  EXPECT_EQ(make_orders({"turn", 3, 100}, 1, 3).in, counted_up(3));
  const BufferOrders many = make_orders({"turn", 3, 100}, 1, 4);
  EXPECT_EQ(many.in, counted_up(6));
  EXPECT_EQ(many.sent_from, (Slots{0, 1, 2, 0, 1, 2}));
}

TEST(Orders, OfOneBufferEachReceiveUnderWayHasItsOwnUnlessTheyShare) {
  const BufferOrders own = make_orders({"one", 1, 100}, 1, 4);
  EXPECT_EQ(own.out, Slots{0});
  EXPECT_EQ(own.in, counted_up(4));
  EXPECT_EQ(own.sent_from, (Slots{0, 0, 0, 0}));
  const BufferOrders shared = make_orders({"shared", 1, 100}, 1, 4);
  EXPECT_EQ(shared.in, Slots{0});
  EXPECT_EQ(shared.sent_from, Slots{0});
}

TEST(Orders, OfBuffersThatAreUsedOnceTheReusedOneIsSpread) {
  // 3 that are new, and 40 of 100 of all the same: 2.
  const Schedule schedule{"reuse", 3, 40};
  const BufferOrders orders = make_orders(schedule, 5, 2);
  ASSERT_EQ(orders.out.size(), 5U);
  EXPECT_EQ(std::count(orders.out.begin(), orders.out.end(), 0U), 2);
  Slots sorted = orders.out;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, (Slots{0, 0, 1, 2, 3}));
  // New ones come in the order of their slots.
  Slots fresh = orders.out;
  fresh.erase(std::remove(fresh.begin(), fresh.end(), 0U), fresh.end());
  EXPECT_EQ(fresh, (Slots{1, 2, 3}));
  EXPECT_EQ(orders.sent_from, (Slots{0, 1, 2, 3, 0}));
  Slots reused;
  for (std::size_t at = 0; at < orders.out.size(); ++at) {
    if (orders.out[at] == 0) {
      reused.push_back(orders.in[at]);
    } else {
      EXPECT_EQ(orders.in[at], orders.out[at]);
    }
  }
  EXPECT_EQ(reused, (Slots{0, 4}));
  EXPECT_EQ(messages_of_order(schedule, orders.out), 5U);
}

TEST(Orders, LastWithoutEndWhereBuffersAreUsedAgain) {
  const std::size_t endless = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(messages_of_order({"one", 1, 100}, {0}), endless);
  EXPECT_EQ(messages_of_order({"turn", 3, 40}, {0, 1, 2}), endless);
  EXPECT_EQ(messages_of_order({"reuse", 3, 100}, {0}), endless);
  EXPECT_EQ(messages_of_order({"reuse", 3, 99}, {0, 1}), 2U);
  EXPECT_EQ(make_order({"reuse", 3, 100}, 1), Slots{0});
  EXPECT_EQ(make_order({"reuse", 3, 0}, 1), (Slots{1, 2, 3}));
}

TEST(Orders, OneBufferBecomesSeveralInTurnWhereAPatternWantsThem) {
  const Schedule two = at_least({"one", 1, 100}, 2);
  EXPECT_EQ(two.kind, "turn");
  EXPECT_EQ(two.count, 2U);
  EXPECT_EQ(at_least({"one", 1, 100}, 1).kind, "one");
  EXPECT_EQ(at_least({"one", 1, 100}, 0).kind, "one");
  EXPECT_EQ(at_least({"shared", 1, 100}, 3).kind, "shared");
  EXPECT_EQ(at_least({"turn", 9, 100}, 3).count, 9U);
  EXPECT_TRUE(is_repeated({"one", 1, 100}) && is_repeated({"shared", 1, 100}));
  EXPECT_FALSE(is_repeated({"turn", 2, 100}) || is_repeated({"reuse", 2, 50}));
}

TEST(Orders, WantAWholeTurnBeforeAndTwoBehind) {
  const Schedule turn{"turn", 5, 100};
  EXPECT_EQ(refuse_turns(turn, 5, 10), "");
  EXPECT_EQ(refuse_turns(turn, 4, 10),
            "5 buffers in turn need 5 messages of warm-up and 10 after it, and there are 4 and "
            "10; choose more samples or fewer buffers");
  EXPECT_NE(refuse_turns(turn, 5, 9), "");
  EXPECT_EQ(refuse_turns({"turn", 1, 100}, 0, 0), "");
  EXPECT_NE(refuse_turns({"turn", 2, 100}, 0, 9), "");
  EXPECT_EQ(refuse_turns({"reuse", 5, 50}, 0, 0), "");
}

TEST(Marks, HaveTheLongestPeriodThatNoDistanceIsAMultipleOf) {
  EXPECT_EQ(mark_period_of({0}), 255);
  EXPECT_EQ(mark_period_of(counted_up(254)), 255);
  EXPECT_EQ(mark_period_of(counted_up(255)), 254);
  EXPECT_EQ(mark_period_of(counted_up(510)), 254);
  // One slot more comes after 254 others and at once.
  Slots twice = counted_up(254);
  twice.push_back(0);
  EXPECT_EQ(mark_period_of(twice), 253);
  // The last slot comes again at the end of the next turn alone, after 255 uses.
  Slots at_once{0};
  const Slots others = counted_up(254);
  at_once.insert(at_once.end(), others.begin(), others.end());
  EXPECT_EQ(mark_period_of(at_once), 253);
}

TEST(Marks, AreRefusedWhereEveryPeriodHasItsDistance) {
  // Slot d is used d places apart, and others stand between: each distance from 3 on is there.
  Slots order;
  std::uint32_t other = 1000;
  for (std::uint32_t distance = 3; distance < 256; ++distance) {
    order.push_back(distance);
    for (std::uint32_t between = 1; between < distance; ++between) order.push_back(other++);
    order.push_back(distance);
  }
  EXPECT_THROW((void)mark_period_of(order), std::invalid_argument);
}

}  // namespace
}  // namespace weft

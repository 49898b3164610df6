// Operations in flight: what counts, in which order.
#include <gtest/gtest.h>

#include "transports/parts/operations.hpp"

namespace weft {
namespace {

TEST(Operations, CountInTheOrderOfPostingWhateverEndsFirst) {
  Operations<int> pool;
  pool.reserve(3, [](int&, std::size_t) {});
  OperationQueue<int> queue;
  std::uint32_t in_flight = 0;
  Operation<int>* first = pool.take(queue, in_flight);
  Operation<int>* second = pool.take(queue, in_flight);
  Operation<int>* third = pool.take(queue, in_flight);
  EXPECT_EQ(pool.take(queue, in_flight), nullptr);
  EXPECT_EQ(in_flight, 3U);
  EndedPeers ended(1);
  pool.finish(second, ended);
  EXPECT_EQ(in_flight, 3U);
  pool.finish(first, ended);
  EXPECT_EQ(in_flight, 1U);
  pool.finish(third, ended);
  EXPECT_EQ(in_flight, 0U);
  EXPECT_NE(pool.take(queue, in_flight), nullptr);
}

TEST(Operations, QueuesDoNotWaitForEachOther) {
  Operations<int> pool;
  pool.reserve(2, [](int&, std::size_t) {});
  OperationQueue<int> left{.peer = 1};
  OperationQueue<int> right{.peer = 4};
  std::uint32_t in_flight = 0;
  EndedPeers ended(5);
  pool.take(left, in_flight);
  pool.finish(pool.take(right, in_flight), ended);
  EXPECT_EQ(in_flight, 1U);
  EXPECT_EQ(ended.take(), 4) << "whose it was is said";
  EXPECT_EQ(ended.take(), -1);
}

TEST(Operations, EachIsPreparedOnceAndItsOwnComesFirst) {
  Operations<std::size_t> pool;
  pool.reserve(3, [](std::size_t& own, std::size_t at) { own = 10 + at; });
  OperationQueue<std::size_t> queue;
  std::uint32_t in_flight = 0;
  std::size_t sum = 0;
  for (int n = 0; n < 3; ++n) {
    Operation<std::size_t>* item = pool.take(queue, in_flight);
    const void* own = &item->own;
    EXPECT_EQ(own, item);
    sum += item->own;
  }
  EXPECT_EQ(sum, 33U);
}

}  // namespace
}  // namespace weft

// Whom a link is connected with for a case, what it registers for it, and what happens where either
// cannot be had.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/support/poor_link.hpp"

namespace weft::fake {
namespace {

TEST(Connections, AreThoseThatACaseNeeds) {
  Store store;
  (void)launch({make_case("ping_pong", 100, 4)}, store);
  EXPECT_EQ(std::set<int>(store.needed[0].begin(), store.needed[0].end()), std::set<int>{1});
  EXPECT_EQ(std::set<int>(store.needed[1].begin(), store.needed[1].end()), std::set<int>{0});
  EXPECT_TRUE(store.needed[2].empty());
  Case all = make_case("hot_spot_receive", 100, 4);
  all.point = 2;
  (void)launch({all}, store);
  EXPECT_EQ(std::set<int>(store.needed[0].begin(), store.needed[0].end()), (std::set<int>{1, 2}));
  EXPECT_EQ(std::set<int>(store.needed[2].begin(), store.needed[2].end()), std::set<int>{0});
}

TEST(Connections, WhereARankLacksOneTheLaunchEndsAndSaysWhich) {
  Store store;
  store.is_reached = false;
  const Case spec = make_case("ping_pong", 100, 4);
  const std::vector<Batch> batches = launch({spec, spec}, store);
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_TRUE(batches[0].ended_launch);
  EXPECT_EQ(batches[0].outcome.status, Status::failed);
  EXPECT_EQ(batches[0].outcome.reason, "rank 1: rank 0 on n7 did not come");
}

TEST(Connections, MoreThanADeviceHasRoomForAreACaseThatIsUnsupported) {
  Store store;
  store.most_peers = 1;
  Case all = make_case("hot_spot_receive", 100, 4);
  all.point = 2;
  const std::vector<Batch> batches = launch({all, make_case("ping_pong", 100, 4)}, store);
  EXPECT_EQ(batches.at(0).outcome.status, Status::unsupported);
  EXPECT_EQ(batches.at(0).outcome.reason, "the queue is too deep for so many");
  EXPECT_EQ(batches.at(1).outcome.status, Status::ok) << "the launch goes on";
}

TEST(Connections, WhereMemoryRunsOutMeanwhileTheLaunchEndsForNobodyKnowsWhoIsConnected) {
  Store store;
  store.has_room_for_peers = false;
  const Case spec = make_case("ping_pong", 100, 4);
  const std::vector<Batch> batches = launch({spec, spec}, store);
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_TRUE(batches[0].ended_launch);
  EXPECT_TRUE(
      batches[0].outcome.reason.starts_with("rank 1: there was no memory to connect with 1 rank; "))
      << batches[0].outcome.reason;
}

TEST(Registration, OfASideIsOneForAllOfItsBuffersWhereTheLinkAdoptsAtOnce) {
  Case many = make_case("hot_spot_receive", 100, 4);
  many.point = 2;
  many.queue_depth = 16;
  const auto adoptions = [&](Store& store) {
    EXPECT_EQ(launch({many}, store).at(0).outcome.status, Status::ok);
    EXPECT_EQ(store.unknown, 0) << "every message lies in memory that its link was given";
    EXPECT_EQ(store.bytes, 0U) << "all is given back";
    return store.adopted.size();
  };
  Store each;
  EXPECT_GE(adoptions(each), 2U * 16U);
  Store at_once;
  at_once.adopts_at_once = true;
  // Control messages of a pass, of the handshake, at the end; a side in each of two passes.
  EXPECT_EQ(adoptions(at_once), 5U);
}

}  // namespace
}  // namespace weft::fake

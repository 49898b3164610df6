// How often ranks that wait look for each other.
#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <cstddef>
#include <vector>

#include "bootstrap/calls.hpp"
#include "bootstrap/longer_sleeps.hpp"
#include "bootstrap/mpi.hpp"

namespace weft {

namespace {

TEST(SleepingRanks, LookTogetherAsOftenAsTwoAndOfManyMoreSeldom) {
  EXPECT_EQ(longest_pause_ns(1, 2), 500'000);
  EXPECT_EQ(longest_pause_ns(2, 2), 500'000);
  EXPECT_EQ(longest_pause_ns(16, 2), 4'000'000);
  EXPECT_EQ(longest_pause_ns(64, 2), 16'384'000);
  EXPECT_EQ(longest_pause_ns(256, 2), 262'144'000);
  EXPECT_EQ(longest_pause_ns(4096, 2), 320'000'000);
}

TEST(SleepingRanks, LookSoonerWhereTheyHaveACoreEach) {
  EXPECT_EQ(longest_pause_ns(64, 64), 16'000'000);
  EXPECT_EQ(longest_pause_ns(256, 256), 20'000'000);
}

TEST(SleepingRanks, SleepLongerWhileTheyStartOnlyWhereTheyOutnumberCores) {
  EXPECT_EQ(pause_while_starting_ns(2, 2), 0);
  EXPECT_EQ(pause_while_starting_ns(0, 2), 0);  // the starter reported nothing
  EXPECT_EQ(pause_while_starting_ns(64, 2), longest_pause_ns(64, 64));
  EXPECT_EQ(pause_while_starting_ns(256, 2), 20'000'000);
}

// Both ends of a launch of seven, and one between, may be the first that takes part.
TEST(SleepingRanks, EachHearsOnceThatTheCallerHasCome) {
  constexpr int ranks = 7;
  for (const int caller : {0, 3, 6}) {
    std::vector<int> comes_after(ranks, -1);
    for (int rank = 0; rank < ranks; ++rank) {
      for (const int called : called_by(rank, ranks, caller)) {
        EXPECT_EQ(comes_after.at(static_cast<std::size_t>(called)), -1) << called;
        comes_after.at(static_cast<std::size_t>(called)) = rank;
      }
    }
    for (int rank = 0; rank < ranks; ++rank) {
      const int heard = heard_by(rank, caller).value_or(-1);
      EXPECT_EQ(heard, comes_after.at(static_cast<std::size_t>(rank))) << rank;
      EXPECT_EQ(heard == -1, rank == caller);
      // By way of rank 0 at most, which is not itself called by one that waits.
      EXPECT_TRUE(heard <= 0 || heard == caller) << rank;
    }
  }
}

TEST(SleepingRanks, OfAHostLookAtTheSameTime) {
  constexpr long longest_ns = 64'000'000;
  for (const long now_ns : {0L, 1L, 63'999'999L, 64'000'000L, 1'795'773'600'123'456'789L}) {
    const long pause_ns = until_all_poll_ns(longest_ns, now_ns);
    EXPECT_EQ((now_ns + pause_ns) % longest_ns, 0);
    EXPECT_GT(pause_ns, 0);
    EXPECT_LE(pause_ns, longest_ns);
  }
}

TEST(SleepingRanks, SleepAsUsualAfterTheyHaveStarted) {
  const int usual_ns = prctl(PR_GET_TIMERSLACK);
  {
    const LongerSleeps none(0);
    EXPECT_EQ(prctl(PR_GET_TIMERSLACK), usual_ns);
    const LongerSleeps here(16'000'000);
    EXPECT_EQ(prctl(PR_GET_TIMERSLACK), 16'000'000);
  }
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), usual_ns);
}

}  // namespace

}  // namespace weft

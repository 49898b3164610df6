// How often ranks that wait look for each other.
#include <gtest/gtest.h>
#include <sys/prctl.h>

#include "bootstrap/longer_sleeps.hpp"
#include "bootstrap/mpi.hpp"

namespace weft {

namespace {

TEST(SleepingRanks, LookTogetherAsOftenAsTwoUntilThatIsTooSeldom) {
  EXPECT_EQ(longest_pause_ns(1, 2), 500'000);
  EXPECT_EQ(longest_pause_ns(2, 2), 500'000);
  EXPECT_EQ(longest_pause_ns(64, 2), 16'000'000);
  EXPECT_EQ(longest_pause_ns(256, 2), 64'000'000);
  EXPECT_EQ(longest_pause_ns(4096, 2), 80'000'000);
}

TEST(SleepingRanks, LookSoonerWhereTheyHaveACoreEach) {
  EXPECT_EQ(longest_pause_ns(64, 64), 16'000'000);
  EXPECT_EQ(longest_pause_ns(256, 256), 20'000'000);
}

TEST(SleepingRanks, SleepLongerWhileTheyStartOnlyWhereTheyOutnumberCores) {
  EXPECT_EQ(pause_while_starting_ns(2, 2), 0);
  EXPECT_EQ(pause_while_starting_ns(0, 2), 0);  // the starter reported nothing
  EXPECT_EQ(pause_while_starting_ns(64, 2), longest_pause_ns(64, 2));
  EXPECT_EQ(pause_while_starting_ns(256, 2), 20'000'000);
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

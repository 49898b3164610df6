// The list of peers with whom something has ended.
#include "transports/parts/ended_peers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace weft {
namespace {

TEST(EndedPeers, EachIsGivenOnceInTheOrderOfComingRoundAndRound) {
  constexpr int ranks = 5;
  EndedPeers ended(ranks);
  EXPECT_EQ(ended.take(), -1);
  std::mt19937_64 random(7);
  std::vector<int> wanted;
  for (int step = 0; step < 2000; ++step) {
    if (random() % 2 == 0) {
      const int rank = static_cast<int>(random() % ranks);
      ended.note(rank);
      if (std::find(wanted.begin(), wanted.end(), rank) == wanted.end()) wanted.push_back(rank);
    } else {
      const int first = wanted.empty() ? -1 : wanted.front();
      ASSERT_EQ(ended.take(), first) << step;
      if (first >= 0) wanted.erase(wanted.begin());
    }
  }
}

}  // namespace
}  // namespace weft

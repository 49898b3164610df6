// A text of every rank, on its way to rank 0.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "run/gather.hpp"
#include "tests/support/thread_bootstrap.hpp"

namespace weft::fake {
namespace {

/// What a rank has to say, and how much of it comes.
std::string text_of(int rank, std::size_t most = std::string::npos) {
  constexpr std::size_t longest = 65'536;
  std::size_t length = static_cast<std::size_t>(rank);
  if (rank == 3) length = 1'000'000;
  if (rank == 5) length = longest;
  if (rank == 7) length = longest + 1;
  return std::string(std::min(length, most), static_cast<char>('a' + rank));
}

TEST(Texts, OfEveryRankComeToRankZeroInTheirOrder) {
  constexpr int ranks = 17;
  Meeting meeting(ranks);
  std::vector<std::string> texts;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadBootstrap boot(meeting, rank);
      const std::vector<std::string> all = gather_texts(boot, text_of(rank));
      if (rank == 0) texts = all;
      EXPECT_EQ(all.size(), rank == 0 ? std::size_t{ranks} : 0U);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(meeting.undue(), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_TRUE(texts.at(static_cast<std::size_t>(rank)) == text_of(rank, 65'536)) << rank;
  }
}

}  // namespace
}  // namespace weft::fake

// A text of every rank, on its way to rank 0.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "run/gather.hpp"
#include "tests/support/thread_bootstrap.hpp"

namespace weft::fake {
namespace {

TEST(Texts, OfEveryRankComeToRankZeroInTheirOrder) {
  constexpr int ranks = 17;
  Meeting meeting(ranks);
  std::vector<std::string> texts;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadBootstrap boot(meeting, rank);
      const auto length = static_cast<std::size_t>(rank == 3 ? 1'000'000 : rank);
      const std::vector<std::string> all = gather_texts(boot, std::string(length, 'x'));
      if (rank == 0) texts = all;
      EXPECT_EQ(all.size(), rank == 0 ? std::size_t{ranks} : 0U);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    EXPECT_EQ(texts[rank].size(), rank == 3 ? 65'536 : rank);
  }
}

}  // namespace
}  // namespace weft::fake

// In which turns a rank hands over its samples where they are put together with those of others.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "run/gather.hpp"
#include "support/alone.hpp"

namespace weft {
namespace {

/// One rank of a thousand, whose calls are taken down; rank 0 wants its samples put together.
class OneOfAThousand final : public Alone {
 public:
  using Alone::gather;

  explicit OneOfAThousand(const Asked& asked)
      : asked_(reinterpret_cast<const char*>(&asked), sizeof asked) {}
  [[nodiscard]] const std::string& calls() const { return calls_; }
  [[nodiscard]] int rank() const override { return 1; }
  [[nodiscard]] int size() const override { return 1024; }
  std::vector<std::byte> gather(std::span<const std::byte> mine) override {
    calls_ += " " + std::to_string(mine.size());
    return {};
  }
  std::string broadcast(const std::string& /*mine*/) override {
    calls_ += " hears";
    return asked_;
  }

 private:
  std::string asked_;
  std::string calls_;
};

// Its library may send all at once: rank 0 would have to hold what it does not ask for yet.
TEST(OverRanksInTurns, ARankIsOneTurnAheadOfRankZeroAtMost) {
  constexpr std::size_t in_a_turn = window_bytes / (1024 * 2 * sizeof(Ticks));
  constexpr std::size_t samples = 3 * in_a_turn + 1;
  Asked asked;
  asked.values = samples;
  asked.wanted = Wanted::over_ranks;
  OneOfAThousand boot(asked);
  Report report;
  report.tick_ns = 1;
  report.parts = {{"wait", std::vector<Ticks>(samples, 1)}, {"", std::vector<Ticks>(samples, 2)}};
  hand_over(boot, report);
  const std::string head = " " + std::to_string(sizeof(ReportHead)) + " hears";
  EXPECT_EQ(boot.calls(), head + " 32768 32768 hears 32768 hears 16 112");
}

}  // namespace
}  // namespace weft

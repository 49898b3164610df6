// Rounds of all pairs: who meets whom, and what a rank's own way takes on a fabric whose answer is
// known.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "patterns/pair_rounds.hpp"
#include "tests/support/fake_fabric.hpp"
#include "tests/support/link_around.hpp"

namespace weft::fake {
namespace {

constexpr Costs costs{.send_overhead = 7, .receive_overhead = 11, .latency = 500, .gap = 100};
// A message and its answer.
constexpr double there_and_back = 2 * (7 + 100 + 500 + 11);

Case round_of(std::uint64_t point, std::uint32_t ops = 20) {
  Case made;
  made.test = "pair_rounds";
  made.bytes = 64;
  made.samples = 3;
  made.warmup = 1;
  made.ops_per_sample = ops;
  made.point = point;
  return made;
}

std::vector<int> partners(std::uint64_t point, int size) {
  std::vector<int> found;
  for (int rank = 0; rank < size; ++rank) {
    found.push_back(PairRounds::partner_in(point, rank, size));
  }
  return found;
}

double own_way(const Batch& batch, int rank) {
  const std::vector<Ticks>* ticks = &batch.ticks;
  for (const Series& part : batch.parts) {
    if (part.name == "rank" + std::to_string(rank)) ticks = &part.ticks;
  }
  return static_cast<double>(ticks->at(2)) / batch.ops_per_sample;
}

TEST(PairRounds, EveryPairMeetsOnceInATournament) {
  for (const int size : {2, 3, 4, 7, 8, 13}) {
    const int rounds = size - 1 + size % 2;
    std::set<std::pair<int, int>> met;
    for (int turn = 0; turn < rounds; ++turn) {
      const std::vector<int> with = partners(static_cast<std::uint64_t>(3 * rounds + turn), size);
      int alone = 0;
      for (int rank = 0; rank < size; ++rank) {
        const int partner = with[static_cast<std::size_t>(rank)];
        if (partner == size) {
          ++alone;
          continue;
        }
        EXPECT_EQ(with[static_cast<std::size_t>(partner)], rank);
        EXPECT_TRUE(met.emplace(rank, partner).second);
      }
      EXPECT_EQ(alone, size % 2);
    }
    EXPECT_EQ(met.size(), static_cast<std::size_t>(size * (size - 1)));
  }
}

// tests/plan/test_rounds.py has the same: the analysis must know whom the engine paired.
TEST(PairRounds, ThePairsAreThoseThatTheAnalysisKnows) {
  EXPECT_EQ(partners(0, 7), (std::vector<int>{6, 5, 7, 4, 3, 1, 0}));
  EXPECT_EQ(partners(9, 7), (std::vector<int>{6, 2, 1, 7, 5, 4, 0}));
  EXPECT_EQ(partners(4, 6), (std::vector<int>{1, 0, 5, 4, 3, 2}));
}

// The same: tests/plan/test_rounds.py. Neither lower ranks nor higher ones send all at once.
TEST(PairRounds, WhoBeginsIsDrawnAsTheAnalysisKnows) {
  const std::vector<bool> drawn = {PairRounds::begins(0, 0, 6),     PairRounds::begins(0, 1, 5),
                                   PairRounds::begins(3, 2, 7),     PairRounds::begins(9, 4, 5),
                                   PairRounds::begins(9, 5, 4),     PairRounds::begins(130, 300, 2),
                                   PairRounds::begins(64, 17, 900), PairRounds::begins(5, 8, 3)};
  EXPECT_EQ(drawn, (std::vector<bool>{true, true, false, true, false, true, false, true}));
}

TEST(PairRounds, EachRankTimesItsOwnWay) {
  for (const int size : {2, 5}) {
    for (std::uint64_t point = 0; point < 5; point += 2) {
      const Batch batch = run(round_of(point), costs, {}, size).batch;
      ASSERT_EQ(batch.outcome.status, Status::ok) << batch.outcome.reason;
      const std::vector<int> with = partners(point, size);
      for (int rank = 0; rank < size; ++rank) {
        if (with[static_cast<std::size_t>(rank)] == size) continue;
        EXPECT_NEAR(own_way(batch, rank), there_and_back, there_and_back * 0.05) << rank;
      }
    }
  }
}

// It has samples in every batch, and no time of any pair.
TEST(PairRounds, ARankZeroThatStandsByHasATickForEachSample) {
  int stood_by = 0;
  for (std::uint64_t point = 0; point < 5; ++point) {
    const bool stands_by = PairRounds::partner_in(point, 0, 5) == 5;
    const Batch batch = run(round_of(point), costs, {}, 5).batch;
    EXPECT_EQ(batch.outcome.status, Status::ok) << batch.outcome.reason;
    EXPECT_EQ(batch.ticks == std::vector<Ticks>(4, 1), stands_by) << point;
    if (stands_by) ++stood_by;
  }
  EXPECT_EQ(stood_by, 1);
}

TEST(PairRounds, ASlowRankIsSlowInItsPairAndHoldsNobodyUp) {
  Costs slow = costs;
  slow.send_overhead = 4007;
  const Batch batch = run(round_of(1), costs, {}, 6, {{2, slow}}).batch;
  ASSERT_EQ(batch.outcome.status, Status::ok) << batch.outcome.reason;
  const int with = PairRounds::partner_in(1, 2, 6);
  for (int rank = 0; rank < 6; ++rank) {
    const bool is_hit = rank == 2 || rank == with;
    EXPECT_NEAR(own_way(batch, rank), there_and_back + (is_hit ? 4000 : 0), 100) << rank;
  }
}

// Of eight ranks four pairs: one after the other they take four times as long, three at once twice.
TEST(PairRounds, AsManyPairsRunAtOnceAsTheCaseSays) {
  for (const int size : {8, 9}) {
    Case spec = round_of(3, 40);
    spec.verify = false;
    const auto all = static_cast<double>(run(spec, costs, {}, size).elapsed);
    for (const std::uint32_t at_once : {1U, 3U, 9U}) {
      spec.at_once = at_once;
      const Result result = run(spec, costs, {}, size);
      ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
      const double turns = at_once < 4 ? (at_once == 1 ? 4 : 2) : 1;
      EXPECT_NEAR(static_cast<double>(result.elapsed) / all, turns, 0.1 * turns) << at_once;
      const std::vector<int> with = partners(3, size);
      for (int rank = 0; rank < size; ++rank) {
        if (with[static_cast<std::size_t>(rank)] == size) continue;
        EXPECT_NEAR(own_way(result.batch, rank), there_and_back, there_and_back * 0.05) << rank;
      }
      EXPECT_EQ(result.unexpected.count(64), 0U);
    }
  }
}

TEST(PairRounds, ReceivesArePostedAhead) {
  EXPECT_EQ(run(round_of(0), costs, {}, 4).unexpected.count(64), 0U);
}

TEST(PairRounds, HarmedMessagesNeverGiveAFigure) {
  for (const std::size_t message : {5UL, 40UL, 90UL}) {
    for (const bool drop : {true, false}) {
      const Mischief harm{.rank = 1, .message = message, .drop = drop, .repeat = !drop};
      const Result result = run(round_of(1), costs, harm, 4);
      EXPECT_FALSE(result.whole && result.batch.outcome.status == Status::ok) << message << drop;
    }
  }
  const Mischief flip{.rank = 1, .message = 11, .flip_offset = 33};
  EXPECT_EQ(run(round_of(1), costs, flip, 4).batch.outcome.status, Status::failed);
}

/// A link that has a fault once a rank polls it awake.
class NeverPolled final : public LinkAround {
 public:
  using LinkAround::LinkAround;
  void poll() noexcept {
    polled_ = {1, "poll", "the rank was to block"};
    LinkAround::poll();
  }
  void block() noexcept { link().block(); }
  [[nodiscard]] const Fault* fault() const noexcept {
    return polled_.code != 0 ? &polled_ : link().fault();
  }

 private:
  Fault polled_;
};

// Control messages too: a rank that polls for them takes the core from the one that it waits for.
TEST(PairRounds, RanksThatBlockNeverPoll) {
  for (const char* wait : {"block", "spin"}) {
    Case spec = round_of(2);
    spec.wait = wait;
    const Result result = run<std::tuple<PairRounds>, NeverPolled>(spec, costs, {}, 4);
    const bool is_good = result.batch.outcome.status == Status::ok;
    EXPECT_EQ(is_good, spec.wait == "block") << result.batch.outcome.reason;
  }
}

// Of each message of the untimed pass every byte is looked at, on both ranks of each pair.
TEST(PairRounds, AsManyMessagesAreLookedAtAsTheCaseSays) {
  const auto verified = [](std::uint32_t most) {
    Case spec = round_of(2);
    spec.most_checked = most;
    return run(spec, costs, {}, 4).batch.outcome.verified_bytes;
  };
  EXPECT_EQ(verified(10) - verified(4), 6U * 64U * 4U);
  EXPECT_EQ(verified(256) - verified(1), 254U * 64U * 4U) << "two at least";
}

TEST(PairRounds, SchedulesLoseNoMessage) {
  Case spec = round_of(2, 13);
  spec.schedule = {"turn", 3, 100};
  const Batch batch = run(spec, costs, {}, 5).batch;
  EXPECT_EQ(batch.outcome.status, Status::ok) << batch.outcome.reason;
  EXPECT_GT(batch.outcome.verified_bytes, 64U * 8U);
}

}  // namespace
}  // namespace weft::fake

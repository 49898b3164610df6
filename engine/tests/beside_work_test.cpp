// How long the work beside a transfer is and what is counted of both, by clocks of a test's own.
#include "patterns/parts/beside_work.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace weft {
namespace {

/// In which 1024 rounds take a tick, and the first calls of a test so many more.
struct SlowAtFirst {
  static constexpr std::string_view name = "slow at first";
  static constexpr Ticks more = 100;
  static Ticks& time() noexcept {
    thread_local Ticks now = 0;
    return now;
  }
  static std::uint32_t& slow_calls() noexcept {
    thread_local std::uint32_t left = 0;
    return left;
  }
  static Ticks now() noexcept { return time(); }
  static Ticks pause(Ticks wanted) noexcept { return wanted; }
  static void compute(std::uint64_t rounds) noexcept {
    time() += rounds / 1024;
    if (slow_calls() == 0) return;
    --slow_calls();
    time() += more;
  }
};

/// Too coarse to see any computing.
struct Still {
  static constexpr std::string_view name = "still";
  static Ticks now() noexcept { return 5; }
  static Ticks pause(Ticks wanted) noexcept { return wanted; }
  static void compute(std::uint64_t /*rounds*/) noexcept {}
};

TEST(BesideWork, RoundsAreAsManyAsTakeTheTimeByTheShortestOfFourTrials) {
  for (const std::uint32_t slow : {0U, 1U, 3U}) {
    SlowAtFirst::slow_calls() = slow;
    EXPECT_EQ(rounds_for<SlowAtFirst>(10), 10'240U) << slow;
    EXPECT_EQ(SlowAtFirst::slow_calls(), 0U);
  }
  // 4096 rounds take 104 ticks then.
  SlowAtFirst::slow_calls() = 5;
  EXPECT_EQ(rounds_for<SlowAtFirst>(10), 393U);
  EXPECT_EQ(SlowAtFirst::slow_calls(), 1U);
  SlowAtFirst::slow_calls() = 0;
  EXPECT_EQ(rounds_for<SlowAtFirst>(0), 0U);
}

TEST(BesideWork, WhatAClockDoesNotSeeTakesATick) {
  EXPECT_EQ(rounds_for<Still>(10), 40'960U);
  EXPECT_EQ(rounds_for<Still>(1), 4096U);
}

TEST(BesideWork, AShareOfATimeIsInPerCentAndCut) {
  EXPECT_EQ(share_of(200, 50), 100U);
  EXPECT_EQ(share_of(7, 100), 7U);
  EXPECT_EQ(share_of(7, 200), 14U);
  EXPECT_EQ(share_of(3, 50), 1U);
  EXPECT_EQ(share_of(7, 0), 0U);
}

TEST(BesideWork, AloneIsDoneAsOftenAsItIsBeside) {
  EXPECT_EQ(work_alone<SlowAtFirst>(2048), 2U);
  EXPECT_EQ(work_alone<SlowAtFirst>(2048, 3), 6U);
  EXPECT_EQ(work_alone<SlowAtFirst>(2048, 0), 0U);
}

/// Room for two samples of three operations, with work of half a transfer.
struct Room {
  std::array<Ticks, 2> samples{};
  std::array<std::array<Ticks, 2>, 2> parts{};
  Task task;

  Room() {
    task.samples = samples;
    for (std::size_t at = 0; at < parts.size(); ++at) task.parts.at(at) = parts.at(at);
    task.ops_per_sample = 3;
    task.point = 50;
  }
};

/// What a transfer alone takes, but for the first three.
constexpr Ticks transfer_ticks = 16;

TEST(BesideWork, EachSampleIsATransferAWorkAndBothOfEachOperation) {
  Room room;
  std::vector<std::uint64_t> asked;
  std::vector<std::size_t> samples;
  const auto transfer = [&](std::uint64_t rounds, Ticks& took) {
    took += transfer_ticks + (asked.size() < 3 ? 40 : 0) + rounds / 1024;
    asked.push_back(rounds);
    return true;
  };
  const auto more = [&](std::uint64_t rounds, std::size_t at) {
    EXPECT_EQ(rounds, 8 * 1024U);
    samples.push_back(at);
    return true;
  };
  EXPECT_TRUE(measure_beside_work<SlowAtFirst>(room.task, transfer, more));
  EXPECT_EQ(room.samples, (std::array<Ticks, 2>{72, 72}));
  EXPECT_EQ(room.parts[0], (std::array<Ticks, 2>{48, 48}));
  EXPECT_EQ(room.parts[1], (std::array<Ticks, 2>{24, 24}));
  EXPECT_EQ(samples, (std::vector<std::size_t>{0, 0, 0, 1, 1, 1}));
  ASSERT_EQ(asked.size(), 16U);
  for (std::size_t at = 0; at < asked.size(); ++at) {
    EXPECT_EQ(asked[at], at < 4 || at % 2 == 0 ? 0U : 8 * 1024U) << at;
  }
}

TEST(BesideWork, EndsWhereAnyOfItsTransfersFails) {
  for (std::uint32_t good = 0; good <= 16; ++good) {
    Room room;
    std::uint32_t left = good;
    const auto transfer = [&](std::uint64_t /*rounds*/, Ticks& took) {
      took += transfer_ticks;
      if (left == 0) return false;
      --left;
      return true;
    };
    const auto more = [](std::uint64_t /*rounds*/, std::size_t /*at*/) { return true; };
    EXPECT_EQ(measure_beside_work<SlowAtFirst>(room.task, transfer, more), good == 16) << good;
  }
  Room room;
  const auto transfer = [](std::uint64_t /*rounds*/, Ticks& took) {
    took += transfer_ticks;
    return true;
  };
  const auto fails = [](std::uint64_t /*rounds*/, std::size_t at) { return at == 0; };
  EXPECT_FALSE(measure_beside_work<SlowAtFirst>(room.task, transfer, fails));
}

}  // namespace
}  // namespace weft

// Which ranks of a host have memory of a case: those that the roles name, and no others.
#include "run/ranks_of_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "run/footprint.hpp"
#include "run/run_case.hpp"
#include "tests/support/fake_cases.hpp"

namespace weft::fake {
namespace {

std::vector<PatternOn> all_patterns() {
  return patterns_on<Link, VirtualClock>(static_cast<AllPatterns*>(nullptr));
}

PatternOn pattern_named(const std::string& name) {
  for (PatternOn& one : all_patterns()) {
    if (one.info.name == name) return one;
  }
  ADD_FAILURE() << name;
  return {};
}

/// Of a host with the ranks from `first` on.
RanksOfCase of_host(const std::string& name, std::uint64_t point, int first, int each, int size) {
  Case spec = make_case(name, 8, 1);
  spec.point = point;
  spec.ranks_here.resize(static_cast<std::size_t>(each));
  std::iota(spec.ranks_here.begin(), spec.ranks_here.end(), first);
  return ranks_of_case(spec, pattern_named(name), size);
}

void expect(const RanksOfCase& found, int ranks, std::uint64_t lanes) {
  EXPECT_EQ(found.ranks, ranks);
  EXPECT_EQ(found.lanes, lanes);
}

TEST(RanksOfCase, AreThoseOfThisHostThatTakePart) {
  expect(of_host("ping_pong", 0, 0, 16, 64), 2, 2);
  expect(of_host("ping_pong", 0, 1, 16, 64), 1, 1);
  expect(of_host("ping_pong", 0, 16, 16, 64), 0, 0);
  expect(of_host("sendrecv", 0, 16, 16, 64), 16, 16);
  // Rank 0 has buffers for each of its peers, and they have theirs for it.
  expect(of_host("hot_spot_receive", 40, 0, 16, 64), 16, 40 + 15);
  expect(of_host("hot_spot_receive", 40, 32, 16, 64), 9, 9);
  expect(of_host("hot_spot_send", 0, 48, 16, 64), 16, 16);
  // Rank i sends to rank i + n/2.
  expect(of_host("message_rate", 4, 0, 16, 64), 4, 4);
  expect(of_host("message_rate", 4, 16, 16, 64), 0, 0);
  expect(of_host("message_rate", 4, 32, 16, 64), 4, 4);
  expect(of_host("message_rate", 0, 0, 16, 64), 16, 16);
}

TEST(RanksOfCase, WhatAPatternDeclaresIsWhatItsRolesSay) {
  for (const PatternOn& one : all_patterns()) {
    const Footprint& declared = one.footprint;
    for (const int size : {2, 3, 8, 9}) {
      for (const std::uint64_t point : {0UL, 1UL, 2UL, 4UL}) {
        Case spec = make_case(std::string(one.info.name), 8, 1);
        spec.point = point;
        if (one.lacks != nullptr && !one.lacks(spec, size).empty()) continue;
        const bool is_of_all = declared.ranks + declared.ranks_per_point == 0 ||
                               (declared.ranks_per_point > 0 && point == 0);
        const std::uint64_t named = declared.ranks + declared.ranks_per_point * point;
        const std::uint64_t all = is_of_all ? static_cast<std::uint64_t>(size) : named;
        std::uint64_t found = 0;
        std::uint64_t most_lanes = 0;
        for (int rank = 0; rank < size; ++rank) {
          const Role role = one.role(spec, rank, size);
          found += role.takes_part() ? 1 : 0;
          most_lanes = std::max<std::uint64_t>({most_lanes, role.to.size(), role.from.size()});
        }
        // Where pairs are drawn of an odd number, one rank may stand by.
        const bool has_pairs = one.info.name == "random_pairs" || one.info.name == "message_rate" ||
                               one.info.name == "pair_rounds";
        EXPECT_GE(all, found) << one.info.name << size << ' ' << point;
        EXPECT_LE(all - found, has_pairs ? 1U : 0U) << one.info.name << size << ' ' << point;
        if (spec.lattice.dimensions > 0 || one.info.lattice.dimensions > 0) continue;
        EXPECT_LE(most_lanes, declared.is_star ? all - 1 : 1U) << one.info.name << size;
      }
    }
  }
}

// Of all benchmarks: where a rank stands by, the ranks wait so that it sleeps.
TEST(RanksOfCase, NobodyStandsByWhereItIsSaidThatAllTakePart) {
  for (const PatternOn& one : all_patterns()) {
    for (int size = 1; size <= 9; ++size) {
      Case spec = make_case(std::string(one.info.name), 8, 1);
      if (size < static_cast<int>(one.info.ranks)) continue;
      if (one.lacks != nullptr && !one.lacks(spec, size).empty()) continue;
      int standing_by = 0;
      for (int rank = 0; rank < size; ++rank) {
        standing_by += one.role(spec, rank, size).takes_part() ? 0 : 1;
      }
      if (!has_all_ranks(one.footprint)) continue;
      EXPECT_EQ(standing_by, takes_all_ranks(one, size) ? 0 : 1) << one.info.name << ' ' << size;
    }
  }
}

// Of a case that leaves rank 0 out the others would wait for its call.
TEST(RanksOfCase, TheFirstIsTheLeastThatTakesPart) {
  const std::vector<PatternOn> all = all_patterns();
  for (const PatternOn& one : all) {
    CasePlan plan;
    plan.pattern = &one;
    plan.size = 9;
    plan.spec = make_case(std::string(one.info.name), 8, 1);
    if (one.lacks != nullptr && !one.lacks(plan.spec, plan.size).empty()) continue;
    const int first = first_of_case(plan);
    EXPECT_TRUE(one.role(plan.spec, first, plan.size).takes_part()) << one.info.name;
    for (int rank = 0; rank < first; ++rank) {
      EXPECT_FALSE(one.role(plan.spec, rank, plan.size).takes_part()) << one.info.name;
    }
  }
  PatternOn last = pattern_named("ping_pong");
  last.role = [](const Case& /*spec*/, int rank, int size) {
    Role role;
    if (rank >= size - 2) role.neighbours = {2 * size - 3 - rank};
    return role;
  };
  CasePlan plan;
  plan.pattern = &last;
  plan.size = 8;
  EXPECT_EQ(first_of_case(plan), 6);
}

TEST(RanksOfCase, OneAsksForAllOfAHost) {
  Case spec;
  EXPECT_TRUE(asks_for_host(spec, 0));
  EXPECT_FALSE(asks_for_host(spec, 1));
  spec.ranks_here = {5, 9};
  EXPECT_TRUE(asks_for_host(spec, 5));
  EXPECT_FALSE(asks_for_host(spec, 9));
  EXPECT_FALSE(asks_for_host(spec, 0));
}

TEST(RanksOfCase, ALaunchOfMoreRanksMakesNoTestOfTwoNeedMore) {
  const PatternOn ping_pong = pattern_named("ping_pong");
  const Case spec = make_case("ping_pong", 1 << 20U, 1);
  const auto needed = [&](int ranks) {
    return needed_bytes(spec, ping_pong.footprint, ranks, ranks_of_case(spec, ping_pong, ranks));
  };
  EXPECT_DOUBLE_EQ(needed(64), needed(2));
}

TEST(RanksOfCase, SharedMemoryThatIsNotThereIsRefusedWithItsNumbers) {
  constexpr std::uint64_t mebibyte = 1 << 20U;
  const auto refused = [](int ranks, std::uint64_t bytes, std::optional<std::uint64_t> free) {
    return refuse_shared_memory(ranks, static_cast<std::size_t>(bytes), free);
  };
  EXPECT_EQ(refused(2, 32 * mebibyte, 64 * mebibyte), "");
  const std::string why = refused(2, 32 * mebibyte + 1, 64 * mebibyte);
  EXPECT_NE(why.find("need 65 MiB of shared memory"), std::string::npos) << why;
  EXPECT_NE(why.find("64 MiB are free in /dev/shm"), std::string::npos) << why;
  EXPECT_EQ(refused(1, 65 * mebibyte, 64 * mebibyte), "");
  EXPECT_EQ(refused(2, 65 * mebibyte, std::nullopt), "");
}

}  // namespace
}  // namespace weft::fake

// What a case of the staggered solver may ask for, and why not, in full; and that one is solved.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "patterns/parts/milc_case.hpp"
#include "patterns/parts/milc_ranks.hpp"
#include "tests/support/fake_cases.hpp"

namespace weft::milc {
namespace {

Case usual_case() {
  Case spec = fake::make_case("milc", 36, 2);
  spec.lattice.dimensions = 4;
  spec.lattice.extents = {4, 4, 4, 4};
  spec.lattice.sums = 2;
  return spec;
}

std::string refusal_of(const std::function<void(Case&)>& change, int ranks = 2) {
  Case spec = usual_case();
  change(spec);
  return refuse_case(spec, ranks);
}

TEST(MilcCase, IsOfFourDimensions) {
  const std::string words = "its lattice has four dimensions; choose --extents like 8 or 4x6x8x8";
  for (const std::uint32_t dimensions : {1U, 2U, 3U}) {
    EXPECT_EQ(refusal_of([&](Case& spec) { spec.lattice.dimensions = dimensions; }), words);
  }
  EXPECT_EQ(refusal_of([](Case& /*spec*/) {}), "");
}

TEST(MilcCase, HasFacesAndArithmeticOfTheSolver) {
  const std::string words =
      "its faces and its arithmetic are the solver's; omit --depth and --compute";
  EXPECT_EQ(refusal_of([](Case& spec) { spec.lattice.depth = 2; }), words);
  EXPECT_EQ(refusal_of([](Case& spec) { spec.lattice.compute_ps_per_site = 1; }), words);
}

TEST(MilcCase, HasOneSumOrTwo) {
  EXPECT_EQ(refusal_of([](Case& spec) { spec.lattice.sums = 0; }),
            "its iterations have sums; choose --sums 2, or 1");
  EXPECT_EQ(refusal_of([](Case& spec) { spec.lattice.sums = 1; }), "");
}

TEST(MilcCase, HasAThreadForEachOfItsCoresAtMost) {
  const auto refusal = [](std::vector<int> spare, std::uint32_t threads) {
    return refusal_of([&](Case& spec) {
      spec.spare_cpus = std::move(spare);
      spec.lattice.threads = threads;
    });
  };
  const std::string rest = " threads; choose fewer --threads, or fewer ranks on a host";
  EXPECT_EQ(refusal({}, 1), "");
  EXPECT_EQ(refusal({}, 2), "each of its ranks has 1 of the cores and is to have 2" + rest);
  EXPECT_EQ(refusal({4, 5}, 3), "");
  EXPECT_EQ(refusal({4, 5}, 4), "each of its ranks has 3 of the cores and is to have 4" + rest);
}

TEST(MilcCase, HasBytesOfASiteInSingleOrDoublePrecision) {
  const std::string words =
      "a site of a face is 36 bytes in single precision and 72 in double; choose --sizes 36, or 72";
  for (const std::size_t bytes : {0U, 35U, 37U, 71U, 73U}) {
    EXPECT_EQ(refusal_of([&](Case& spec) { spec.bytes = bytes; }), words) << bytes;
  }
  for (const std::size_t bytes : {36U, 72U}) {
    EXPECT_EQ(refusal_of([&](Case& spec) { spec.bytes = bytes; }), "");
    EXPECT_EQ(is_single(bytes), bytes == 36);
  }
}

TEST(MilcCase, HasEvenExtentsFromFour) {
  const auto refusal = [](const std::array<std::uint32_t, 4>& extents) {
    return refusal_of([&](Case& spec) { spec.lattice.extents = extents; });
  };
  const std::string rest =
      " on each rank has not even extents of at least 4 on each rank; choose other --extents";
  EXPECT_EQ(refusal({6, 8, 10, 4}), "");
  EXPECT_EQ(refusal({5, 4, 4, 4}), "a lattice of 5x4x4x4" + rest);
  EXPECT_EQ(refusal({4, 4, 4, 2}), "a lattice of 4x4x4x2" + rest);
  EXPECT_EQ(refusal_of([](Case& spec) { spec.lattice.is_global = true; }),
            "2 ranks cannot divide a lattice of 4x4x4x4 into even extents of at least 4 on each "
            "rank; choose another --lattice, or other --ranks");
}

TEST(MilcCase, KeepsTwoRowsOfALongLinkWhereItSaysSoAndTakesACoreForEachMoreThread) {
  Case spec = usual_case();
  spec.spare_cpus = {4, 5};
  EXPECT_EQ(how_of(spec).long_links, LongLinks::three_rows);
  EXPECT_TRUE(how_of(spec).team_cpus.empty());
  spec.application = {{"long_links", 12.0}};
  spec.lattice.threads = 2;
  EXPECT_EQ(how_of(spec).long_links, LongLinks::two_rows);
  ASSERT_EQ(how_of(spec).team_cpus.size(), 1U);
  EXPECT_EQ(how_of(spec).team_cpus[0], 4);
}

// A conjugate gradient that takes a residual down by (r - 1) / (r + 1) an iteration, r^2 being the
// largest eigenvalue over the least: of a mass of 0.5 r^2 is 7, and 12 powers of ten are 34.7.
TEST(MilcRanks, BeginASolutionAnewBeforeItsNumbersGetTooSmall) {
  EXPECT_EQ(iterations_of_solution(0.02), 50U);
  EXPECT_EQ(iterations_of_solution(0.34), 50U);
  EXPECT_EQ(iterations_of_solution(0.36), 47U);
  EXPECT_EQ(iterations_of_solution(0.5), 34U);
  EXPECT_EQ(iterations_of_solution(1), 18U);
  EXPECT_EQ(iterations_of_solution(2), 10U);
  EXPECT_EQ(iterations_of_solution(10), 4U);
  EXPECT_EQ(iterations_of_solution(1e5), 1U);
}

// A large mass takes few iterations.
TEST(MilcRanks, SolveAndSayTheResidual) {
  Case spec = usual_case();
  spec.application = {{"mass", 10.0}};
  spec.samples = 2;
  for (const int ranks : {1, 2}) {
    for (const std::uint32_t sums : {1U, 2U}) {
      spec.lattice.sums = sums;
      const fake::Result result = fake::run(spec, fake::usual_costs, {}, ranks);
      EXPECT_TRUE(result.whole);
      EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
      EXPECT_GT(fake::answer_of(result, "residual"), 0);
      EXPECT_LT(fake::answer_of(result, "residual"), 0.01);
    }
  }
}

}  // namespace
}  // namespace weft::milc

// The exchange of faces on a fabric whose answer is known, and planted faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "run/case.hpp"
#include "tests/support/fake_cases.hpp"

namespace weft::fake {
namespace {

constexpr Ticks face = 4 * 4 * 4 * 36;

Case halo_case(std::uint32_t ops = 3) {
  Case made = make_case("halo", 36, ops);
  made.lattice.dimensions = 4;
  made.lattice.extents = {4, 4, 4, 4};
  return made;
}

Case of_extents(std::vector<std::uint32_t> extents, bool is_global = false) {
  Case made = halo_case();
  made.lattice.dimensions = static_cast<std::uint32_t>(extents.size());
  made.lattice.extents = {1, 1, 1, 1};
  std::copy(extents.begin(), extents.end(), made.lattice.extents.begin());
  made.lattice.is_global = is_global;
  return made;
}

/// Ticks of an iteration in a part's fourth sample.
double part_of(const Result& result, const std::string& name) {
  for (const Series& part : result.batch.parts) {
    if (part.name != name) continue;
    return static_cast<double>(part.ticks.at(3)) / result.batch.ops_per_sample;
  }
  return 0;
}

/// All messages leave by one wire; the last one comes a latency later, and is taken.
constexpr double exchange_of(Ticks bytes) {
  return static_cast<double>(7 + 2 * bytes + 500 + 11);
}

TEST(Halo, ExchangesAFaceEachWayInEverySplitDimension) {
  for (const auto& [ranks, faces] : std::map<int, Ticks>{{2, 2}, {4, 4}, {8, 6}, {16, 8}}) {
    const Result result = run(halo_case(), usual_costs, {}, ranks);
    EXPECT_EQ(per_operation(result), exchange_of(faces * face)) << ranks;
    EXPECT_EQ(part_of(result, "post"), 7.0 * static_cast<double>(faces)) << ranks;
    EXPECT_EQ(part_of(result, "rank1.wait"), part_of(result, "wait")) << ranks;
    EXPECT_EQ(part_of(result, "rank1"), per_operation(result)) << ranks;
    EXPECT_EQ(result.unexpected.count(face), 0U) << ranks;
    EXPECT_EQ(result.batch.sent_messages, faces) << ranks;
    EXPECT_EQ(result.batch.sent_bytes, faces * face) << ranks;
  }
}

TEST(Halo, FacesHaveTheSitesOfTheOtherDimensions) {
  // 2 ranks split x, whose face is y times z; 4 ranks split y as well.
  const Case box = of_extents({4, 6, 8});
  EXPECT_EQ(per_operation(run(box, usual_costs, {}, 2)), exchange_of(2 * 36 * 48));
  EXPECT_EQ(per_operation(run(box, usual_costs, {}, 4)), exchange_of(2 * 36 * (48 + 32)));
  EXPECT_EQ(per_operation(run(of_extents({7}), usual_costs, {}, 3)), exchange_of(2 * 36));
  Case deep = halo_case();
  deep.lattice.depth = 3;
  EXPECT_EQ(per_operation(run(deep, usual_costs, {}, 2)), exchange_of(2 * 3 * face));
}

TEST(Halo, OfALatticeThatIsDividedGetsSmallerWithTheRanks) {
  // 16x8 in halves or quarters along its longer extent: a face of 8 sites; 16x16 both ways.
  const Case whole = of_extents({16, 8}, true);
  EXPECT_EQ(per_operation(run(whole, usual_costs, {}, 2)), exchange_of(2 * 36 * 8));
  EXPECT_EQ(per_operation(run(whole, usual_costs, {}, 4)), exchange_of(2 * 36 * 8));
  const Result square = run(of_extents({16, 16}, true), usual_costs, {}, 4);
  EXPECT_EQ(per_operation(square), exchange_of(4 * 36 * 8));
}

TEST(Halo, ComputesWhileFacesAreOnTheirWay) {
  Case spec = halo_case();
  for (const std::uint64_t ticks : {2560UL, 25600UL}) {
    spec.lattice.compute_ps_per_site = ticks * 1000 / 256;
    spec.lattice.overlaps = true;
    const Result beside = run(spec, usual_costs, {}, 2);
    EXPECT_EQ(part_of(beside, "compute"), static_cast<double>(ticks));
    // Both faces are taken at once where they were there before the computing ended.
    const double late = 2 * 7 + static_cast<double>(ticks) + 2 * 11;
    EXPECT_EQ(per_operation(beside), std::max(exchange_of(2 * face), late));
    spec.lattice.overlaps = false;
    const Result behind = run(spec, usual_costs, {}, 2);
    EXPECT_EQ(per_operation(behind), exchange_of(2 * face) + static_cast<double>(ticks));
    EXPECT_EQ(part_of(behind, "wait"), exchange_of(2 * face) - 2 * 7);
  }
}

TEST(Halo, SumsOverAllRanksAtTheEndOfAnIteration) {
  Case spec = halo_case();
  spec.lattice.sums = 2;
  const Result result = run(spec, usual_costs, {}, 4);
  EXPECT_EQ(per_operation(result), exchange_of(4 * face) + 2 * 1000);
  EXPECT_EQ(part_of(result, "sum"), 2000);
}

TEST(Halo, OneRankComputesAndSendsNothing) {
  Case spec = halo_case();
  spec.lattice.compute_ps_per_site = 10'000;
  const Result result = run(spec, usual_costs, {}, 1);
  EXPECT_EQ(per_operation(result), 2560);
  EXPECT_EQ(part_of(result, "wait"), 0);
  EXPECT_EQ(result.batch.outcome.verified_bytes, 0U);
}

TEST(Halo, PartsAndTheReadsOfTheClockAreAllThereIs) {
  Costs costs = usual_costs;
  costs.clock_read = 5;
  const Result result = run(halo_case(), costs, {}, 4);
  const double parts = part_of(result, "post") + part_of(result, "compute") +
                       part_of(result, "wait") + part_of(result, "sum");
  EXPECT_EQ(parts, per_operation(result));
  EXPECT_EQ(part_of(result, "compute"), 5);
}

TEST(Halo, AQuickNeighboursNextFaceIsNotTakenForASlowOnes) {
  // A ring of four: ranks 0 and 2 wait for rank 3, whose faces take long; rank 1 does not.
  Costs slow = usual_costs;
  slow.latency = 50'000;
  const Result result = run(of_extents({4}), usual_costs, {}, 4, {{3, slow}});
  // A face of rank 3 makes ranks 0 and 2 start late, and theirs rank 3: a long way, a short way.
  const Ticks both = result.batch.ticks.at(2) + result.batch.ticks.at(3);
  EXPECT_NEAR(static_cast<double>(both) / 6, (50'000 + 500) / 2.0, 1'000);
  for (const Ticks sample : result.batch.ticks) EXPECT_GT(sample, 50'000U);
}

class EveryHalo : public testing::TestWithParam<int> {};

TEST_P(EveryHalo, AFlippedBitIsAFailedCase) {
  const int ranks = GetParam();
  for (const std::size_t message : {8UL, 13UL, 20UL}) {
    const Mischief flip{.rank = 1, .message = message, .flip_offset = 33};
    const Batch batch = run(halo_case(), usual_costs, flip, ranks).batch;
    EXPECT_EQ(batch.outcome.status, Status::failed) << message;
    EXPECT_NE(batch.outcome.reason.find("offset 33 of 2304"), std::string::npos)
        << batch.outcome.reason;
  }
}

TEST_P(EveryHalo, ALostOrRepeatedMessageNeverGivesAFigure) {
  const int ranks = GetParam();
  for (const std::size_t message : {5UL, 9UL, 40UL}) {
    for (const bool drop : {true, false}) {
      const Mischief harm{.rank = 1, .message = message, .drop = drop, .repeat = !drop};
      const Result result = run(halo_case(), usual_costs, harm, ranks);
      EXPECT_FALSE(result.whole && result.batch.outcome.status == Status::ok) << message << drop;
    }
  }
}

TEST_P(EveryHalo, BuffersInTurnAndOtherWaitsLoseNothing) {
  for (const char* wait : {"spin", "block"}) {
    Case spec = halo_case();
    spec.schedule = {"turn", 3, 100};
    spec.wait = wait;
    spec.lattice.sums = 1;
    const Result result = run(spec, usual_costs, {}, GetParam());
    EXPECT_EQ(result.batch.outcome.status, Status::ok) << wait << result.batch.outcome.reason;
    EXPECT_GT(result.batch.outcome.verified_bytes, 64 * face);
    EXPECT_EQ(result.unexpected.count(face), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryHalo, testing::Values(2, 3, 4));

TEST(HaloRefusals, WhatCannotBeIsUnsupportedWithTheFix) {
  const auto reason = [](const Case& spec, int ranks) {
    const Batch batch = run(spec, usual_costs, {}, ranks).batch;
    EXPECT_EQ(batch.outcome.status, Status::unsupported);
    return batch.outcome.reason;
  };
  EXPECT_EQ(reason(halo_case(), 1),
            "one rank exchanges nothing; choose --compute, or more with --ranks");
  EXPECT_EQ(
      reason(of_extents({8, 8}, true), 3),
      "3 ranks cannot divide a lattice of 8x8 into extents of at least 1 on each rank; choose "
      "another --lattice, or other --ranks");
  Case deep = of_extents({2, 8});
  deep.lattice.depth = 3;
  EXPECT_EQ(
      reason(deep, 2),
      "a lattice of 2x8 on each rank has not extents of at least 3 on each rank; choose other "
      "--extents");
}

TEST(HaloCases, AreReadWithTheirBounds) {
  const auto refusal = [](const std::string& lattice) -> std::string {
    try {
      (void)parse_case(R"({"test":"halo","bytes":36,"lattice":)" + lattice + "}");
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const Case spec = parse_case(
      R"({"test":"halo","bytes":36,"lattice":{"extents":[4,6,8],"is_global":true,"depth":2,)"
      R"("compute_ps_per_site":1500,"overlaps":false,"sums":2}})");
  EXPECT_EQ(spec.lattice.sites(), 192U);
  EXPECT_EQ(spec.lattice.sites_of_rank(4), 48U);
  EXPECT_EQ(message_bytes_of(spec), 2U * 36U * 48U);
  EXPECT_EQ(spec.lattice.compute_ps_per_site, 1500U);
  EXPECT_FALSE(spec.lattice.overlaps);
  EXPECT_EQ(refusal(R"({"extents":[4]})"), "");
  EXPECT_NE(refusal(R"({"extents":[]})"), "");
  EXPECT_NE(refusal(R"({"extents":[4,4,4,4,4]})"), "");
  EXPECT_NE(refusal(R"({"extents":[0]})"), "");
  EXPECT_NE(refusal(R"({"extents":[4.5]})"), "");
  EXPECT_NE(refusal(R"({"extents":[4096,4096,4096]})"), "");
  EXPECT_NE(refusal(R"({"extents":[4],"depth":0})"), "");
  EXPECT_NE(refusal(R"({"extents":[4],"sums":3})"), "");
  EXPECT_EQ(refusal(R"({"extents":[4],"threads":2})"), "");
  EXPECT_NE(refusal(R"({"extents":[4],"threads":0})"), "");
  // Only the application knows the names; anybody sees what is no number and no text.
  EXPECT_THROW((void)parse_case(R"({"test":"milc","application":{"mass":[1]}})"),
               std::invalid_argument);
}

/// A benchmark broken on purpose: two ranks share a ring, and each takes what goes one way round
/// for what goes the other.
struct MixesUpDirections {
  static constexpr PatternInfo info = Halo::info;
  static constexpr bool every_rank = true;
  static constexpr std::array parts = Halo::parts;
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t queue_depth,
                                                  std::uint64_t point) noexcept {
    return Halo::receives_at_once<Wait, T>(queue_depth, point);
  }
  static std::string lacks(const Case& /*spec*/, int /*size*/) { return ""; }
  static Role role(const Case& spec, int rank, int size) { return Halo::role(spec, rank, size); }
  template <Clock Now, class Wait, TellsPeers T>
  static bool run(T& link, Task& task) noexcept {
    std::swap(task.lanes[0].out, task.lanes[1].out);
    return Halo::run<Now, Wait>(link, task);
  }
};

TEST(Planted, AFaceTakenForTheOtherIsCaught) {
  const Batch batch = run<std::tuple<MixesUpDirections>>(halo_case(), usual_costs).batch;
  EXPECT_EQ(batch.outcome.status, Status::failed);
  EXPECT_NE(batch.outcome.reason.find("wrong byte"), std::string::npos) << batch.outcome.reason;
}

}  // namespace
}  // namespace weft::fake

// The solver's iterations on a fabric whose answer is known, and planted faults.
#include <gtest/gtest.h>
#include <sched.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "apps/gauge_files/gauge_file.hpp"
#include "run/case.hpp"
#include "tests/support/fake_cases.hpp"
#include "tests/support/gauge_writer.hpp"
#include "tests/support/plain_staggered.hpp"

namespace weft::fake {
namespace {

Case milc_case(std::uint32_t ops = 3) {
  Case made = make_case("milc", 36, ops);
  made.lattice.dimensions = 4;
  made.lattice.extents = {4, 4, 4, 4};
  made.lattice.sums = 2;
  return made;
}

/// Ticks of an iteration in a part's fourth sample.
double part_of(const Result& result, const std::string& name) {
  for (const Series& part : result.batch.parts) {
    if (part.name != name) continue;
    return static_cast<double>(part.ticks.at(3)) / result.batch.ops_per_sample;
  }
  ADD_FAILURE() << "no part " << name;
  return 0;
}

/// All messages leave by one wire; the last one comes a latency later, and is taken.
constexpr double exchange_of(std::size_t bytes) {
  return static_cast<double>(7 + 2 * bytes + 500 + 11);
}

constexpr std::size_t face = 36 * 64;

TEST(Milc, AnIterationIsTwoExchangesOfThreeLayersAndItsSums) {
  for (const auto& [ranks, faces] : std::map<int, std::size_t>{{2, 2}, {4, 4}, {16, 8}}) {
    const Result result = run(milc_case(), usual_costs, {}, ranks);
    EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    EXPECT_EQ(per_operation(result), 2 * exchange_of(faces * face) + 2 * 1000) << ranks;
    EXPECT_EQ(part_of(result, "sum"), 2000) << ranks;
    EXPECT_EQ(part_of(result, "pack"), 2 * 7.0 * static_cast<double>(faces)) << ranks;
    EXPECT_EQ(part_of(result, "rank1.sum"), 2000) << ranks;
    EXPECT_EQ(part_of(result, "rank1"), per_operation(result)) << ranks;
    EXPECT_EQ(result.unexpected.count(face), 0U) << ranks;
    EXPECT_EQ(result.batch.sent_messages, 2 * faces) << ranks;
    EXPECT_EQ(result.batch.sent_bytes, 2 * faces * face) << ranks;
    // Every number of every face of both halves.
    EXPECT_GE(result.batch.outcome.verified_bytes,
              2 * faces * face * static_cast<std::size_t>(ranks));
  }
}

TEST(Milc, OneSumLessSavesItsTimeAndDoublePrecisionDoublesTheFaces) {
  Case spec = milc_case();
  spec.lattice.sums = 1;
  EXPECT_EQ(per_operation(run(spec, usual_costs, {}, 4)), 2 * exchange_of(4 * face) + 1000);
  spec.bytes = 72;
  EXPECT_EQ(per_operation(run(spec, usual_costs, {}, 4)), 2 * exchange_of(8 * face) + 1000);
}

TEST(Milc, UnequalExtentsHaveUnequalFaces) {
  Case spec = milc_case();
  spec.lattice.extents = {4, 6, 4, 8};
  spec.lattice.overlaps = false;
  // 4 ranks split x, whose face is 6*4*8, and y, whose face is 4*4*8.
  const Result result = run(spec, usual_costs, {}, 4);
  EXPECT_EQ(per_operation(result), 2 * exchange_of(2 * 36 * (192 + 128)) + 2000);
}

TEST(Milc, ASolutionThatBeginsAnewCostsNoTime) {
  const Result result = run(milc_case(120), usual_costs, {}, 2);
  EXPECT_EQ(per_operation(result), 2 * exchange_of(2 * face) + 2000);
}

TEST(Milc, TakesNoMoreThreadsThanThereAreCores) {
  Case spec = milc_case();
  spec.lattice.threads = 3;
  spec.spare_cpus = {sched_getcpu()};
  Result result = run(spec, usual_costs, {}, 2);
  EXPECT_EQ(result.batch.outcome.status, Status::unsupported);
  EXPECT_NE(result.batch.outcome.reason.find("2 of the cores and is to have 3 threads"),
            std::string::npos);
  spec.lattice.threads = 2;
  spec.application["long_links"] = 12.0;
  result = run(spec, usual_costs, {}, 2);
  EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_GT(result.batch.outcome.verified_bytes, 0U);
}

TEST(Milc, ReportsTheTrueResidualOfItsLastSolution) {
  // The same lattice in one piece and in two, after 50 iterations, but for rounding.
  Case whole = milc_case(5);
  whole.warmup = 2;
  whole.samples = 8;
  whole.bytes = 72;
  whole.lattice.is_global = true;
  whole.lattice.extents = {8, 4, 4, 4};
  const double one = answer_of(run(whole, usual_costs, {}, 1), "residual");
  const double two = answer_of(run(whole, usual_costs, {}, 2), "residual");
  EXPECT_GT(one, 0);
  EXPECT_LT(one, 0.05);
  EXPECT_NEAR(one, two, 1e-9 * one);
}

TEST(Milc, AFlippedBitOfACheckedFaceIsAFailedCase) {
  for (const std::size_t message : {1UL, 2UL, 3UL, 4UL}) {
    for (const std::size_t offset : {0UL, 33UL, face - 1}) {
      const Result result =
          run(milc_case(), usual_costs, {.message = message, .flip_offset = offset}, 2);
      EXPECT_EQ(result.batch.outcome.status, Status::failed) << message;
      EXPECT_NE(result.batch.outcome.reason.find("a face did not arrive as it was sent"),
                std::string::npos)
          << result.batch.outcome.reason;
      EXPECT_TRUE(result.batch.ticks.empty());
    }
  }
}

TEST(Milc, ANumberThatArrivesFarOffInTheTimedPassFailsTheCase) {
  Case spec = milc_case();
  spec.verify = false;
  // The exponent of a face's first number.
  const Result result = run(spec, usual_costs, {.message = 30, .flip_offset = 3}, 2);
  EXPECT_EQ(result.batch.outcome.status, Status::failed);
  EXPECT_NE(result.batch.outcome.reason.find("true residual"), std::string::npos)
      << result.batch.outcome.reason;
}

TEST(Milc, ADroppedOrRepeatedMessageNeverGivesAFigure) {
  for (const std::size_t message : {2UL, 40UL}) {
    for (const bool drop : {true, false}) {
      const Result result =
          run(milc_case(), usual_costs, {.message = message, .drop = drop, .repeat = !drop}, 2);
      EXPECT_FALSE(result.whole && result.batch.outcome.status == Status::ok) << message;
    }
  }
}

TEST(Milc, ADelayedMessageIsInItsSampleAndInNoOther) {
  constexpr Ticks delay = 1'000'000;
  Case spec = milc_case();
  spec.verify = false;
  const Result plain = run(spec, usual_costs, {}, 2);
  // The start, then four faces an iteration and three iterations a sample.
  const Result late = run(spec, usual_costs, {.message = 1 + 12 * 3 + 2, .delay = delay}, 2);
  ASSERT_EQ(late.batch.outcome.status, Status::ok) << late.batch.outcome.reason;
  for (std::size_t at = 0; at < late.batch.ticks.size(); ++at) {
    const Ticks more = late.batch.ticks.at(at) - plain.batch.ticks.at(at);
    EXPECT_EQ(more > delay / 2, at == 3) << at;
  }
}

TEST(Milc, BadLatticesAreRefusedInWords) {
  const auto reason_of = [](const std::function<void(Case&)>& change, int ranks) {
    Case spec = milc_case();
    change(spec);
    return run(spec, usual_costs, {}, ranks).batch.outcome.reason;
  };
  const std::map<std::string, std::string> refusals{
      {reason_of(
           [](Case& spec) {
             spec.lattice.extents = {5, 4, 4, 4};
           },
           2),
       "--extents"},
      {reason_of(
           [](Case& spec) {
             spec.lattice.extents = {4, 4, 4, 2};
           },
           1),
       "--extents"},
      {reason_of([](Case& spec) { spec.lattice.dimensions = 3; }, 2), "four dimensions"},
      {reason_of([](Case& spec) { spec.lattice.is_global = true; }, 2), "cannot divide"},
      {reason_of([](Case& spec) { spec.lattice.sums = 0; }, 2), "--sums 2"},
      {reason_of([](Case& spec) { spec.lattice.depth = 3; }, 2), "omit --depth"},
      {reason_of([](Case& spec) { spec.bytes = 8; }, 2), "--sizes 36"},
      {reason_of(
           [](Case& spec) {
             spec.lattice.extents = {64, 64, 64, 64};
           },
           16),
       "MiB"}};
  EXPECT_EQ(refusals.size(), 8U);
  for (const auto& [reason, word] : refusals) {
    EXPECT_NE(reason.find(word), std::string::npos) << reason;
  }
}

/// The links of a case's seed, written to a file that lives as long as this.
class SeededFile {
 public:
  explicit SeededFile(const Case& spec, const Extents& global)
      : path_(testing::TempDir() + "seeded-links-" + std::to_string(getpid())) {
    const milc::Gauge gauge = milc::random_gauge(spec.seed, global);
    const std::string bytes = written::ildg(gauge, global, 8);
    std::ofstream(path_, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  SeededFile(const SeededFile&) = delete;
  SeededFile& operator=(const SeededFile&) = delete;
  SeededFile(SeededFile&&) = delete;
  SeededFile& operator=(SeededFile&&) = delete;
  ~SeededFile() { std::filesystem::remove(path_); }

  [[nodiscard]] Values source() const {
    const Values facts = gauge_files::facts_of(path_).values;
    return {{"gauge", path_}, {"gauge_checksums", facts.at("checksums")}};
  }

 private:
  std::string path_;
};

TEST(Milc, LinksFromAFileSolveAsTheSeedTheyWereDrawnFrom) {
  for (const auto& [ranks, bytes] : std::map<int, std::size_t>{{1, 72}, {4, 36}}) {
    Case spec = milc_case();
    spec.bytes = bytes;
    const SeededFile file(spec, milc::lattice_of(spec, ranks).global());
    const Result drawn = run(spec, usual_costs, {}, ranks);
    spec.application = file.source();
    const Result read = run(spec, usual_costs, {}, ranks);
    ASSERT_EQ(read.batch.outcome.status, Status::ok) << read.batch.outcome.reason;
    EXPECT_EQ(read.batch.application.size(), 3U);
    EXPECT_EQ(read.batch.application, drawn.batch.application);
    EXPECT_EQ(read.batch.ticks, drawn.batch.ticks);
  }
}

TEST(Milc, AFileThatIsNotThePlannedOneIsRefused) {
  Case spec = milc_case();
  const SeededFile file(spec, {8, 4, 4, 4});
  spec.application = file.source();
  const auto reason_of = [](const Case& one, int ranks) {
    const Result result = run(one, usual_costs, {}, ranks);
    EXPECT_NE(result.batch.outcome.status, Status::ok);
    return result.batch.outcome.reason;
  };
  EXPECT_NE(reason_of(spec, 4).find("8x4x4x4 where the case has 8x8x4x4"), std::string::npos);
  const auto sums =
      gauge_files::sums_called(std::get<std::string>(spec.application["gauge_checksums"]));
  for (const std::uint32_t bit : {0U, 31U}) {
    Case other = spec;
    other.application["gauge_checksums"] =
        gauge_files::in_words({sums.of_29, sums.of_31 ^ (1U << bit)});
    EXPECT_NE(reason_of(other, 2).find("another one on some host"), std::string::npos) << bit;
  }
  spec.application["gauge_checksums"] = "d2f7866d";
  EXPECT_NE(reason_of(spec, 2).find("two hexadecimal numbers, not 'd2f7866d'"), std::string::npos);
  spec.application["gauge"] = "/no/such/lattice";
  EXPECT_NE(reason_of(spec, 2).find("/no/such/lattice"), std::string::npos);
}

TEST(Milc, PlaquettesAreThoseOfTheFieldHoweverItIsDivided) {
  Case spec = milc_case();
  spec.lattice.extents = {8, 8, 4, 4};
  spec.lattice.is_global = true;
  const Result alone = run(spec, usual_costs, {}, 1);
  const Result four = run(spec, usual_costs, {}, 4);
  ASSERT_EQ(alone.batch.outcome.status, Status::ok) << alone.batch.outcome.reason;
  const milc::Gauge gauge = milc::random_gauge(spec.seed, spec.lattice.extents);
  std::array<double, 2> sums{};
  for (std::uint64_t number = 0; number < spec.lattice.sites(); ++number) {
    const milc::Site site = milc::plain::site_of(number, spec.lattice.extents);
    for (int mu = 1; mu <= 4; ++mu) {
      for (int nu = 1; nu < mu; ++nu) {
        const auto loop = milc::plain::along({mu, nu, -mu, -nu}, site, spec.lattice.extents, gauge);
        sums.at(mu == 4 ? 1 : 0) += milc::trace(loop).re;
      }
    }
  }
  const double planes = 3 * static_cast<double>(spec.lattice.sites());
  for (std::size_t at = 0; at < 2; ++at) {
    const std::string name = at == 0 ? "plaquette_space" : "plaquette_time";
    EXPECT_NEAR(answer_of(alone, name), sums.at(at) / planes, 1e-6);
    EXPECT_NEAR(answer_of(four, name), answer_of(alone, name), 1e-12);
  }
}

TEST(Milc, EveryMassAndTadpoleFactorIsSolved) {
  for (const double mass : {0.001, 0.01, 1.0, 10.0}) {
    for (const double u0 : {0.5, 2.0}) {
      Case spec = milc_case();
      spec.application = {{"mass", mass}, {"u0", u0}};
      const Result result = run(spec, usual_costs, {}, 2);
      EXPECT_EQ(result.batch.outcome.status, Status::ok)
          << mass << ' ' << u0 << ' ' << result.batch.outcome.reason;
    }
  }
}

TEST(Milc, OptionsThatItDoesNotTakeAreRefusedInWords) {
  const auto reason_of = [](const Values& values) {
    Case spec = milc_case();
    spec.application = values;
    const Outcome outcome = run(spec, usual_costs, {}, 1).batch.outcome;
    EXPECT_EQ(outcome.status, Status::unsupported);
    return outcome.reason;
  };
  EXPECT_EQ(reason_of({{"charm", 1.0}}), "the test has no option charm; omit --charm");
  EXPECT_EQ(reason_of({{"mass", 10.5}}), "mass must be a number from 0.001 to 10, not 10.5");
  EXPECT_EQ(reason_of({{"mass", 0.0}}), "mass must be a number from 0.001 to 10, not 0");
  EXPECT_EQ(reason_of({{"mass", "heavy"}}), "mass must be a number from 0.001 to 10");
  EXPECT_EQ(reason_of({{"long_links", 14.0}}),
            "long_links must be a number from 12 to 18, a multiple of 6, not 14");
  EXPECT_EQ(reason_of({{"gauge", 1.0}}), "gauge must be a text");
  Case halo = milc_case();
  halo.test = "halo";
  halo.application = {{"long_links", 12.0}};
  EXPECT_EQ(run(halo, usual_costs, {}, 2).batch.outcome.reason,
            "the test has no option long_links; omit --long-links");
}

/// A clock of a simulation: a tick for a thousand operations.
struct ChargingClock : VirtualClock {
  static constexpr std::string_view name = "charging";
  static void charge_flops(double flops) noexcept { time() += static_cast<Ticks>(flops / 1000); }
};

TEST(Milc, InASimulationArithmeticIsChargedAndNotDone) {
  Case spec = milc_case();
  spec.lattice.extents = {8, 8, 8, 8};
  spec.lattice.overlaps = false;
  const Result alone = run<AllPatterns, Link, ChargingClock>(spec, usual_costs, {}, 1);
  EXPECT_NEAR(per_operation(alone), 1187 * 4096.0 / 1000 + 2000, 20);
  EXPECT_TRUE(alone.batch.application.empty());
  const Result result = run<AllPatterns, Link, ChargingClock>(spec, usual_costs, {}, 16);
  // A quarter of the legs of 8^4 sites goes to others where all dimensions are divided.
  EXPECT_NEAR(part_of(result, "local"), 0.75 * 1146 * 4096.0 / 1000, 20);
  EXPECT_NEAR(part_of(result, "remote"), 0.25 * 1146 * 4096.0 / 1000, 4);
  EXPECT_NEAR(per_operation(result), 1187 * 4096.0 / 1000 + 2 * exchange_of(8 * 36 * 512) + 2000,
              30);
}

}  // namespace
}  // namespace weft::fake

// What is read of the line of a case: each field its own, the usual value of each, and
// both sides of each bound.
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "run/case.hpp"

namespace weft {
namespace {

/// Of a field inside an object of the line, or of the line itself where it is empty.
struct Bound {
  const char* object;
  const char* field;
  std::uint64_t least;
  std::uint64_t most;
};

constexpr std::uint64_t no_bound = ~0ULL;

// Messages are of no bytes and there is one sample, so no product of two fields is bounded first.
constexpr std::array<Bound, 17> bounds = {{{"", "id", 0, no_bound},
                                           {"", "bytes", 0, 1ULL << 46U},
                                           {"", "samples", 1, 1'000'000},
                                           {"", "warmup", 0, 1'000'000},
                                           {"", "ops_per_sample", 1, 1ULL << 30U},
                                           {"", "queue_depth", 1, 1ULL << 16U},
                                           {"", "seed", 0, no_bound},
                                           {"", "deadline_s", 1, 86'400},
                                           {"", "most_checked", 1, 256},
                                           {"", "point", 0, 1'000'000},
                                           {"", "at_once", 0, 1ULL << 20U},
                                           {"schedule", "count", 1, 1ULL << 20U},
                                           {"schedule", "reuse_percent", 0, 100},
                                           {"lattice", "depth", 1, 16},
                                           {"lattice", "sums", 0, 2},
                                           {"lattice", "threads", 1, 1024},
                                           {"lattice", "compute_ps_per_site", 0, 1'000'000'000}}};

std::string line_of(const Bound& bound, const std::string& value) {
  const std::string own = std::string("\"") + bound.field + "\":" + value;
  const std::string object = bound.object;
  if (object.empty()) return "{" + own + "}";
  const std::string besides = object == "lattice" ? R"("extents":[4,6],)" : "";
  return "{\"" + object + "\":{" + besides + own + "}}";
}

std::string refusal_of(const std::string& line) {
  try {
    (void)parse_case(line);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(CaseLines, TakeEachNumberFromItsLeastToItsMostAndNoneBeyond) {
  for (const Bound& one : bounds) {
    EXPECT_EQ(refusal_of(line_of(one, std::to_string(one.least))), "") << one.field;
    EXPECT_EQ(refusal_of(line_of(one, std::to_string(one.most))), "") << one.field;
    const std::string range = std::string(one.field) + " must be a whole number from " +
                              std::to_string(one.least) + " to " + std::to_string(one.most) +
                              ", not ";
    std::vector<std::string> beyond{"-1", "1.5", "\"1\"", "true"};
    if (one.most != no_bound) beyond.push_back(std::to_string(one.most + 1));
    if (one.least == 1) beyond.emplace_back("0");
    for (const std::string& value : beyond) {
      EXPECT_EQ(refusal_of(line_of(one, value)), range + value);
    }
  }
}

TEST(CaseLines, HaveEachFieldInItsPlace) {
  const Case spec = parse_case(
      R"({"id":2,"test":"halo","bytes":3,"samples":4,"warmup":5,"ops_per_sample":6,)"
      R"("queue_depth":7,"seed":8,"deadline_s":9,"verify":false,"most_checked":10,"keep_all":true,)"
      R"("wait":"sleep","pages":"huge","direction":"back","point":11,"at_once":12,)"
      R"("schedule":{"kind":"reuse","count":13,"reuse_percent":14},)"
      R"("lattice":{"extents":[15,16,17],"is_global":true,"overlaps":false,"depth":3,"sums":2,)"
      R"("threads":18,"compute_ps_per_site":19},"application":{"mass":0.5,"gauge":"a file"}})");
  EXPECT_EQ(spec.id, 2U);
  EXPECT_EQ(spec.test, "halo");
  EXPECT_EQ(spec.bytes, 3U);
  EXPECT_EQ(spec.samples, 4U);
  EXPECT_EQ(spec.warmup, 5U);
  EXPECT_EQ(spec.ops_per_sample, 6U);
  EXPECT_EQ(spec.queue_depth, 7U);
  EXPECT_EQ(spec.seed, 8U);
  EXPECT_EQ(spec.deadline_s, 9U);
  EXPECT_FALSE(spec.verify);
  EXPECT_EQ(spec.most_checked, 10U);
  EXPECT_TRUE(spec.keeps_all);
  EXPECT_EQ(spec.wait, "sleep");
  EXPECT_EQ(spec.pages, "huge");
  EXPECT_TRUE(spec.is_back);
  EXPECT_EQ(spec.point, 11U);
  EXPECT_EQ(spec.at_once, 12U);
  EXPECT_EQ(spec.schedule.kind, "reuse");
  EXPECT_EQ(spec.schedule.count, 13U);
  EXPECT_EQ(spec.schedule.reuse_percent, 14U);
  EXPECT_EQ(std::get<double>(spec.application.at("mass")), 0.5);
  EXPECT_EQ(std::get<std::string>(spec.application.at("gauge")), "a file");
}

TEST(CaseLines, HaveOneOfTwoDirections) {
  EXPECT_FALSE(parse_case(R"({"direction":""})").is_back);
  EXPECT_EQ(refusal_of(R"({"direction":"up"})"), "direction must be back or empty, not up");
}

TEST(CaseLines, HaveEachFieldOfALatticeInItsPlace) {
  const Lattice own = parse_case(R"({"lattice":{"extents":[15,16,17],"is_global":true,)"
                                 R"("overlaps":false,"depth":3,"sums":2,"threads":18,)"
                                 R"("compute_ps_per_site":19}})")
                          .lattice;
  EXPECT_EQ(own.dimensions, 3U);
  EXPECT_EQ(own.extents, (std::array<std::uint32_t, 4>{15, 16, 17, 1}));
  EXPECT_TRUE(own.is_global);
  EXPECT_FALSE(own.overlaps);
  EXPECT_EQ(own.depth, 3U);
  EXPECT_EQ(own.sums, 2U);
  EXPECT_EQ(own.threads, 18U);
  EXPECT_EQ(own.compute_ps_per_site, 19U);
}

TEST(CaseLines, LeaveOutWhatHasItsUsualValue) {
  const Case usual;
  const Case spec = parse_case(R"({"schedule":{},"lattice":{"extents":[5]}})");
  EXPECT_EQ(spec.id, 0U);
  EXPECT_EQ(spec.test, "");
  EXPECT_EQ(spec.bytes, 0U);
  EXPECT_EQ(spec.samples, 1U);
  EXPECT_EQ(spec.warmup, 0U);
  EXPECT_EQ(spec.ops_per_sample, 1U);
  EXPECT_EQ(spec.queue_depth, 64U);
  EXPECT_EQ(spec.seed, 1U);
  EXPECT_EQ(spec.deadline_s, 60U);
  EXPECT_TRUE(spec.verify);
  EXPECT_EQ(spec.most_checked, 256U);
  EXPECT_FALSE(spec.keeps_all);
  EXPECT_EQ(spec.wait + spec.pages, "");
  EXPECT_EQ(spec.point, 0U);
  EXPECT_EQ(spec.at_once, 0U);
  EXPECT_EQ(spec.schedule.kind, "one");
  EXPECT_EQ(spec.schedule.count, 1U);
  EXPECT_EQ(spec.schedule.reuse_percent, 100U);
  const Lattice& lattice = spec.lattice;
  EXPECT_FALSE(lattice.is_global);
  EXPECT_TRUE(lattice.overlaps);
  EXPECT_EQ(lattice.depth, 1U);
  EXPECT_EQ(lattice.sums, 0U);
  EXPECT_EQ(lattice.threads, 1U);
  EXPECT_EQ(lattice.compute_ps_per_site, 0U);
  EXPECT_EQ(parse_case("{}").lattice.dimensions, usual.lattice.dimensions);
}

TEST(CaseLines, BoundTheMessagesOfACaseWithItsWarmUp) {
  const std::string most = R"("ops_per_sample":1073741824})";
  EXPECT_EQ(refusal_of(R"({"samples":3,"warmup":1,)" + most), "");
  for (const char* more : {R"({"samples":3,"warmup":2,)", R"({"samples":4,"warmup":1,)"}) {
    EXPECT_EQ(refusal_of(more + most), "samples times ops_per_sample must not exceed 2^32");
  }
}

TEST(CaseLines, TakeOneToFourExtentsAndTheirSites) {
  const auto refusal = [](const std::string& extents) {
    return refusal_of(R"({"lattice":{"extents":)" + extents + "}}");
  };
  for (const char* taken : {"[1]", "[4096]", "[4096,4096]", "[2,3,4,5]", "[4096,4096,256,1]"}) {
    EXPECT_EQ(refusal(taken), "") << taken;
  }
  for (const char* other : {"[]", "[1,1,1,1,1]", "4", "{}"}) {
    EXPECT_EQ(refusal(other), "lattice.extents must be a list of one to four numbers") << other;
  }
  EXPECT_EQ(refusal_of(R"({"lattice":{}})"),
            "lattice.extents must be a list of one to four numbers");
  EXPECT_EQ(refusal("[4,0]"), "extent must be a whole number from 1 to 4096, not 0");
  EXPECT_EQ(refusal("[4097]"), "extent must be a whole number from 1 to 4096, not 4097");
  EXPECT_EQ(refusal("[4096,4096,257,1]"), "a lattice has at most 2^32 sites");
}

TEST(CaseLines, SayWhatIsNoKindAndWhatAnApplicationDoesNotTake) {
  for (const char* kind : {"one", "shared", "turn", "reuse"}) {
    EXPECT_EQ(parse_case(std::string(R"({"schedule":{"kind":")") + kind + "\"}}").schedule.kind,
              kind);
  }
  EXPECT_EQ(refusal_of(R"({"schedule":{"kind":"all"}})"),
            "schedule.kind must be one, shared, turn or reuse, not all");
  EXPECT_EQ(refusal_of(R"({"application":[1]})"), "application must be an object");
  EXPECT_EQ(refusal_of(R"({"application":{"mass":[1]}})"),
            "application.mass must be a number or a text, not [1]");
  EXPECT_EQ(refusal_of("[]"), "a case must be one JSON object on a line");
  EXPECT_NE(refusal_of(R"({"pages":"tiny"})"), "");
}

}  // namespace
}  // namespace weft

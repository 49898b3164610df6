// What a program says of itself, line by line and compared in full: each field by its name, and no
// two values alike.
#include "run/describe.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "run/json_text.hpp"

namespace weft {
namespace {

constexpr std::array<std::string_view, 3> parts{"post", "work", "wait"};
constexpr std::array<std::string_view, 2> answers{"residual", "plaquette"};
constexpr std::array<ApplicationOption, 2> options{
    {{"mass", "of a quark", false, 0.5, 0.25, 4, 0.125, 101, 102},
     {"gauge", "a file", true, 0, 0, 0, 0, 103, 104}}};

PatternInfo whole_info() {
  PatternInfo info{.name = "halo",
                   .title = "Halo exchange",
                   .summary = "faces",
                   .figure = Figure::iteration,
                   .ranks = 2,
                   .latency_divisor = 3,
                   .bandwidth_factor = 4};
  info.least_bytes = 5;
  info.has_size = false;
  info.time_factor = 6;
  info.every_operation = true;
  info.axis = {"load", "%", "10,20"};
  info.latencies_per_sample = 7;
  info.messages_per_burst = 8;
  info.pause_trips = 9;
  info.clock_reads = 10;
  info.part_clock_reads = {11, 0, 12};
  info.splits_operations = true;
  info.lattice = {13, "4..8:2", "36", 14, 15, 16, 17, 18, 19, "rest", options, answers};
  return info;
}

Footprint whole_footprint() {
  return {.messages_per_operation = 20,
          .messages_before = 21,
          .series = 22,
          .streams = true,
          .receives = 23,
          .receives_per_queue = 24,
          .receives_per_point = 25,
          .buffers = 26,
          .bytes_per_site = 27,
          .own_messages = 28,
          .own_messages_per_rank = 29,
          .ranks = 30,
          .ranks_per_point = 31,
          .is_star = true};
}

/// A description of one pattern.
std::string described(const Support& pattern) {
  const std::vector<Support> all{pattern};
  constexpr std::array<Setting, 2> settings{
      {{"depth", "of a queue", 1, 9, ""}, {"rails", "how many", 0, 0, "one,two"}}};
  Description self;
  self.transport = "tcp";
  self.mode = "eager";
  self.mpi = "openmpi";
  self.summary = "sockets";
  self.reason = "no network";
  self.settings = settings;
  self.waits = {"spin", "block"};
  self.patterns = all;
  return describe_line(self);
}

constexpr std::string_view pattern_in_full =
    R"({"axis":{"name":"load","points":"10,20","unit":"%"},"bandwidth_factor":4,"clock_reads":10,)"
    R"("every_operation":true,"figure":"iteration","footprint":{"buffers":26,"bytes_per_site":27,)"
    R"("is_star":true,"messages_before":21,"messages_per_operation":20,"own_messages":28,)"
    R"("own_messages_per_rank":29,"ranks":30,"ranks_per_point":31,"receives":23,)"
    R"("receives_per_point":25,"receives_per_queue":24,"series":22,"streams":true},)"
    R"("has_directions":false,"has_queue":false,"has_size":false,"latencies_per_sample":7,"latency_divisor":3,)"
    R"("lattice":{"answers":["residual","plaquette"],"bytes":"36","dimensions":13,)"
    R"("extents":"4..8:2","flops_per_site":17,"least_extent":14,"moved_bytes_per_site":18,)"
    R"("multiple":15,"options":[)"
    R"({"is_text":false,"least":0.25,"most":4.0,"moved_bytes_per_site":101,"name":"mass",)"
    R"("set_bytes_per_site":102,"step":0.125,"summary":"of a quark","usual":0.5},)"
    R"({"is_text":true,"least":0.0,"most":0.0,"moved_bytes_per_site":103,"name":"gauge",)"
    R"("set_bytes_per_site":104,"step":0.0,"summary":"a file","usual":0.0}],)"
    R"("rest":"rest","set_bytes_per_site":19,"sums":16},"least_bytes":5,"messages_per_burst":8,)"
    R"("name":"halo","part_clock_reads":{"post":11,"wait":12},"parts":["post","work","wait"],)"
    R"("pause_trips":9,"ranks":2,"reason":"it cannot","splits_operations":true,"summary":"faces",)"
    R"("supported":false,"time_factor":6,"title":"Halo exchange"})";

TEST(DescribeLine, HasEachFieldOfAProgramAndOfItsPatternsByItsName) {
  const std::string line = described({whole_info(), parts, whole_footprint(), false, "it cannot"});
  // Behind it there is nothing but the program's version.
  const std::size_t behind = line.find(R"("weft":)");
  EXPECT_GT(line.size(), behind + std::string_view(R"("weft":""})").size());
  EXPECT_EQ(line.substr(0, behind),
            R"({"kind":"describe","mode":"eager","mpi":"openmpi","patterns":[)" +
                std::string(pattern_in_full) +
                R"(],"protocol":1,"reason":"no network","settings":[)"
                R"({"choices":"","least":1,"most":9,"name":"depth","summary":"of a queue"},)"
                R"({"choices":"one,two","least":0,"most":0,"name":"rails","summary":"how many"}],)"
                R"("summary":"sockets","transport":"tcp","waits":["spin","block"],)");
}

TEST(DescribeLine, SaysWhatIsTheOtherWayRound) {
  PatternInfo info = whole_info();
  info.has_queue = info.has_size = info.has_directions = true;
  info.every_operation = info.splits_operations = false;
  Footprint footprint = whole_footprint();
  footprint.streams = footprint.is_star = false;
  const std::string line = described({info, parts, footprint, true, ""});
  for (const char* field :
       {R"("every_operation":false)", R"("has_directions":true,"has_queue":true,"has_size":true)",
        R"("is_star":false)", R"("streams":false)", R"("splits_operations":false)",
        R"("supported":true)"}) {
    EXPECT_NE(line.find(field), std::string::npos) << field;
  }
}

TEST(DescribeLine, NamesEachFigure) {
  constexpr std::array names{"latency",      "exchange", "one_sided_latency", "bandwidth",
                             "burst",        "overhead", "overlap",           "loaded_latency",
                             "registration", "copy",     "iteration",         "collective",
                             "pairs"};
  PatternInfo info = whole_info();
  for (std::size_t at = 0; at < names.size(); ++at) {
    info.figure = static_cast<Figure>(at);
    const std::string wanted = std::string(R"("figure":")") + names.at(at) + "\"";
    EXPECT_NE(described({info, parts, {}, true, ""}).find(wanted), std::string::npos) << wanted;
  }
  EXPECT_EQ(static_cast<std::size_t>(Figure::pairs) + 1, names.size());
}

constexpr Calibration clock_of_tests{0.5, 3, 4, "counter"};
constexpr std::string_view clock_in_full =
    R"("clock":{"baseline_ns":4,"name":"counter","overhead_ticks":3,"tick_ns":0.5})";

TEST(HelloLine, HasEachRankWithItsPlaceAndWhatTheTransportNotes) {
  const std::vector<std::string> ranks{to_line(Location{"n1", 11, 12, 13, 14, 15}),
                                       to_line(Location{"n2", 21, 22, 23, 24, 25})};
  EXPECT_EQ(ranks[0], R"({"core":15,"cpu":12,"host":"n1","numa":13,"pid":11,"socket":14})");
  EXPECT_EQ(hello_line("tcp", "openmpi", ranks, clock_of_tests, {{"device", "eth0"}, {"a", "b"}}),
            "{" + std::string(clock_in_full) +
                R"(,"details":{"a":"b","device":"eth0"},"kind":"hello","mpi":"openmpi",)"
                R"("protocol":1,"ranks":[)"
                R"({"core":15,"cpu":12,"host":"n1","numa":13,"pid":11,"rank":0,"socket":14},)"
                R"({"core":25,"cpu":22,"host":"n2","numa":23,"pid":21,"rank":1,"socket":24}],)"
                R"("transport":"tcp"})");
}

TEST(ByeLine, HasWhatASimulationAddsOnlyWhereThereIsSome) {
  const std::string clock(clock_in_full);
  EXPECT_EQ(bye_line(clock_of_tests), "{" + clock + R"(,"kind":"bye"})");
  EXPECT_EQ(bye_line(clock_of_tests, {{}, 1}), "{" + clock + R"(,"kind":"bye","peak_bytes":1})");
  EXPECT_EQ(bye_line(clock_of_tests, {{{"up", 2.5}, {"down", 0}}, 0}),
            "{" + clock + R"(,"kind":"bye","link_bytes":{"down":0.0,"up":2.5}})");
}

TEST(JsonText, StaysJsonWhateverBytesATextHolds) {
  EXPECT_EQ(dump({{"host",
                   "a\xff"
                   "b"}}),
            "{\"host\":\"a\xef\xbf\xbd"
            "b\"}");
  EXPECT_EQ(dump({{"b", 1}, {"a", "\xc3\xa9"}}), "{\"a\":\"\xc3\xa9\",\"b\":1}");
}

}  // namespace
}  // namespace weft

// What a pattern says of itself is what it does: measured on the fake fabric by changing one cost.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/fake_cases.hpp"

namespace weft::fake {
namespace {

std::vector<Support> all_patterns() {
  return supported<Link, VirtualClock>(static_cast<AllPatterns*>(nullptr));
}

Batch measure(const Support& pattern, const Costs& costs, std::uint32_t ops,
              std::uint64_t point = 0) {
  const std::string name(pattern.info.name);
  Case made = make_case(name, 100, ops);
  made.queue_depth = 64;
  made.point = point;
  const Result result = run(made, costs, {}, pattern.info.splits_operations ? 4 : 2);
  EXPECT_EQ(result.batch.outcome.status, Status::ok) << name << result.batch.outcome.reason;
  return result.batch;
}

TEST(Description, AStreamsSampleHoldsAsManyLatenciesAsItSays) {
  Costs near = usual_costs;
  Costs far = usual_costs;
  far.latency = 3 * near.latency;
  int streams = 0;
  for (const Support& pattern : all_patterns()) {
    if (pattern.info.figure != Figure::bandwidth) continue;
    ++streams;
    const Ticks short_way = measure(pattern, near, 64).ticks.at(3);
    const Ticks long_way = measure(pattern, far, 64).ticks.at(3);
    EXPECT_EQ(long_way - short_way,
              pattern.info.latencies_per_sample * (far.latency - near.latency))
        << pattern.info.name;
  }
  EXPECT_EQ(streams, 12);
}

TEST(Description, OnlyStreamsHoldLatenciesBesideTheirOperations) {
  for (const Support& pattern : all_patterns()) {
    EXPECT_EQ(pattern.info.figure == Figure::bandwidth, pattern.info.latencies_per_sample > 0)
        << pattern.info.name;
    EXPECT_EQ(pattern.info.latency_divisor == 0, pattern.info.latencies_per_sample > 0)
        << pattern.info.name;
  }
}

TEST(Description, AMessagesLatencyIsTheFiguresOfThosePatternsThatSaySo) {
  for (const Support& pattern : all_patterns()) {
    if (pattern.info.figure != Figure::latency) continue;
    const auto sample = static_cast<double>(measure(pattern, usual_costs, 1).ticks.at(3));
    const double reported = sample / pattern.info.latency_divisor;
    const double truth = 7 + 200 + 500 + 11;
    EXPECT_GE(reported, truth) << pattern.info.name;
    EXPECT_NEAR(reported, truth, 0.1 * truth) << pattern.info.name;
  }
}

/// A series by its name; one that is nothing but zeroes is not there.
std::vector<Ticks> part_of(const Batch& batch, const std::string& name) {
  for (const Series& part : batch.parts) {
    if (part.name == name) return part.ticks;
  }
  return std::vector<Ticks>(batch.ticks.size());
}

constexpr std::uint32_t operations = 4;
constexpr Ticks reading = 3;

/// What slower reads of the clock add to the fourth sample and to its parts, in reads an operation.
std::map<std::string, double> reads_of(const Support& pattern, std::uint64_t point) {
  // As on a real link: a poll that finds nothing is a call of its own.
  Costs quick = usual_costs;
  quick.idle_polls = true;
  Costs slow = quick;
  slow.clock_read = reading;
  const Batch free = measure(pattern, quick, operations, point);
  const Batch dear = measure(pattern, slow, operations, point);
  const auto reads = [](const std::vector<Ticks>& more, const std::vector<Ticks>& less) {
    return static_cast<double>(static_cast<std::int64_t>(more.at(3) - less.at(3))) /
           static_cast<double>(operations * reading);
  };
  std::map<std::string, double> found{{"", reads(dear.ticks, free.ticks)}};
  for (const Series& part : dear.parts) {
    found[part.name] = reads(part.ticks, part_of(free, part.name));
  }
  return found;
}

TEST(Description, ReadsOfTheClockAreAsManyAsItSays) {
  int described = 0;
  for (const Support& pattern : all_patterns()) {
    const PatternInfo& info = pattern.info;
    if (info.clock_reads == 0 && info.part_clock_reads.front() == 0) continue;
    ++described;
    // Without work the waits of a call begin later by a read and end no later: it is omitted.
    const auto found = reads_of(pattern, 0);
    if (info.clock_reads > 0) {
      EXPECT_DOUBLE_EQ(found.at(""), info.clock_reads) << info.name;
    }
    for (std::size_t part = 0; part < pattern.parts.size(); ++part) {
      const std::string name(pattern.parts[part]);
      if (name == "call") continue;
      EXPECT_DOUBLE_EQ(found.at(name), info.part_clock_reads.at(part)) << info.name << " " << name;
    }
  }
  EXPECT_EQ(described, 13);
}

TEST(Description, TheCallBesideWorkHoldsAsManyReadsAsItSays) {
  for (const Support& pattern : all_patterns()) {
    if (pattern.parts.size() != 3 || pattern.parts[2] != "call") continue;
    Costs slow = usual_costs;
    slow.clock_read = reading;
    const Batch dear = measure(pattern, slow, operations, 200);
    const Batch free = measure(pattern, usual_costs, operations, 200);
    const auto beyond_work = [](const Batch& batch) {
      return part_of(batch, "call").at(3) - part_of(batch, "work").at(3);
    };
    const auto& reads = pattern.info.part_clock_reads;
    EXPECT_EQ(beyond_work(dear) - beyond_work(free), (reads[2] - reads[1]) * operations * reading)
        << pattern.info.name;
  }
}

}  // namespace
}  // namespace weft::fake

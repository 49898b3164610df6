// What a rank says of a case in so many bytes: each field its own, and both sides of each bound.
#include "run/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace weft {
namespace {

constexpr std::size_t series = 3;
constexpr std::size_t values = 7;

Report report() {
  Report own{.outcome = {},
             .cpu_ns = 11,
             .tick_ns = 0.4,
             .queue_held = 5,
             .pairs = {9, 8},
             .parts = {},
             .rises = {}};
  own.outcome.verified_bytes = 13;
  own.parts = {{"post", {0, 0, 3}}, {"wait", {0, 0, 0}}, {"sum", {1, 0, 0}}};
  return own;
}

ReportHead head() {
  ReportHead own;
  own.tick_ns = 0.4;
  own.values = values;
  own.filled = 0b111;
  return own;
}

std::string fault_of(const ReportHead& own) {
  return refuse_head(own, series, values);
}

TEST(ReportHeads, HaveEachFieldAndABitForEachSeriesThatIsFilled) {
  const ReportHead own = head_of(report());
  EXPECT_EQ(own.status, static_cast<std::uint8_t>(Status::ok));
  EXPECT_EQ(own.verified_bytes, 13U);
  EXPECT_EQ(own.cpu_ns, 11);
  EXPECT_EQ(own.tick_ns, 0.4);
  EXPECT_EQ(own.queue_held, 5U);
  EXPECT_EQ(own.has_queue_held, 1U);
  EXPECT_EQ(own.pairs, 9U);
  EXPECT_EQ(own.pairs_between_hosts, 8U);
  EXPECT_EQ(own.reason_bytes, 0U);
  EXPECT_EQ(own.filled, 0b101U);
  EXPECT_EQ(own.values, 3U);
  EXPECT_TRUE(own.has_more());
}

// 4,096 bytes of each rank at most, and of many ranks no more values than reach the record whole.
TEST(ReportHeads, HaveShortSeriesBehindThemWhereAllRanksHaveRoomForThem) {
  Report own = report();
  own.most_values = 170;
  EXPECT_EQ(bytes_with_head(own, 4), series * 170 * sizeof(Ticks));
  const std::vector<std::byte> bytes = head_with_more(own, head_of(own), 4);
  EXPECT_EQ(bytes.size(), sizeof(ReportHead) + series * 170 * sizeof(Ticks));
  // By their names: post, sum.
  std::array<Ticks, 6> first{};
  std::memcpy(first.data(), bytes.data() + sizeof(ReportHead), sizeof first);
  EXPECT_EQ(first, (std::array<Ticks, 6>{0, 0, 3, 1, 0, 0}));
  constexpr int most_ranks = most_whole_values / (series * 170);
  EXPECT_GT(bytes_with_head(own, most_ranks), 0U);
  EXPECT_EQ(bytes_with_head(own, most_ranks + 1), 0U);
  own.most_values = 1;
  constexpr int most_at_once = window_bytes / (sizeof(ReportHead) + most_short_reason_bytes);
  EXPECT_EQ(bytes_with_head(own, most_at_once), most_short_reason_bytes);
  EXPECT_EQ(bytes_with_head(own, most_at_once + 1), 0U);
  own.most_values = 171;
  EXPECT_EQ(bytes_with_head(own, 4), 0U);
  EXPECT_EQ(head_with_more(own, head_of(own), 4).size(), sizeof(ReportHead));
}

TEST(ReportHeads, HaveAReasonBehindThemInPlaceOfSeriesCutToItsRoom) {
  Report own = report();
  own.most_values = 3;
  EXPECT_EQ(bytes_with_head(own, 4), most_short_reason_bytes) << "room for it beside short series";
  own.outcome = {.status = Status::failed, .reason = std::string(2000, 'x'), .verified_bytes = 0};
  const std::vector<std::byte> bytes = head_with_more(own, head_of(own), 4);
  ASSERT_EQ(bytes.size(), sizeof(ReportHead) + most_short_reason_bytes);
  ReportHead came;
  std::memcpy(&came, bytes.data(), sizeof came);
  EXPECT_EQ(came.reason_bytes, most_short_reason_bytes);
  EXPECT_EQ(bytes.back(), std::byte{'x'});
  // What all ranks were refused alike has neither.
  own.most_values = 0;
  EXPECT_EQ(bytes_with_head(own, 4), 0U);
}

TEST(ReportHeads, SayNothingMoreWhereNothingWasFilledAndNoReasonIsThere) {
  Report own = report();
  own.queue_held.reset();
  for (Series& part : own.parts) part.ticks.assign(4, 0);
  const ReportHead empty = head_of(own);
  EXPECT_EQ(empty.filled, 0U);
  EXPECT_EQ(empty.values, 0U);
  EXPECT_EQ(empty.has_queue_held, 0U);
  EXPECT_EQ(empty.queue_held, 0U);
  EXPECT_FALSE(empty.has_more());
  own.outcome = {.status = Status::failed, .reason = "x", .verified_bytes = 0};
  EXPECT_EQ(head_of(own).reason_bytes, 1U);
  EXPECT_TRUE(head_of(own).has_more());
}

TEST(ReportHeads, CutAReasonToItsBound) {
  for (const std::size_t bytes :
       {most_reason_bytes - 1, most_reason_bytes, most_reason_bytes + 1}) {
    Report own = report();
    own.outcome = {
        .status = Status::failed, .reason = std::string(bytes, 'x'), .verified_bytes = 0};
    EXPECT_EQ(head_of(own).reason_bytes, std::min(bytes, most_reason_bytes));
    EXPECT_EQ(fault_of(head_of(own)).substr(0, 29), "its report has series of 3 va");
  }
}

TEST(RefusedHeads, AWholeOneIsTakenWithEveryStatus) {
  EXPECT_EQ(fault_of(head()), "");
  for (const Status status : {Status::ok, Status::failed, Status::unsupported}) {
    ReportHead own = head();
    own.status = static_cast<std::uint8_t>(status);
    own.reason_bytes = status == Status::ok ? 0 : most_reason_bytes;
    EXPECT_EQ(fault_of(own), "");
  }
  ReportHead beyond = head();
  beyond.status = static_cast<std::uint8_t>(Status::unsupported) + 1;
  EXPECT_EQ(fault_of(beyond), "its report has the unknown status 3");
}

TEST(RefusedHeads, AReasonIsOfAFailureAndNoLongerThanItsBound) {
  ReportHead own = head();
  own.reason_bytes = 1;
  EXPECT_EQ(fault_of(own), "its report has a reason of 1 bytes");
  own.status = static_cast<std::uint8_t>(Status::failed);
  EXPECT_EQ(fault_of(own), "");
  own.reason_bytes = most_reason_bytes + 1;
  EXPECT_EQ(fault_of(own), "its report has a reason of 4097 bytes");
}

TEST(RefusedHeads, SeriesAreThoseThatWereAskedForAndAsLong) {
  ReportHead own = head();
  own.filled = 0b1000;
  EXPECT_EQ(fault_of(own), "its report has series that nobody asked for");
  // Of as many series as there are bits each may be filled.
  own.filled = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(refuse_head(own, most_series, values), "");
  EXPECT_EQ(refuse_head(own, most_series - 1, values),
            "its report has series that nobody asked for");
  for (const std::size_t other : {values - 1, values + 1}) {
    own = head();
    own.values = other;
    EXPECT_EQ(fault_of(own), "its report has series of " + std::to_string(other) +
                                 " values where there are 7 samples");
    // Where no series is filled nobody asks how long they are.
    own.filled = 0;
    EXPECT_EQ(fault_of(own), "");
  }
}

TEST(RefusedHeads, ATickTakesATimeThatIsANumber) {
  for (const double tick_ns : {0.0, -0.4, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
    ReportHead own = head();
    own.tick_ns = tick_ns;
    EXPECT_EQ(fault_of(own), "its report has a tick that takes no time");
  }
  ReportHead least = head();
  least.tick_ns = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(fault_of(least), "");
}

}  // namespace
}  // namespace weft

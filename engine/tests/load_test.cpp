// Latency under offered load on a server whose service time is known: a D/D/1 queue.
#include <gtest/gtest.h>

#include "tests/support/fake_fabric.hpp"

namespace weft::fake {
namespace {

constexpr Ticks service = 1000;
constexpr Costs client{
    .send_overhead = 10, .receive_overhead = 10, .latency = 500, .clock_read = 5, .empty_poll = 20};
constexpr Costs server{.send_overhead = 0, .receive_overhead = service, .latency = 500};
/// There and back with nothing in the way, and what a reading of the clock and a poll may add.
constexpr double alone = 10 + 500 + service + 500 + 10;
constexpr double reading = 60;

Case make_case(std::uint64_t load, std::uint32_t samples = 400, std::uint32_t queue_depth = 8) {
  Case made;
  made.test = "offered_load";
  made.bytes = 64;
  made.samples = samples;
  made.queue_depth = queue_depth;
  made.point = load;
  return made;
}

template <class Patterns = AllPatterns>
Batch measure(const Case& spec, const Mischief& mischief = {}) {
  Batch batch = run<Patterns>(spec, client, mischief, 2, {{1, server}}).batch;
  EXPECT_EQ(batch.outcome.status, Status::ok) << batch.outcome.reason;
  batch.ticks.resize(spec.samples);
  batch.parts.resize(2);
  return batch;
}

TEST(OfferedLoad, SaturationIsTheServersRate) {
  for (const std::uint64_t load : {25UL, 50UL, 100UL}) {
    const Batch batch = measure(make_case(load));
    EXPECT_EQ(batch.parts[0].name, "interval");
    const double interval = 100.0 * service / static_cast<double>(load);
    EXPECT_NEAR(static_cast<double>(batch.parts[0].ticks.at(9)), interval, 0.01 * interval);
  }
}

// No clock reads less: of whatever greater load two messages are due a tick apart.
TEST(OfferedLoad, MessagesAreDueATickApartAtLeast) {
  for (const std::uint64_t load : {60'000UL, 1'000'000UL}) {
    EXPECT_EQ(measure(make_case(load, 20)).parts[0].ticks, std::vector<Ticks>(20, 1)) << load;
  }
}

TEST(OfferedLoad, BelowSaturationNobodyWaits) {
  const Batch batch = measure(make_case(80));
  for (const Ticks sample : batch.ticks) EXPECT_NEAR(static_cast<double>(sample), alone, reading);
}

TEST(OfferedLoad, BeyondSaturationEachMessageWaitsLongerThanTheOneBefore) {
  const Batch batch = measure(make_case(200));
  // D/D/1: the server is behind by the difference of service and interval with every message.
  for (const std::size_t message : {50UL, 200UL, 399UL}) {
    const double behind = static_cast<double>(message) * service / 2.0;
    EXPECT_NEAR(static_cast<double>(batch.ticks.at(message)), alone + behind,
                reading + 0.02 * behind);
  }
}

/// The rank that offers the load is what is slow: its calls, and each reading of the clock.
constexpr Costs slow_client{.send_overhead = 150,
                            .receive_overhead = 100,
                            .latency = 500,
                            .clock_read = 200,
                            .post_receive = 80,
                            .empty_poll = 20};

TEST(OfferedLoad, FullLoadIsWhatTheSameCallsCanKeepUp) {
  Costs quick = server;
  quick.receive_overhead = 10;
  const Case spec = make_case(100);
  const Batch batch = run(spec, slow_client, {}, 2, {{1, quick}}).batch;
  ASSERT_EQ(batch.outcome.status, Status::ok) << batch.outcome.reason;
  const auto interval = static_cast<double>(batch.parts.at(0).ticks.at(0));
  // Once the queue is full, nobody falls further behind.
  const double behind =
      static_cast<double>(batch.ticks.at(399)) - static_cast<double>(batch.ticks.at(100));
  EXPECT_LT(behind, 0.01 * 299 * interval);
}

TEST(OfferedLoad, PostingAnewIsInNobodysTime) {
  Costs posting = client;
  posting.post_receive = 300;
  const Batch batch = run(make_case(20), posting, {}, 2, {{1, server}}).batch;
  ASSERT_EQ(batch.outcome.status, Status::ok) << batch.outcome.reason;
  for (const Ticks sample : batch.ticks) EXPECT_NEAR(static_cast<double>(sample), alone, reading);
}

TEST(OfferedLoad, AQueueOfOneIsSaturatedByOneRoundTripAtATime) {
  const Batch batch = measure(make_case(100, 100, 1));
  EXPECT_NEAR(static_cast<double>(batch.parts[0].ticks.at(9)), alone, reading);
}

TEST(OfferedLoad, WhoMustSendOnTimeCannotSleep) {
  Case spec = make_case(50);
  spec.wait = "block";
  const Batch batch = run(spec, client, {}, 2, {{1, server}}).batch;
  EXPECT_EQ(batch.outcome.status, Status::unsupported);
  EXPECT_NE(batch.outcome.reason.find("due at set times"), std::string::npos);
  spec.wait = "spin";
  EXPECT_EQ(run(spec, client, {}, 2, {{1, server}}).batch.outcome.status, Status::ok);
}

TEST(OfferedLoad, AStallIsInAllMessagesThatWereDueDuringIt) {
  constexpr Ticks stall = 100 * 2 * service;
  const Case spec = make_case(50);
  const std::size_t before = 2 + 9 * 64;  // handshake and start, rounds of saturation
  Case quick = spec;
  quick.verify = false;
  const Batch batch = measure(quick, {.message = before + 150, .delay = stall});
  // Due every two services, they are delayed by ever less: until the stall is over, and the
  // server has caught up with those that waited.
  const auto late = [&](double than) {
    return std::count_if(batch.ticks.begin(), batch.ticks.end(),
                         [&](Ticks sample) { return static_cast<double>(sample) > alone + than; });
  };
  EXPECT_NEAR(static_cast<double>(late(0.5 * stall)), 100, 4);
  EXPECT_NEAR(static_cast<double>(late(0.25 * stall)), 150, 4);
}

TEST(OfferedLoad, AFullQueueMakesItsMessagesLateAndTellsSo) {
  const Batch batch = measure(make_case(200));
  EXPECT_EQ(batch.parts[1].name, "late");
  EXPECT_LT(batch.parts[1].ticks.at(3), 100U);
  EXPECT_GT(batch.parts[1].ticks.at(399), 380 * service / 2);
}

TEST(OfferedLoad, ALostMessageOrAFlippedBitGivesNoFigure) {
  for (const std::size_t message : {20UL, 900UL}) {
    const Result lost =
        run(make_case(50), client, {.message = message, .drop = true}, 2, {{1, server}});
    EXPECT_FALSE(lost.whole && lost.batch.outcome.status == Status::ok);
  }
  const Result flipped =
      run(make_case(50), client, {.message = 20, .flip_offset = 33}, 2, {{1, server}});
  EXPECT_EQ(flipped.batch.outcome.status, Status::failed);
}

/// A benchmark broken on purpose: it counts from the post (coordinated omission).
struct CountsFromThePost {
  static constexpr PatternInfo info = OfferedLoad::info;
  static constexpr auto parts = OfferedLoad::parts;
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t queue_depth,
                                                  std::uint64_t point) noexcept {
    return OfferedLoad::receives_at_once<Wait, T>(queue_depth, point);
  }
  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if (!OfferedLoad::run<Now, Wait>(link, task)) return false;
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      task.samples[at] -= std::min(task.parts[1][at], task.samples[at]);
    }
    return true;
  }
};

TEST(Planted, CoordinatedOmissionHidesTheQueue) {
  const Batch truth = measure(make_case(200));
  const Batch hidden = measure<std::tuple<CountsFromThePost>>(make_case(200));
  // It sees no more than a queue of eight, whatever the load is.
  EXPECT_LT(hidden.ticks.at(399), 9 * service + 1000);
  EXPECT_GT(truth.ticks.at(399), 20 * hidden.ticks.at(399));
}

}  // namespace
}  // namespace weft::fake

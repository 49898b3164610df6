// The one-sided benchmarks and the waits, on a fabric whose answer is known.
#include <gtest/gtest.h>

#include "tests/support/fake_cases.hpp"

namespace weft::fake {
namespace {

constexpr Costs costs = usual_costs;

TEST(PutPingPong, ATargetThatPollsMemoryHasNoReceiveOverhead) {
  EXPECT_DOUBLE_EQ(per_operation(run(make_case("put_ping_pong", 100, 4), costs)),
                   2 * (7 + 200 + 500));
}

TEST(PutPingPong, IsRefusedWhereTheLastByteMayComeFirst) {
  const Result result = run(make_case("put_ping_pong", 8, 1), {.latency = 5, .scatters = true});
  EXPECT_EQ(result.batch.outcome.status, Status::unsupported);
  EXPECT_EQ(result.batch.outcome.reason, "the fabric scatters the bytes of a put");
  Case asleep = make_case("put_ping_pong", 8, 1);
  asleep.wait = "block";
  EXPECT_EQ(run(asleep, costs).batch.outcome.status, Status::unsupported);
  EXPECT_EQ(run(make_case("put_ping_pong", 0, 1), costs).batch.outcome.status, Status::unsupported);
}

TEST(PutPingPong, TellsMessagesApartInAnyNumberOfBuffers) {
  for (const std::uint32_t count : {1U, 2U, 3U, 254U, 255U, 256U, 510U}) {
    Case spec = make_case("put_ping_pong", 16, 300);
    spec.warmup = 2;
    spec.schedule = {"turn", count, 100};
    EXPECT_DOUBLE_EQ(per_operation(run(spec, costs)), 2 * (7 + 32 + 500)) << count;
  }
}

TEST(PutNotifyPingPong, TheNoticeCostsItsReceipt) {
  EXPECT_DOUBLE_EQ(per_operation(run(make_case("put_notify_ping_pong", 100, 4), costs)),
                   2 * (7 + 200 + 500 + 11));
}

TEST(PutLatency, IsTheWayThereAndTheAcknowledgementBack) {
  EXPECT_DOUBLE_EQ(per_operation(run(make_case("put_latency", 100, 4), costs)), 7 + 200 + 2 * 500);
}

TEST(GetLatency, IsTheRequestAndTheDataBack) {
  EXPECT_DOUBLE_EQ(per_operation(run(make_case("get_latency", 100, 4), costs)), 7 + 200 + 2 * 500);
}

TEST(PutStream, BandwidthIsTheWiresAndRemoteCompletionIsCounted) {
  const Result result = run(make_case("put_stream", 1000, 800), costs);
  EXPECT_NEAR(per_operation(result), 2000, 2000 * 0.005);
  EXPECT_GE(result.batch.ticks.at(3), 800 * 2000 + 2 * 500);
}

TEST(GetStream, BandwidthIsTheWiresWhereTheQueueCoversTheLatency) {
  EXPECT_NEAR(per_operation(run(make_case("get_stream", 1000, 800), costs)), 2000, 2000 * 0.005);
}

TEST(Waiting, SleepingCostsTheWakeUpOnBothSides) {
  Costs sleepy = costs;
  sleepy.wake_up = 3000;
  Case spec = make_case("ping_pong", 0, 4);
  EXPECT_DOUBLE_EQ(per_operation(run(spec, sleepy)), 2 * (7 + 500 + 11));
  spec.wait = "block";
  EXPECT_DOUBLE_EQ(per_operation(run(spec, sleepy)), 2 * (7 + 500 + 11 + 3000));
  spec.wait = "prayer";
  EXPECT_EQ(run(spec, sleepy).batch.outcome.reason,
            "the transport cannot wait by prayer; choose another --wait");
}

class EveryOneSided : public testing::TestWithParam<const char*> {};

TEST_P(EveryOneSided, AFlippedBitIsAFailedCaseWithItsOffset) {
  for (std::size_t message = 2; message < 12; ++message) {
    const Result result =
        run(make_case(GetParam(), 64, 8), costs, {.message = message, .flip_offset = 33});
    EXPECT_EQ(result.batch.outcome.status, Status::failed) << message;
    EXPECT_NE(result.batch.outcome.reason.find("offset 33 of 64"), std::string::npos)
        << result.batch.outcome.reason;
  }
}

TEST_P(EveryOneSided, ADroppedMessageNeverGivesAFigure) {
  for (const std::size_t message : {2UL, 5UL, 40UL}) {
    const Result result =
        run(make_case(GetParam(), 64, 8), costs, {.message = message, .drop = true});
    EXPECT_FALSE(result.whole && result.batch.outcome.status == Status::ok) << message;
  }
}

TEST_P(EveryOneSided, ADelayedMessageIsInItsSampleAndInNoOther) {
  constexpr Ticks delay = 1'000'000;
  Case spec = make_case(GetParam(), 64, 8);
  spec.verify = false;
  const Result plain = run(spec, costs);
  // The last one of a sample: a stream waits for no other. Before the first comes the handshake
  // with its neighbours, of which a ring of two has two.
  const bool one_way = std::string(GetParam()) == "put_stream";
  const std::size_t handshakes = one_way ? 1 : 2;
  const Result late = run(spec, costs, {.message = handshakes + 8 * 3 + 7, .delay = delay});
  ASSERT_EQ(late.batch.outcome.status, Status::ok) << late.batch.outcome.reason;
  int hit = 0;
  for (std::size_t sample = 0; sample < late.batch.ticks.size(); ++sample) {
    if (late.batch.ticks.at(sample) > plain.batch.ticks.at(sample) + delay / 2) ++hit;
  }
  EXPECT_EQ(hit, 1);
}

TEST_P(EveryOneSided, BuffersQueueDepthsAndBlockingGiveVerifiedBytes) {
  for (const std::uint32_t depth : {1U, 3U, 64U}) {
    Case spec = make_case(GetParam(), 48, 13);
    spec.queue_depth = depth;
    spec.schedule = {"turn", 3, 100};
    EXPECT_EQ(run(spec, costs).batch.outcome.status, Status::ok);
    spec.schedule = {"reuse", 200, 40};
    const Result result = run(spec, costs, {}, 3);
    EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    EXPECT_GT(result.batch.outcome.verified_bytes, 47U * 13U);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryOneSided,
                         testing::Values("put_ping_pong", "put_notify_ping_pong", "put_latency",
                                         "get_latency", "put_stream", "get_stream"));

/// A benchmark broken on purpose: it takes the local completion of a put for the remote one.
struct ForgetsToFlush {
  static constexpr PatternInfo info = PutLatency::info;
  static constexpr Opens opens = Opens::incoming;
  template <Clock Now, class Wait, OneSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank == 1) return stand_by<Wait>(link, task);
    for (Ticks& sample : task.samples) {
      const Ticks start = Now::now();
      link.put(Peer{1}, task.out.next(), task.remote.next());
      if (!settle_transfers<Wait>(link, 0)) return false;
      sample = Now::now() - start;
    }
    return dismiss<Wait>(link, task);
  }
};

TEST(Planted, APutThatIsNotFlushedDoesNotReadAsItsLatency) {
  EXPECT_LT(per_operation(run<std::tuple<ForgetsToFlush>>(make_case("put_latency", 100, 1), costs)),
            7 + 200 + 2 * 500);
}

}  // namespace
}  // namespace weft::fake

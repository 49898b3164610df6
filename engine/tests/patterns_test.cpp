// Every benchmark on a fabric whose answer is known, and planted faults that must show.
#include <gtest/gtest.h>

#include "tests/support/fake_cases.hpp"
#include "tests/support/link_around.hpp"

namespace weft::fake {
namespace {

constexpr Costs costs = usual_costs;

TEST(PingPong, RoundTripIsTwiceTheOneWayTime) {
  const Result result = run(make_case("ping_pong", 100, 4), costs);
  ASSERT_TRUE(result.whole) << result.batch.outcome.reason;
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  ASSERT_EQ(result.batch.ticks.size(), 6U);
  for (std::size_t sample = 1; sample < 6; ++sample) {
    EXPECT_DOUBLE_EQ(per_operation(result, sample), 2 * (7 + 200 + 500 + 11));
  }
}

/// A link whose library can wait, and has plain calls too.
class PlainLink final : public LinkAround {
 public:
  static constexpr Ticks plain_call = 3;

  using LinkAround::LinkAround;
  void await(std::uint32_t sends, std::uint32_t receives) noexcept {
    (void)settle_by_steps<SpinOnCompletions>(link(), sends, receives);
  }
  void send(Peer peer, const Buffer& buffer) noexcept {
    VirtualClock::time() += plain_call;
    post_send(peer, buffer);
    await(0, 0);
  }
  void receive(Peer peer, const Buffer& buffer) noexcept {
    VirtualClock::time() += plain_call;
    post_recv(peer, buffer);
    await(0, 0);
  }
};

TEST(PingPong, WaitingInTheLibraryTakesItsPlainCalls) {
  Case made = make_case("ping_pong", 100, 4);
  const Result plain = run<std::tuple<PingPong>, PlainLink>(made, costs);
  ASSERT_EQ(plain.batch.outcome.status, Status::ok) << plain.batch.outcome.reason;
  // A sender waits until its buffer is free; a receive is asked for while its message is coming.
  EXPECT_DOUBLE_EQ(per_operation(plain, 3), 2 * (PlainLink::plain_call + 7 + 200 + 500 + 11));
  made.wait = "spin";
  const Result posted = run<std::tuple<PingPong>, PlainLink>(made, costs);
  EXPECT_DOUBLE_EQ(per_operation(posted, 3), 2 * (7 + 200 + 500 + 11));
}

TEST(PingPong, AWrongByteOfAPlainCallIsSeen) {
  const Mischief flip{.message = 9, .flip_offset = 33};
  const Result result =
      run<std::tuple<PingPong>, PlainLink>(make_case("ping_pong", 100, 1), costs, flip);
  EXPECT_EQ(result.batch.outcome.status, Status::failed);
  const Mischief drop{.message = 9, .drop = true};
  const Result lost =
      run<std::tuple<PingPong>, PlainLink>(make_case("ping_pong", 100, 1), costs, drop);
  EXPECT_NE(lost.batch.outcome.status, Status::ok);
}

TEST(PingPong, ClockReadsCostOneReadASample) {
  Costs slow_clock = costs;
  slow_clock.clock_read = 1000;
  const Result result = run(make_case("ping_pong", 0, 1), slow_clock);
  EXPECT_DOUBLE_EQ(per_operation(result, 3), 2 * (7 + 500 + 11) + 1000);
}

TEST(PingPing, BothWaysAtOnceCostOneMessageTime) {
  const Result result = run(make_case("ping_ping", 100, 4), costs);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_NEAR(per_operation(result, 3), 7 + 200 + 500 + 11, 8);
}

TEST(SendRecv, ChainOfThreeCostsOneMessageTime) {
  const Result result = run(make_case("sendrecv", 100, 4), costs, {}, 3);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_NEAR(per_operation(result, 3), 7 + 200 + 500 + 11, 8);
}

TEST(Shift, EveryDistanceCostsOneMessageTimeWithWholeMessages) {
  for (const std::uint64_t places : {1UL, 2UL, 4UL}) {
    Case spec = make_case("shift", 100, 4);
    spec.point = places;
    const Result result = run(spec, costs, {}, 5);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    EXPECT_NEAR(per_operation(result, 3), 7 + 200 + 500 + 11, 8) << places;
  }
}

TEST(Shift, OnlyRanksOfOneCycleHoldEachOtherUp) {
  Costs slow = costs;
  slow.receive_overhead = 50'000;
  Case spec = make_case("shift", 100, 1);
  spec.point = 2;
  // By two of four: 0 and 2 exchange, and 1 and 3.
  const Result of_others = run(spec, costs, {}, 4, {{1, slow}});
  EXPECT_NEAR(per_operation(of_others, 3), 7 + 200 + 500 + 11, 8);
  const Result own = run(spec, costs, {}, 4, {{2, slow}});
  EXPECT_GT(per_operation(own, 3), 50'000);
}

TEST(Shift, NoPlaceAndAsManyAsThereAreRanksAreRefused) {
  for (const std::uint64_t places : {0UL, 3UL}) {
    Case spec = make_case("shift", 100, 4);
    spec.point = places;
    const Result result = run(spec, costs, {}, 3);
    EXPECT_NE(result.batch.outcome.status, Status::ok) << places;
    EXPECT_NE(result.batch.outcome.reason.find("a shift is by 1 place"), std::string::npos);
  }
}

TEST(Stream, BandwidthIsTheWiresAndTheLastWordIsCounted) {
  const Result result = run(make_case("stream", 1000, 800), costs);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  // Each message holds the wire for 2000 ticks; a sample ends with one latency there and one back.
  EXPECT_NEAR(per_operation(result, 3), 2000, 2000 * 0.005);
  EXPECT_GT(result.batch.ticks.at(3), 800 * 2000 + 2 * 500);
}

TEST(Stream, QueueDepthOneExposesTheSendersCompletion) {
  Case shallow = make_case("stream", 1000, 100);
  shallow.queue_depth = 1;
  const Result result = run(shallow, costs);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_NEAR(per_operation(result, 3), 2000 + 7, 30);
}

TEST(Stream, OddQueueDepthsLoseNoMessage) {
  for (const std::uint32_t depth : {1U, 2U, 3U, 5U, 7U, 64U}) {
    Case odd = make_case("stream", 16, 13);
    odd.queue_depth = depth;
    const Result result = run(odd, costs);
    EXPECT_TRUE(result.whole) << depth;
    EXPECT_EQ(result.batch.outcome.status, Status::ok) << depth << result.batch.outcome.reason;
    EXPECT_GE(result.batch.ops_per_sample, 13U);
    EXPECT_GE(result.batch.ops_per_sample, depth);
  }
}

Case back_case(std::size_t bytes, std::uint32_t ops) {
  Case made = make_case("stream", bytes, ops);
  made.is_back = true;
  return made;
}

TEST(StreamBack, TakesAsLongAsThereOnAFabricThatIsTheSameInBothDirections) {
  for (const std::uint32_t ops : {1U, 16U, 800U}) {
    const Result there = run(make_case("stream", 1000, ops), costs);
    const Result back = run(back_case(1000, ops), costs);
    EXPECT_NEAR(per_operation(back, 3), per_operation(there, 3), 0.01 * per_operation(there, 3));
    EXPECT_GT(back.batch.outcome.verified_bytes, 1000U * 8U);
  }
}

TEST(StreamBack, HasTheWireOfRank1AndThereHasTheWireOfRank0) {
  Costs slow = costs;
  slow.per_byte = 20;
  const std::map<int, Costs> slow_back{{1, slow}};
  EXPECT_NEAR(per_operation(run(make_case("stream", 1000, 800), costs, {}, 2, slow_back), 3), 2000,
              2000 * 0.005);
  EXPECT_NEAR(per_operation(run(back_case(1000, 800), costs, {}, 2, slow_back), 3), 20'000,
              20'000 * 0.005);
}

TEST(StreamBack, OddQueueDepthsLoseNoMessage) {
  for (const std::uint32_t depth : {1U, 2U, 3U, 5U, 7U, 64U}) {
    Case odd = back_case(16, 13);
    odd.queue_depth = depth;
    const Result result = run(odd, costs, {}, 3);
    EXPECT_TRUE(result.whole) << depth;
    EXPECT_EQ(result.batch.outcome.status, Status::ok) << depth << result.batch.outcome.reason;
  }
}

TEST(StreamBack, AHarmedMessageNeverGivesAFigure) {
  for (const std::size_t message : {5UL, 40UL, 300UL}) {
    for (const bool drop : {true, false}) {
      const Mischief harm{.rank = 1, .message = message, .drop = drop, .repeat = !drop};
      const Result result = run(back_case(64, 400), costs, harm);
      EXPECT_FALSE(result.whole && result.batch.outcome.status == Status::ok) << message << drop;
    }
  }
  const Result flipped = run(back_case(64, 8), costs, {.rank = 1, .message = 6, .flip_offset = 33});
  EXPECT_NE(flipped.batch.outcome.reason.find("offset 33 of 64"), std::string::npos)
      << flipped.batch.outcome.reason;
}

TEST(StreamBack, IsRefusedForATestOfOneDirection) {
  Case spec = make_case("window_stream", 64, 8);
  spec.is_back = true;
  const Result result = run(spec, costs);
  EXPECT_EQ(result.batch.outcome.status, Status::unsupported);
  EXPECT_EQ(result.batch.outcome.reason, "the test has one direction");
}

TEST(BidirectionalStream, EachWayGetsTheWholeWire) {
  const Result result = run(make_case("bidirectional_stream", 1000, 800), costs);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_NEAR(per_operation(result, 3), 2000, 2000 * 0.02);
}

/// A library that moves all that is there in one call, and copies what it receives, as Open MPI
/// does over shared memory. Control messages it takes over when they are posted.
class GreedyLink final : public LinkAround {
 public:
  using LinkAround::LinkAround;
  void poll() noexcept {
    std::uint32_t before = 0;
    do {
      before = receives_in_flight();
      LinkAround::poll();
    } while (receives_in_flight() < before && fault() == nullptr);
  }
};

TEST(BidirectionalStream, BothRanksCopyAtOnceWhereOneCallMovesAllThatIsThere) {
  constexpr Costs copies{.send_overhead = 1,
                         .receive_overhead = 1000,
                         .latency = 20,
                         .copies_up_to = 32,
                         .acknowledges = true,
                         .empty_poll = 5};
  Case one_queue = make_case("bidirectional_stream", 64, 64);
  one_queue.queue_depth = 64;
  const Result result = run<std::tuple<BidirectionalStream>, GreedyLink>(one_queue, copies);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  // A round trip of control messages to begin with, one at the end, and each copies its 64
  // messages.
  EXPECT_NEAR(per_operation(result, 3), 1000, 1000 * 0.1);
}

TEST(BidirectionalStream, OddQueueDepthsLoseNoMessage) {
  for (const std::uint32_t depth : {1U, 2U, 3U, 5U, 7U, 64U}) {
    Case odd = make_case("bidirectional_stream", 16, 13);
    odd.queue_depth = depth;
    const Result result = run(odd, costs);
    EXPECT_TRUE(result.whole) << depth;
    EXPECT_EQ(result.batch.outcome.status, Status::ok) << depth << result.batch.outcome.reason;
  }
}

class EveryPattern : public testing::TestWithParam<const char*> {};

TEST_P(EveryPattern, AFlippedBitIsAFailedCaseWithItsOffset) {
  // Rank 0's round trips of control messages and the one that starts its sample, in which nothing
  // is looked at.
  const bool is_started = GetParam() == BidirectionalStream::info.name ||
                          GetParam() == BidirectionalWindowStream::info.name;
  const std::size_t control_messages = is_started ? trial_trips + 1 : 0;
  for (std::size_t message = 2 + control_messages; message < 12 + control_messages; ++message) {
    const Result result =
        run(make_case(GetParam(), 64, 8), costs, {.message = message, .flip_offset = 33});
    EXPECT_EQ(result.batch.outcome.status, Status::failed) << message;
    EXPECT_NE(result.batch.outcome.reason.find("offset 33 of 64"), std::string::npos)
        << result.batch.outcome.reason;
    EXPECT_TRUE(result.batch.ticks.empty());
  }
}

TEST_P(EveryPattern, ADroppedMessageNeverGivesAFigure) {
  for (const std::size_t message : {0UL, 5UL, 40UL}) {
    const Result result =
        run(make_case(GetParam(), 64, 8), costs, {.message = message, .drop = true});
    EXPECT_FALSE(result.whole && result.batch.outcome.status == Status::ok) << message;
  }
}

TEST_P(EveryPattern, ARepeatedMessageNeverGivesAFigure) {
  for (const std::size_t message : {5UL, 40UL, 300UL}) {
    const Result result =
        run(make_case(GetParam(), 64, 8), costs, {.message = message, .repeat = true});
    EXPECT_FALSE(result.whole && result.batch.outcome.status == Status::ok) << message;
  }
}

TEST_P(EveryPattern, ADelayedMessageIsInItsSampleAndInNoOther) {
  constexpr Ticks delay = 1'000'000;
  Case spec = make_case(GetParam(), 64, 8);
  spec.verify = false;
  const Result plain = run(spec, costs);
  const Result late = run(spec, costs, {.message = 2 + 8 * 3, .delay = delay});
  ASSERT_EQ(late.batch.outcome.status, Status::ok) << late.batch.outcome.reason;
  int hit = 0;
  for (std::size_t sample = 0; sample < late.batch.ticks.size(); ++sample) {
    if (late.batch.ticks.at(sample) > plain.batch.ticks.at(sample) + delay / 2) ++hit;
  }
  EXPECT_EQ(hit, 1);
}

TEST_P(EveryPattern, SchedulesRunAndVerify) {
  Case spec = make_case(GetParam(), 48, 8);
  spec.schedule = {"turn", 3, 100};
  EXPECT_EQ(run(spec, costs).batch.outcome.status, Status::ok);
  for (const std::uint32_t percent : {0U, 40U}) {
    spec.schedule = {"reuse", 600, percent};
    const Result result = run(spec, costs);
    EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  }
  // All one buffer, however few others there would be.
  spec.schedule = {"reuse", 1, 100};
  EXPECT_EQ(run(spec, costs).batch.outcome.status, Status::ok);
}

TEST_P(EveryPattern, VerifiedBytesAreCounted) {
  const Result result = run(make_case(GetParam(), 64, 8), costs);
  EXPECT_GT(result.batch.outcome.verified_bytes, 64U * 8U);
}

INSTANTIATE_TEST_SUITE_P(All, EveryPattern,
                         testing::Values("ping_pong", "ping_ping", "stream", "bidirectional_stream",
                                         "sendrecv", "burst", "paused_burst", "late_receive",
                                         "host_overhead", "window_stream",
                                         "bidirectional_window_stream"));

/// A benchmark broken on purpose: it stops the clock before the answer is there.
struct StopsTooEarly {
  static constexpr PatternInfo info = PingPong::info;
  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    const Peer peer{1 - task.rank};
    for (Ticks& sample : task.samples) {
      link.post_recv(peer, task.in.next());
      const Ticks start = Now::now();
      link.post_send(peer, task.out.next());
      sample = Now::now() - start;
      if (!drain<Wait>(link)) return false;
    }
    return true;
  }
};

TEST(Planted, AClockStoppedTooEarlyDoesNotReadAsTheRoundTrip) {
  const Result result = run<std::tuple<StopsTooEarly>>(make_case("ping_pong", 100, 1), costs);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_LT(per_operation(result, 3), 2 * (7 + 200 + 500 + 11));
}

/// A benchmark broken on purpose: it sends the wrong buffer.
struct SendsWrongBuffer {
  static constexpr PatternInfo info = PingPong::info;
  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    const Peer peer{1 - task.rank};
    const Buffer wrong = task.out.next();
    for (Ticks& sample : task.samples) {
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        link.post_recv(peer, task.in.next());
        link.post_send(peer, wrong);
        if (!drain<Wait>(link)) return false;
      }
      sample = 1;
    }
    return true;
  }
};

TEST(Planted, AWrongBufferIsCaught) {
  const Result result = run<std::tuple<SendsWrongBuffer>>(make_case("ping_pong", 100, 4), costs);
  EXPECT_EQ(result.batch.outcome.status, Status::failed);
}

/// Fills series on both ranks, reads its point, and wants the samples of every rank.
struct FillsParts {
  static constexpr PatternInfo info{.name = "fills_parts",
                                    .title = "",
                                    .summary = "",
                                    .figure = Figure::overhead,
                                    .ranks = 2,
                                    .latency_divisor = 1,
                                    .bandwidth_factor = 0,
                                    .axis = {"work", "%", "0,50"}};
  static constexpr std::array parts{std::string_view{"post"}, std::string_view{"unused"}};
  static constexpr bool every_rank_times = true;
  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      task.samples[at] = static_cast<Ticks>(task.rank) + 1;
      task.parts[0][at] = task.point + at + static_cast<Ticks>(task.rank) * 100;
    }
    return drain<Wait>(link);
  }
};

TEST(Parts, EachRanksSeriesReachTheBatchUnderItsName) {
  Case spec = make_case("fills_parts", 8, 1);
  spec.point = 50;
  spec.warmup = 0;
  spec.samples = 2;
  const Batch batch = run<std::tuple<FillsParts>>(spec, costs).batch;
  ASSERT_EQ(batch.outcome.status, Status::ok) << batch.outcome.reason;
  EXPECT_EQ(batch.ticks, (std::vector<Ticks>{1, 1}));
  ASSERT_EQ(batch.parts.size(), 3U);
  EXPECT_EQ(batch.parts[0].name, "post");
  EXPECT_EQ(batch.parts[0].ticks, (std::vector<Ticks>{50, 51}));
  EXPECT_EQ(batch.parts[1].name, "rank1");
  EXPECT_EQ(batch.parts[1].ticks, (std::vector<Ticks>{2, 2}));
  EXPECT_EQ(batch.parts[2].name, "rank1.post");
  EXPECT_EQ(batch.parts[2].ticks, (std::vector<Ticks>{150, 151}));
  EXPECT_EQ(batch.cpu_ns.size(), 2U);
}

TEST(Refusals, UnknownTestAndTooMuchMemoryAreFailedCases) {
  EXPECT_EQ(run(make_case("nope", 8, 1), costs).batch.outcome.reason, "unknown test: nope");
  const Result big = run(make_case("ping_pong", std::size_t{1} << 45U, 1), costs);
  EXPECT_EQ(big.batch.outcome.status, Status::failed);
  EXPECT_NE(big.batch.outcome.reason.find("choose smaller sizes"), std::string::npos);
}

}  // namespace
}  // namespace weft::fake

// Liu's queue, its receiver and their buffers, on a fabric whose answer is known.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "run/pattern_on.hpp"
#include "run/schedule.hpp"
#include "tests/support/fake_cases.hpp"
#include "tests/support/link_around.hpp"

namespace weft::fake {
namespace {

constexpr Costs costs = usual_costs;

const std::vector<const char*>& streams_of_messages() {
  static const std::vector<const char*> names{
      "stream",        "bidirectional_stream", "busy_stream",  "register_stream",
      "hot_spot_send", "hot_spot_receive",     "message_rate", "random_pairs"};
  return names;
}

// The link refuses a receive that shares memory with one under way; these hold what must arrive.
class ReceivesOfAStream : public testing::TestWithParam<const char*> {};

TEST_P(ReceivesOfAStream, NeverShareABuffer) {
  for (const std::uint32_t depth : {1U, 3U, 8U}) {
    for (const Schedule& schedule :
         {Schedule{"one", 1, 100}, Schedule{"turn", 3, 100}, Schedule{"turn", 13, 100},
          Schedule{"reuse", 600, 60}, Schedule{"reuse", 1, 100}}) {
      Case spec = make_case(GetParam(), 48, 39);
      spec.queue_depth = depth;
      spec.schedule = schedule;
      const Result result = run(spec, costs, {}, 4);
      EXPECT_EQ(result.batch.outcome.status, Status::ok)
          << depth << schedule.kind << schedule.count << ": " << result.batch.outcome.reason;
    }
  }
}

TEST_P(ReceivesOfAStream, ShareOneBufferWhereTheCaseSaysSo) {
  Case spec = make_case(GetParam(), 48, 39);
  spec.schedule.kind = "shared";
  EXPECT_FALSE(run(spec, costs, {}, 4).whole);
  Costs lenient = costs;
  lenient.shares_receives = true;
  const Result result = run(spec, lenient, {}, 4);
  EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
}

INSTANTIATE_TEST_SUITE_P(All, ReceivesOfAStream, testing::ValuesIn(streams_of_messages()));

TEST(BufferOrders, ReceivesUnderWayHaveSlotsOfTheirOwnAndKnowTheirSender) {
  const std::vector<Schedule> schedules{{"one", 1, 100},  {"turn", 3, 100},  {"turn", 16, 100},
                                        {"reuse", 50, 0}, {"reuse", 50, 75}, {"reuse", 50, 100}};
  for (const Schedule& schedule : schedules) {
    for (const std::size_t at_once : {1UL, 2UL, 3UL, 8UL, 16UL, 128UL}) {
      const BufferOrders orders = make_orders(schedule, 7, at_once);
      EXPECT_EQ(orders.out, make_order(schedule, 7));
      const bool is_walked_once = schedule.kind == "reuse" && schedule.reuse_percent < 100;
      const std::size_t messages = is_walked_once ? orders.out.size() : 3 * orders.in.size();
      for (std::size_t message = 0; message < messages; ++message) {
        const std::uint32_t slot = orders.in[message % orders.in.size()];
        EXPECT_EQ(orders.sent_from.at(slot), orders.out[message % orders.out.size()]);
        for (std::size_t later = message + 1; later < std::min(message + at_once, messages);
             ++later) {
          ASSERT_NE(orders.in[later % orders.in.size()], slot) << schedule.kind << at_once;
        }
      }
    }
  }
}

TEST(BufferOrders, OneBufferStaysOneWhereReceivesFollowEachOther) {
  const BufferOrders orders = make_orders({"one", 1, 100}, 1, 1);
  EXPECT_EQ(orders.in, orders.out);
  EXPECT_EQ(orders.sent_from.size(), 1U);
}

constexpr std::size_t length = 40;

/// Messages of the stream, and no control messages, that came before their receive was posted.
std::size_t unexpected(const Case& spec, const Costs& script,
                       const std::map<int, Costs>& unlike = {}) {
  const Result result = run(spec, script, {}, 4, unlike);
  EXPECT_EQ(result.batch.outcome.status, Status::ok)
      << spec.test << ": " << result.batch.outcome.reason;
  const auto found = result.unexpected.find(length);
  return found == result.unexpected.end() ? 0 : found->second;
}

TEST(ReceivesAhead, NoMessageIsUnexpectedNotEvenTheFirst) {
  // Taking a message is slower than sending one: whoever is ready first would be too early.
  const Costs slow_to_take{
      .send_overhead = 7, .receive_overhead = 300, .latency = 50, .acknowledges = true};
  for (const char* name : streams_of_messages()) {
    for (const std::uint32_t depth : {1U, 2U, 3U, 8U, 16U}) {
      for (const Costs& script : {costs, slow_to_take}) {
        Case spec = make_case(name, length, 40);
        spec.queue_depth = depth;
        spec.warmup = 0;
        EXPECT_EQ(unexpected(spec, script), 0U) << name << depth;
      }
    }
  }
}

/// A receiver that sleeps is late by one and a half queues of messages.
constexpr std::uint32_t depth_of_sleepy = 16;
constexpr Costs of_sender{.latency = 500, .gap = 20};
constexpr Costs of_sleepy{.latency = 500, .gap = 20, .wake_up = depth_of_sleepy * 3 / 2 * 20};
Case sleepy_case(const std::string& name) {
  Case spec = make_case(name, length, 400);
  spec.queue_depth = depth_of_sleepy;
  spec.wait = "block";
  return spec;
}

TEST(ReceivesAhead, CoverAReceiverThatIsLateByMoreThanTheQueue) {
  EXPECT_EQ(unexpected(sleepy_case("stream"), of_sender, {{1, of_sleepy}}), 0U);
  EXPECT_EQ(unexpected(sleepy_case("hot_spot_send"), of_sender, {{1, of_sleepy}}), 0U);
}

// Rank 1's messages are slow: rank 0, whose own ones the library copies, has room in its queue and
// nothing to hear meanwhile. A sleep is over when something happens, but nothing tells of room.
class BlockingStreams : public testing::TestWithParam<const char*> {};

TEST_P(BlockingStreams, NeverSleepWithRoomInTheirQueue) {
  const Costs quick{.send_overhead = 7,
                    .receive_overhead = 11,
                    .latency = 500,
                    .copies_up_to = 1024,
                    .empty_poll = 50,
                    .longest_sleep = 1'000'000};
  Costs slow = quick;
  slow.latency = 50'000;
  const auto took = [&](const char* wait) {
    Case spec = make_case(GetParam(), length, 120);
    spec.wait = wait;
    return per_operation(run(spec, quick, {}, 2, {{1, slow}}));
  };
  EXPECT_LT(took("block"), 1.1 * took("spin"));
}

/// A library that moves everything on in each call: a receive may be over once it is posted.
class EagerLink final : public LinkAround {
 public:
  using LinkAround::LinkAround;
  using LinkAround::receives_in_flight;
  using LinkAround::sends_in_flight;
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    LinkAround::post_recv(peer, buffer);
    poll();
  }
  void block() noexcept { link().block(); }
  [[nodiscard]] std::uint32_t sends_in_flight(Peer peer) const noexcept {
    return link().sends_in_flight(peer);
  }
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept {
    return link().receives_in_flight(peer);
  }
};

// The peers' messages are copied and come faster than rank 0 takes them: its last receives of a
// sample are over as they are posted, and no event tells of them.
TEST(HotSpotReceive, NeverSleepsWhereItsReceivesAreOverAsTheyArePosted) {
  const Costs flood{.send_overhead = 1,
                    .receive_overhead = 30,
                    .latency = 500,
                    .copies_up_to = 1024,
                    .empty_poll = 5,
                    .longest_sleep = 1'000'000};
  for (const std::uint32_t depth : {2U, 4U, 8U, 16U}) {
    const auto took = [&](const char* wait) {
      Case spec = make_case("hot_spot_receive", length, 120);
      spec.queue_depth = depth;
      spec.wait = wait;
      const Result result = run<std::tuple<HotSpotReceive>, EagerLink>(spec, flood, {}, 2);
      EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
      return per_operation(result);
    };
    EXPECT_LT(took("block"), 1.1 * took("spin")) << depth;
  }
}

INSTANTIATE_TEST_SUITE_P(All, BlockingStreams, testing::ValuesIn(streams_of_messages()));

/// A benchmark broken on purpose: its receives are posted Q ahead.
struct PostsQAhead {
  static constexpr PatternInfo info = Stream::info;
  static constexpr bool streams = true;
  static constexpr bool one_way = true;
  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank == 0) return Stream::run<Now, Wait>(link, task);
    Lane& lane = task.lanes[0];
    task.queue_depth /= 2;
    open_lane<ControlAt::none>(link, task, lane, task.ops_per_sample, task.samples.size());
    say_ready(link, task, lane);
    for (std::size_t left = task.samples.size(); left > 0; --left) {
      if (!take_all<Wait, ControlAt::none>(link, task, lane)) return false;
      link.post_send(lane.peer, task.control_out);
    }
    return drain<Wait>(link);
  }
};

/// Its subject is the unexpected message: rank 1 posts its receives when all have come. As many are
/// under way at once as the point says.
struct PostsLate {
  static constexpr PatternInfo info{
      .name = "posts_late",
      .title = "Unexpected messages",
      .summary = "messages that come before their receive",
      .figure = Figure::bandwidth,
      .ranks = 2,
      .latency_divisor = 0,
      .bandwidth_factor = 1,
      .axis = {.name = "late", .unit = "", .points = "1..4"},
      .has_queue = true,
  };
  static constexpr bool measures_unexpected = true;
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t /*queue_depth*/,
                                                  std::uint64_t point) noexcept {
    return 1 + static_cast<std::uint32_t>(point);
  }
  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    constexpr Ticks until_all_came = 100'000;
    const auto most = static_cast<std::uint32_t>(task.point) + 1;
    for (std::size_t left = messages_of(task); left > 0;) {
      const auto some = static_cast<std::uint32_t>(std::min<std::size_t>(left, most));
      if (task.rank == 1) (void)Now::pause(until_all_came);
      for (std::uint32_t at = 0; at < some; ++at) {
        if (task.rank == 0) link.post_send(Peer{1}, task.out.next());
        if (task.rank == 1) link.post_recv(Peer{0}, task.in.next());
      }
      if (!drain<Wait>(link)) return false;
      left -= some;
    }
    return true;
  }
};

TEST(Unexpected, IsTheSubjectOfABenchmarkThatSaysSoAndHasReceivesByThePoint) {
  Case spec = make_case("posts_late", length, 12);
  spec.warmup = 0;
  spec.verify = false;
  for (const std::uint64_t point : {1U, 3U}) {
    spec.point = point;
    const Result result = run<std::tuple<PostsLate>>(spec, costs, {}, 2);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    EXPECT_EQ(result.unexpected.at(length), spec.samples * spec.ops_per_sample) << point;
  }
  constexpr Footprint footprint = footprint_of<PostsLate, Link, VirtualClock>();
  EXPECT_EQ(footprint.receives, 1U);
  EXPECT_EQ(footprint.receives_per_queue, 0U);
  EXPECT_EQ(footprint.receives_per_point, 1U);
}

/// Its sender waits for the receive, as one with credits does.
class WithCredits final : public LinkAround {
 public:
  static constexpr bool sends_what_is_expected = true;
  using LinkAround::LinkAround;
};

TEST(Unexpected, IsRefusedWhereNoMessageComesBeforeItsReceive) {
  static_assert(MeasuresUnexpected<PostsLate> && !MeasuresUnexpected<Stream>);
  EXPECT_EQ((lack_of<PostsLate, WithCredits, VirtualClock>()),
            "the transport sends no message before its receive is posted");
  EXPECT_EQ((lack_of<PostsLate, Link, VirtualClock>()), "");
  EXPECT_EQ((lack_of<Stream, WithCredits, VirtualClock>()), "");
  EXPECT_NE((lack_of<WindowStream, WithCredits, VirtualClock>()), "");
  EXPECT_NE((lack_of<BidirectionalWindowStream, WithCredits, VirtualClock>()), "");
}

TEST(Planted, ReceivesThatArePostedQAheadAreSeen) {
  const Result result =
      run<std::tuple<PostsQAhead>>(sleepy_case("stream"), of_sender, {}, 2, {{1, of_sleepy}});
  EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_GT(result.unexpected.at(length), 0U);
}

/// What a rank took by itself for a message of its own, of so many streams.
double own_message(const Batch& batch, const std::string& part, std::uint32_t streams) {
  for (const Series& one : batch.parts) {
    if (one.name == part) {
      return static_cast<double>(one.ticks[2]) * streams / batch.ops_per_sample;
    }
  }
  ADD_FAILURE() << "no part " << part;
  return 0;
}

TEST(HotSpotSend, ASlowPeerHasAQueueOfItsOwnAndHoldsNobodyUp) {
  constexpr std::uint32_t streams = 3;
  const Costs quick{.latency = 500, .gap = 100, .acknowledges = true};
  Costs slow = quick;
  slow.receive_overhead = 3000;
  Case spec = make_case("hot_spot_send", length, 1200);
  const Batch batch = run(spec, quick, {}, 4, {{2, slow}}).batch;
  ASSERT_EQ(batch.outcome.status, Status::ok) << batch.outcome.reason;
  // Three streams share rank 0's wire; of a quick peer's queue a round trip is 1000 ticks long.
  EXPECT_LT(own_message(batch, "rank1", streams), 500);
  EXPECT_LT(own_message(batch, "rank3", streams), 500);
  EXPECT_NEAR(own_message(batch, "rank2", streams), 3000, 100);
}

/// How much of a queue of eight is in flight after it was filled.
std::optional<std::uint32_t> held(const char* name, std::size_t bytes, const Costs& script) {
  const Batch batch = run(make_case(name, bytes, 40), script, {}, 4).batch;
  EXPECT_EQ(batch.outcome.status, Status::ok) << name << batch.outcome.reason;
  return batch.queue_held;
}

TEST(QueueHeld, IsNothingWhereTheLibraryCopiesAndAllOfItOnASlowWire) {
  const Costs eager{
      .send_overhead = 7, .latency = 500, .per_byte = 2, .idle_polls = true, .copies_up_to = 1024};
  for (const char* name : streams_of_messages()) {
    EXPECT_EQ(held(name, 1024, eager), 0U) << name;
    EXPECT_EQ(held(name, 1025, eager), 8U) << name;
  }
  EXPECT_EQ(held("put_stream", 1025, eager), 8U);
  EXPECT_EQ(held("get_stream", 1025, eager), 8U);
}

TEST(QueueHeld, IsWhatTheWireHasNotTakenYet) {
  // Posted at 7, 14, ... 56; a message leaves after 27, 47, ...: two have left when all are posted.
  const Costs quick{.send_overhead = 7, .latency = 500, .gap = 20, .idle_polls = true};
  EXPECT_EQ(held("stream", 8, quick), 6U);
  EXPECT_EQ(held("put_stream", 8, quick), 6U);
}

TEST(QueueHeld, IsToldOfStreamsAlone) {
  EXPECT_FALSE(held("ping_pong", 8, costs).has_value());
}

TEST(BuffersInTurn, WantAWholeTurnOfWarmUpAndTwoBehindIt) {
  Case spec = make_case("ping_pong", 8, 10);
  spec.schedule = {"turn", 20, 100};
  spec.warmup = 2;
  spec.samples = 4;
  EXPECT_EQ(run(spec, costs).batch.outcome.status, Status::ok);
  spec.samples = 3;
  const Outcome few = run(spec, costs).batch.outcome;
  EXPECT_EQ(few.status, Status::unsupported);
  EXPECT_EQ(few.reason,
            "20 buffers in turn need 20 messages of warm-up and 40 after it, and there are 20 "
            "and 30; choose more samples or fewer buffers");
  spec.samples = 4;
  spec.warmup = 1;
  EXPECT_EQ(run(spec, costs).batch.outcome.status, Status::unsupported);
  spec.schedule = {"turn", 1, 100};
  spec.warmup = 0;
  EXPECT_EQ(run(spec, costs).batch.outcome.status, Status::ok);
}

TEST(BuffersInTurn, AreCountedForEachOfManyStreams) {
  Case spec = make_case("hot_spot_send", length, 3 * 16);
  spec.schedule = {"turn", 16, 100};
  spec.samples = 2;
  EXPECT_EQ(run(spec, costs, {}, 4).batch.outcome.status, Status::ok);
  spec.samples = 1;
  EXPECT_EQ(run(spec, costs, {}, 4).batch.outcome.status, Status::unsupported);
}

}  // namespace
}  // namespace weft::fake

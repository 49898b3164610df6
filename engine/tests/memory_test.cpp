// Buffers that are used in turn, once, or registered as they go, where the costs are scripted.
#include <gtest/gtest.h>

#include <set>

#include "host/copy_memory.hpp"
#include "host/memory.hpp"
#include "host/pages.hpp"
#include "run/schedule.hpp"
#include "tests/support/fake_fabric.hpp"
#include "transports/parts/connecting.hpp"

namespace weft::fake {
namespace {

Case make_case(const std::string& test, std::size_t bytes, const Schedule& schedule) {
  Case made;
  made.test = test;
  made.bytes = bytes;
  made.samples = 120;
  made.warmup = 10;
  made.queue_depth = 8;
  made.schedule = schedule;
  return made;
}

double median_operation(const Result& result) {
  std::vector<Ticks> ticks(result.batch.ticks.begin() + result.batch.warmup,
                           result.batch.ticks.end());
  std::sort(ticks.begin(), ticks.end());
  return static_cast<double>(ticks.at(ticks.size() / 2)) / result.batch.ops_per_sample;
}

constexpr Ticks lookup = 300;
constexpr Costs small_cache{.send_overhead = 7,
                            .receive_overhead = 11,
                            .latency = 500,
                            .per_byte = 2,
                            .known_buffers = 16,
                            .lookup = lookup};
constexpr double one_way = 7 + 2 * 100 + 500 + 11;

TEST(BufferReuse, LatencyRisesByTheLookUpWithMoreBuffersThanTheCardKnows) {
  for (const std::uint32_t count : {1U, 8U, 16U, 17U, 64U}) {
    Case spec = make_case("ping_pong", 100, {"turn", count, 100});
    spec.warmup = 64;
    spec.samples = 128;
    const Result result = run(spec, small_cache);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    const double wanted = 2 * (one_way + (count > 16 ? lookup : 0));
    EXPECT_DOUBLE_EQ(median_operation(result), wanted) << count;
  }
}

TEST(BufferReuse, BandwidthFallsByTheLookUpWithMoreBuffersThanTheCardKnows) {
  for (const std::uint32_t count : {16U, 17U}) {
    Case spec = make_case("stream", 1000, {"turn", count, 100});
    spec.samples = 4;
    spec.ops_per_sample = 2000;
    const Result result = run(spec, small_cache);
    const double wanted = 2000 + (count > 16 ? lookup : 0);
    EXPECT_NEAR(median_operation(result), wanted, 0.005 * wanted) << count;
  }
}

TEST(BufferReuse, ASharesLookUpsAreThatShareOfTheMessages) {
  for (const std::uint32_t percent : {0U, 50U, 75U, 90U}) {
    Case spec = make_case("ping_pong", 100, {"reuse", 200, percent});
    spec.samples = 1;
    spec.warmup = 0;
    spec.ops_per_sample = 190;
    const Result result = run(spec, small_cache);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    // Of 190 messages each way so many look a buffer up, by the order that both sides use, and one
    // more is the first use of the reused one.
    const auto order = make_order(spec.schedule, spec.seed);
    const auto fresh = 190 - std::count(order.begin(), order.begin() + 190, 0U);
    const bool reuses = fresh < 190;
    const double wanted =
        190 * 2 * one_way + static_cast<double>((fresh + (reuses ? 1 : 0)) * 2 * lookup);
    EXPECT_DOUBLE_EQ(static_cast<double>(result.batch.ticks.at(0)), wanted) << percent;
  }
}

// As a batch that walked the order round would have it: from the second round on each buffer that
// was to be new would have been sent before, and a card that knows many would look up none.
TEST(BufferReuse, ABufferThatIsToBeNewIsNeverSentTwice) {
  Costs forgets_nothing = small_cache;
  forgets_nothing.known_buffers = 100'000;
  Case spec = make_case("ping_pong", 100, {"reuse", 100, 0});
  const Result result = run(spec, forgets_nothing);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_EQ(result.batch.ticks.size(), 100U);
  EXPECT_EQ(result.batch.warmup, 10U);
  for (const Ticks ticks : result.batch.ticks) EXPECT_EQ(ticks, 2 * (one_way + lookup));
}

TEST(BufferReuse, APingPongSendsNoMessageBesideThoseOfItsOperations) {
  for (const char* name : {"ping_pong", "ping_ping", "put_notify_ping_pong"}) {
    const Result result = run(make_case(name, 100, {"reuse", 100, 0}), small_cache);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << name << result.batch.outcome.reason;
    EXPECT_EQ(result.batch.ticks.size(), 100U) << name;
  }
}

TEST(BufferReuse, ASampleThatNeedsMoreNewBuffersThanThereAreIsRefused) {
  const Result result = run(make_case("stream", 100, {"reuse", 4, 0}), small_cache);
  EXPECT_TRUE(result.whole);
  EXPECT_EQ(result.batch.outcome.status, Status::unsupported);
  EXPECT_NE(result.batch.outcome.reason.find("to use once"), std::string::npos);
}

TEST(BufferReuse, NoLaterBufferHasAnEarlierOnesAddress) {
  std::set<const std::byte*> seen;
  for (int round = 0; round < 50; ++round) {
    const Buffer buffer = map_memory(10'000);
    EXPECT_TRUE(seen.insert(buffer.data).second);
    unmap_memory(buffer);
    const Region region(10'000, Pages::usual);
    EXPECT_TRUE(seen.insert(region.data()).second);
  }
}

constexpr Costs registering{.send_overhead = 7,
                            .receive_overhead = 11,
                            .latency = 5000,
                            .per_byte = 2,
                            .register_buffer = 900,
                            .register_byte = 3,
                            .deregister_buffer = 400};

TEST(Registration, RegisteringAndDeregisteringAreTimedApart) {
  Case spec = make_case("registration", 100, {});
  spec.samples = 5;
  spec.warmup = 1;
  for (const std::uint32_t ops : {1U, 8U, 21U}) {
    spec.ops_per_sample = ops;
    const Result result = run(spec, registering);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    for (std::size_t sample = 0; sample < 6; ++sample) {
      EXPECT_EQ(result.batch.ticks.at(sample), ops * (900 + 3 * 100));
      EXPECT_EQ(result.batch.parts.at(0).ticks.at(sample), ops * 400);
    }
  }
}

TEST(Registration, NoTwoBuffersThatAreRegisteredAtOnceAreTheSame) {
  Costs clever = registering;
  clever.knows_registered = true;
  Case spec = make_case("registration", 100, {});
  spec.samples = 5;
  spec.ops_per_sample = 21;
  for (const Schedule& schedule :
       {Schedule{}, Schedule{"turn", 3, 100}, Schedule{"turn", 20, 100}}) {
    spec.schedule = schedule;
    const Result result = run(spec, clever);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    EXPECT_EQ(result.batch.ticks.at(3), 21 * (900 + 3 * 100)) << schedule.count;
  }
}

TEST(RegisterPingPong, TheRegistrationIsInTheLatencyAndTheDeregistrationBehindTheFlight) {
  const Result result = run(make_case("register_ping_pong", 100, {}), registering);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_DOUBLE_EQ(median_operation(result), 2 * (900 + 300 + 7 + 200 + 5000 + 11));
}

TEST(RegisterStream, BandwidthIsThatOfRegisteringSendingAndDeregistering) {
  Case spec = make_case("register_stream", 100, {"turn", 4, 100});
  spec.samples = 4;
  spec.ops_per_sample = 2000;
  const Result result = run(spec, registering);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  // The processor is busy longer than the wire, for each message: it is the bottleneck.
  EXPECT_NEAR(median_operation(result), 900 + 300 + 400 + 7, 20);
}

TEST(Copy, EveryByteIsCopiedWhateverTheLength) {
  for (const std::size_t bytes : {1UL, 63UL, 64UL, 65UL, 4096UL, 10'007UL}) {
    const Buffer from = map_memory(bytes);
    const Buffer to = map_memory(bytes + 1);
    const Content content{3, 1, bytes};
    fill({from.data, bytes}, content);
    to.data[bytes] = std::byte{0x5a};
    copy_memory(to.data, from.data, bytes);
    EXPECT_FALSE(first_difference({to.data, bytes}, content).has_value());
    EXPECT_EQ(to.data[bytes], std::byte{0x5a});
    unmap_memory(from);
    unmap_memory(to);
  }
}

TEST(Copy, RunsWithoutAnyMessage) {
  const Result result = run(make_case("copy", 10'007, {}), registering);
  EXPECT_TRUE(result.whole);
  EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_EQ(result.batch.ticks.size(), 130U);
}

std::int64_t virtual_ns() noexcept {
  return static_cast<std::int64_t>(VirtualClock::time());
}

TEST(Connecting, TheTimeIsThatOfConnectingAndOfNothingElse) {
  Fabric fabric(1);
  FabricMeeting meeting(fabric);
  FabricBootstrap boot(meeting, fabric, 0);
  VirtualClock::time() = 77;
  EXPECT_EQ(connecting_ns<virtual_ns>(boot, [] { VirtualClock::time() += 12'345; }), 12'345);
  EXPECT_EQ(connecting_note(12'345).second, "12345");
}

/// What must be caught: a registration that is given back while its message is on its way.
struct Hasty {
  static constexpr PatternInfo info{.name = "hasty",
                                    .title = "",
                                    .summary = "",
                                    .figure = Figure::latency,
                                    .ranks = 2,
                                    .latency_divisor = 2,
                                    .bandwidth_factor = 2};
  static constexpr bool registers = true;
  template <Clock Now, class Wait, Registers T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank != 0) return true;
    const Buffer known = link.register_memory(task.out.next());
    link.post_send(Peer{1}, known);
    link.deregister_memory(known);
    return link.fault() == nullptr;
  }
};

TEST(Registration, GivingBackWhatIsBeingSentIsCaught) {
  Case spec = make_case("hasty", 100, {});
  spec.verify = false;
  const Result result = run<std::tuple<Hasty>>(spec, registering);
  EXPECT_FALSE(result.whole);
}

}  // namespace
}  // namespace weft::fake

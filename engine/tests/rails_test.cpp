// Two scripted links as one: a striped message takes as long as its slower half, messages in turn
// double the rate, and what ends early waits for what was posted before it.
#include <gtest/gtest.h>

#include "tests/support/fake_rails.hpp"

namespace weft::fake {
namespace {

constexpr Costs even = usual_costs;
/// A second part costs one overhead more at each end if it is taken last, as it may be or not.
constexpr double overheads = 2 * (7 + 11);

Costs slower(Ticks per_byte) {
  Costs costs = even;
  costs.per_byte = per_byte;
  return costs;
}

/// Rank 0's result of a case over one link for each of the costs.
template <class Sharing>
Result run_rails(const Case& spec, const std::vector<Costs>& costs, const Mischief& mischief = {}) {
  return run_on_rails<Sharing>({spec}, costs, mischief).front();
}

TEST(Stripe, OfEqualRailsAMessageTakesHalfTheWire) {
  const Result result = run_rails<Stripe>(make_case("ping_pong", 1024, 4), {even, even});
  EXPECT_NEAR(per_operation(result), 2 * (7 + 2 * 512 + 500 + 2 * 11), overheads);
}

// 258 bytes are 192 and 66 of them where parts begin at cache lines of 64, else two of 129.
TEST(Stripe, PartsBeginAtCacheLines) {
  const Result result = run_rails<Stripe>(make_case("ping_pong", 258, 4), {slower(50), slower(50)});
  EXPECT_NEAR(per_operation(result), 2 * (7 + 50 * 192 + 500 + 11), overheads);
}

TEST(Stripe, OfUnequalRailsAMessageTakesItsSlowerHalf) {
  const Result result = run_rails<Stripe>(make_case("ping_pong", 1024, 4), {even, slower(5)});
  EXPECT_NEAR(per_operation(result), 2 * (2 * 7 + 5 * 512 + 500 + 11), overheads);
}

TEST(Stripe, AShortMessageTakesTheFirstRailWhole) {
  const Result result = run_rails<Stripe>(make_case("ping_pong", 255, 4), {even, slower(1000)});
  EXPECT_DOUBLE_EQ(per_operation(result), 2 * (7 + 2 * 255 + 500 + 11));
}

TEST(Stripe, AStreamHasTheRateOfBothRails) {
  const Result result = run_rails<Stripe>(make_case("stream", 4096, 800), {even, even});
  EXPECT_NEAR(per_operation(result), 4096, 4096 * 0.01);
}

TEST(Stripe, BothWaysAtOnceHaveTheRateOfBothRails) {
  const Result result =
      run_rails<Stripe>(make_case("bidirectional_stream", 4096, 800), {even, even});
  EXPECT_NEAR(per_operation(result), 4096, 4096 * 0.02);
}

TEST(Turn, AMessageTakesOneRailAndTheNextTheOther) {
  const Result result = run_rails<Turn>(make_case("ping_pong", 1024, 4), {even, slower(5)});
  EXPECT_DOUBLE_EQ(per_operation(result), 2 * (7 + 3.5 * 1024 + 500 + 11));
}

TEST(Turn, AStreamHasTheRateOfBothRails) {
  const Result result = run_rails<Turn>(make_case("stream", 4096, 800), {even, even});
  EXPECT_NEAR(per_operation(result), 4096, 4096 * 0.01);
}

TEST(Turn, AStreamOverUnequalRailsHasTwiceTheSlowerOnesRate) {
  const Result result = run_rails<Turn>(make_case("stream", 4096, 800), {even, slower(4)});
  EXPECT_NEAR(per_operation(result), 4096 * 4 / 2.0, 4096 * 0.05);
}

TEST(Turn, AnOddNumberOfMessagesAndOfRailsLosesNone) {
  for (const std::uint32_t depth : {1U, 3U, 5U}) {
    Case odd = make_case("stream", 300, 13);
    odd.queue_depth = depth;
    EXPECT_GT(per_operation(run_rails<Turn>(odd, {even, slower(3), even})), 0);
    EXPECT_GT(per_operation(run_rails<Stripe>(odd, {even, slower(3), even})), 0);
  }
}

// The last rail's message comes long after later ones of the other: it keeps them from counting.
TEST(Turn, AMessageThatIsLateIsWaitedForBeforeItsBufferIsLookedAt) {
  for (std::size_t message = 0; message < 8; ++message) {
    const Result result = run_rails<Turn>(make_case("stream", 64, 16), {even, even},
                                          {.message = message, .delay = 1'000'000});
    EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  }
}

template <class Sharing>
void flip_is_caught(std::size_t bytes, const std::string& place) {
  for (const std::string test : {"ping_pong", "stream", "put_latency"}) {
    const Result result = run_rails<Sharing>(make_case(test, bytes, 8), {even, even},
                                             {.message = 4, .flip_offset = 33});
    EXPECT_EQ(result.batch.outcome.status, Status::failed) << test;
    EXPECT_NE(result.batch.outcome.reason.find(place), std::string::npos)
        << test << ": " << result.batch.outcome.reason;
  }
}

TEST(Stripe, AFlippedBitOfTheSecondHalfIsAFailedCaseWithItsOffset) {
  flip_is_caught<Stripe>(1024, "offset 545 of 1024");
}

TEST(Turn, AFlippedBitIsAFailedCaseWithItsOffset) {
  flip_is_caught<Turn>(1024, "offset 33 of 1024");
}

TEST(Rails, PutsAndGetsAreSharedOutToo) {
  for (const std::string test : {"put_latency", "get_latency", "put_stream", "get_stream"}) {
    EXPECT_GT(per_operation(run_rails<Stripe>(make_case(test, 1024, 8), {even, slower(3)})), 0);
    EXPECT_GT(per_operation(run_rails<Turn>(make_case(test, 1024, 8), {even, slower(3)})), 0);
  }
  const Result striped = run_rails<Stripe>(make_case("put_ping_pong", 1024, 8), {even, slower(3)});
  EXPECT_EQ(striped.batch.outcome.status, Status::unsupported) << striped.batch.outcome.reason;
}

TEST(RailOrder, ARailAheadWaitsForTheOthers) {
  RailOrder order;
  order.reserve(4, 2);
  std::array<std::uint32_t, 2> in_flight{1, 1};
  const auto on = [&](std::size_t rail) { return in_flight[rail]; };
  order.post(0, 1);
  order.post(1, 1);
  in_flight = {1, 0};  // the later one ended first
  order.advance(on);
  EXPECT_EQ(order.in_flight(), 2U);
  in_flight = {0, 0};
  order.advance(on);
  EXPECT_EQ(order.in_flight(), 0U);
}

TEST(RailOptions, EachRailHasItsItemOfEveryListAndWhatIsNoList) {
  LinkOptions options;
  options.set("device", "a,b,c");
  options.set("inline", "64");
  EXPECT_EQ(options.longest_list(), 3U);
  EXPECT_EQ(options.of_rail(1).text("device"), "b");
  EXPECT_EQ(options.of_rail(2).text("inline"), "64");
  options.set("port", "1,2");
  EXPECT_EQ(options.of_rail(1).text("port"), "2");
  EXPECT_THROW((void)options.of_rail(2), std::invalid_argument);
}

}  // namespace
}  // namespace weft::fake

// Streams by windows, as osu_bw and osu_bibw have them, on a fabric whose answer is known.
#include <gtest/gtest.h>

#include "tests/support/fake_cases.hpp"

namespace weft::fake {
namespace {

constexpr Costs costs = usual_costs;
constexpr std::uint32_t window = 8;
/// What a window's messages of 1000 bytes hold the wire for.
constexpr Ticks on_the_wire = 2000 * window;
/// A message without bytes, and a control message, from the call that sends it until it is taken.
constexpr Ticks one_way = 7 + 500 + 11;
constexpr Ticks control_way = one_way + 2 * 32;

TEST(WindowStream, EveryWindowHoldsAWayThereAndItsAnswersWayBack) {
  for (const std::uint32_t windows : {1U, 2U, 7U}) {
    const Result result = run(make_case("window_stream", 1000, windows * window), costs);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    EXPECT_EQ(result.batch.ticks.at(3), windows * (on_the_wire + one_way + control_way)) << windows;
  }
}

TEST(BidirectionalWindowStream, AWindowHoldsTheWireOnceAndOneWay) {
  const auto took = [](std::uint32_t windows) {
    const Case spec = make_case("bidirectional_window_stream", 1000, windows * window);
    const Result result = run(spec, costs);
    EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    return result.batch.ticks.at(3);
  };
  // The message that starts rank 1 is sent, a round trip of such messages passes, and one ends it.
  const Ticks frame = (7 + 2 * 32) + 2 * control_way + control_way;
  EXPECT_EQ(took(1), frame + on_the_wire + one_way);
  // The rank that begins a window first has the other one's messages last, each in turn.
  EXPECT_NEAR(static_cast<double>(took(9) - took(1)), 8.0 * (on_the_wire + one_way), 8 * 7);
}

TEST(WindowStreams, ASampleIsWholeWindows) {
  for (const char* name : {"window_stream", "bidirectional_window_stream"}) {
    for (const std::uint32_t depth : {1U, 2U, 3U, 5U, 7U, 64U}) {
      Case odd = make_case(name, 16, 13);
      odd.queue_depth = depth;
      const Result result = run(odd, costs);
      EXPECT_TRUE(result.whole) << name << depth;
      EXPECT_EQ(result.batch.outcome.status, Status::ok) << depth << result.batch.outcome.reason;
      EXPECT_EQ(result.batch.ops_per_sample, (12 / depth + 1) * depth) << name;
    }
  }
}

}  // namespace
}  // namespace weft::fake

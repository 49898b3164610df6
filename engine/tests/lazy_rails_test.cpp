// Rails over links that complete in groups: what was posted ends by its completion, not before.
#include <gtest/gtest.h>
#include <array>

#include <tuple>

#include "host/memory.hpp"
#include "patterns/bidirectional_stream.hpp"
#include "patterns/get_stream.hpp"
#include "patterns/ping_pong.hpp"
#include "patterns/put_stream.hpp"
#include "patterns/stream.hpp"
#include "tests/support/fake_rails.hpp"
#include "tests/support/lazy_link.hpp"

namespace weft::fake {
namespace {

using Patterns = std::tuple<PingPong, Stream, BidirectionalStream, PutStream, GetStream>;

const std::vector<Costs> two_rails{usual_costs, usual_costs};

/// Two short operations for a group, one that is cut where the rails do so, long ones.
std::vector<Case> streams_of_all_kinds() {
  std::vector<Case> cases;
  for (const std::string test : {"ping_pong", "stream", "put_stream", "bidirectional_stream"}) {
    for (const std::size_t bytes : {8U, 64U, 256U, 4096U}) {
      for (const std::uint32_t depth : {1U, 8U, 64U}) {
        Case one = make_case(test, bytes, 300);
        one.queue_depth = depth;
        cases.push_back(one);
      }
    }
  }
  return cases;
}

template <class Sharing>
void all_streams_are_whole() {
  const std::vector<Case> cases = streams_of_all_kinds();
  const std::vector<Result> results = run_on_rails<Sharing, LazyLink, Patterns>(cases, two_rails);
  ASSERT_EQ(results.size(), cases.size()) << results.back().batch.outcome.reason;
  for (std::size_t at = 0; at < cases.size(); ++at) {
    EXPECT_EQ(results[at].batch.outcome.status, Status::ok)
        << cases[at].test << " of " << cases[at].bytes << " bytes, queue of "
        << cases[at].queue_depth << ": " << results[at].batch.outcome.reason;
  }
}

TEST(LazyStripe, StreamsOfEverySizeAreWholeOneAfterAnother) {
  all_streams_are_whole<Stripe>();
}

TEST(LazyTurn, StreamsOfEverySizeAreWholeOneAfterAnother) {
  all_streams_are_whole<Turn>();
}

// What no completion was asked for in one case is none of the next one's operations. Taking a
// message costs nothing here: the rails run freely, and the order in which their messages are taken
// must not show.
TEST(LazyStripe, AQueueOfOneHasOneMessageOnItsWayWhateverCameBefore) {
  Case alone = make_case("stream", 4096, 8);
  alone.queue_depth = 1;
  Case before = make_case("stream", 8, 21);
  before.queue_depth = 64;
  constexpr Costs free_to_take{.send_overhead = 700, .latency = 500, .per_byte = 2};
  const std::vector<Costs> rails{free_to_take, free_to_take};
  const std::vector<Result> fresh = run_on_rails<Stripe, LazyLink, Patterns>({alone}, rails);
  const std::vector<Result> later =
      run_on_rails<Stripe, LazyLink, Patterns>({before, alone}, rails);
  ASSERT_EQ(later.size(), 2U);
  EXPECT_DOUBLE_EQ(per_operation(later.back()), per_operation(fresh.back()));
}

TEST(LazyTurn, AStreamOfLongMessagesHasTheRateOfBothRails) {
  const std::vector<Result> results = run_on_rails<Turn, LazyLink, Patterns>(
      {make_case("stream", 8, 50), make_case("stream", 4096, 800)}, two_rails);
  EXPECT_NEAR(per_operation(results.back()), 4096, 4096 * 0.01);
}

TEST(LazyTurn, ALinkThatIsGivenTooMuchSaysThatNothingElseBroke) {
  Fabric fabric(2);
  FabricMeeting meeting(fabric);
  FabricBootstrap boot(meeting, fabric, 0);
  LazyLink link(fabric, boot);
  link.reserve(1, std::array{1});
  const Buffer buffer = link.adopt(map_memory(8));
  while (link.fault() == nullptr) link.post_send({1}, buffer);
  Batch batch;
  say_broken(batch, *link.fault());
  EXPECT_EQ(batch.outcome.reason.find("peer"), std::string::npos) << batch.outcome.reason;
  EXPECT_NE(batch.outcome.reason.find("weft posted more"), std::string::npos);
  link.disown(buffer);
  unmap_memory(buffer);
}

}  // namespace
}  // namespace weft::fake

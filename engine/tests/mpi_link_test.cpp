// The link over MPI, on an MPI whose answers are scripted.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "patterns/get_latency.hpp"
#include "patterns/get_overlap.hpp"
#include "patterns/get_stream.hpp"
#include "patterns/put_latency.hpp"
#include "patterns/put_overlap.hpp"
#include "patterns/put_stream.hpp"
#include "tests/support/scripted_mpi.hpp"
#include "transports/mpi/nonblocking.hpp"

namespace weft {
namespace {

/// Time goes by where it is looked at and in work, which stands among the calls.
struct Logged {
  static constexpr std::string_view name = "logged";
  static Ticks now() noexcept { return ++script().ticks; }
  static Ticks pause(Ticks least) noexcept { return script().ticks += least; }
  static void compute(std::uint64_t rounds) noexcept {
    script().ticks += rounds;
    if (rounds > 0) script().calls.emplace_back("work");
  }
};

/// Rank 0 of one sample of a one-sided benchmark; what it called.
template <class Pattern, class Wait = SpinOnCompletions>
Script calls_of(std::uint32_t ops, std::uint32_t depth) {
  script() = {};
  Alone boot;
  Mpi link(LinkOptions{}, boot);
  link.reserve(2 * depth + 8, the_other);
  std::byte memory{};
  const std::vector<Buffer> buffers{{&memory, 1, 0}};
  const std::vector<RemoteBuffer> remote{{0, 1, 0}};
  std::array<Ticks, 3> series{};
  Task task;
  task.size = 2;
  task.ops_per_sample = ops;
  task.queue_depth = depth;
  task.point = 100;
  task.out = task.in = Rotation<Buffer>(buffers);
  task.remote = Rotation<RemoteBuffer>(remote);
  task.samples = {series.data(), 1};
  task.parts[0] = {&series[1], 1};
  task.parts[1] = {&series[2], 1};
  EXPECT_TRUE((Pattern::template run<Logged, Wait>(link, task)));
  EXPECT_EQ(link.transfers_in_flight(), 0U);
  EXPECT_EQ(link.fault(), nullptr);
  return script();
}

/// What follows the transfer that work was done beside.
std::vector<std::string> around_the_work(const std::vector<std::string>& calls,
                                         const std::string& transfer) {
  for (std::size_t at = 1; at + 2 < calls.size(); ++at) {
    if (calls[at] == "work" && calls[at - 1] == transfer) {
      return {calls.begin() + static_cast<std::ptrdiff_t>(at) - 1,
              calls.begin() + static_cast<std::ptrdiff_t>(at) + 3};
    }
  }
  return {};
}

TEST(OverlapOverMpi, NothingIsWaitedForBeforeTheWork) {
  EXPECT_EQ(around_the_work(calls_of<PutOverlap>(1, 8).calls, "put"),
            (std::vector<std::string>{"put", "work", "ended", "flush"}));
  const std::vector<std::string> get = around_the_work(calls_of<GetOverlap>(1, 8).calls, "get");
  ASSERT_EQ(get.size(), 4U);
  EXPECT_EQ(get[2], "ended");
}

TEST(StreamsOverMpi, HalfTheQueueStaysInFlightAndTheFlushIsTheLastCall) {
  const Script puts = calls_of<PutStream>(40, 8);
  const Script gets = calls_of<GetStream>(40, 8);
  for (const Script* one : {&puts, &gets}) {
    ASSERT_EQ(one->in_flight.size(), 40U);
    for (std::size_t at = 0; at < 40; ++at) {
      EXPECT_EQ(one->in_flight[at], at < 8 ? at + 1 : 5 + at % 4) << at;
    }
  }
  EXPECT_EQ(std::count(puts.calls.begin(), puts.calls.end(), "flush"), 1);
  EXPECT_EQ(puts.calls.back(), "flush");
  EXPECT_EQ(std::count(gets.calls.begin(), gets.calls.end(), "flush"), 0);
}

TEST(LatencyOverMpi, TheUsualWaitTakesTheCallsThatWaitThemselves) {
  const auto head = [](const Script& script) {
    return std::vector<std::string>(script.calls.begin(), script.calls.begin() + 4);
  };
  EXPECT_EQ(head(calls_of<PutLatency, WaitInLibrary>(2, 8)),
            (std::vector<std::string>{"plain put", "flush", "plain put", "flush"}));
  EXPECT_EQ(head(calls_of<GetLatency, WaitInLibrary>(2, 8)),
            (std::vector<std::string>{"plain get", "flush", "plain get", "flush"}));
  EXPECT_EQ(head(calls_of<PutLatency>(2, 8)),
            (std::vector<std::string>{"put", "ended", "flush", "put"}));
}

/// Sends in flight over a link, of which so many may stay; what was waited for.
std::vector<std::string> waits_for(Mpi& link, std::uint32_t sends, std::uint32_t most) {
  std::byte memory{};
  for (std::uint32_t at = 0; at < sends; ++at) link.post_send(Peer{1}, {&memory, 1, 0});
  script().calls.clear();
  link.await(most, 0);
  return script().calls;
}

TEST(WindowsOverMpi, AreWaitedForByOneCallAndOneMessageByItsOwn) {
  script() = {};
  Alone boot;
  Mpi link(LinkOptions{}, boot);
  link.reserve(8, the_other);
  using Calls = std::vector<std::string>;
  EXPECT_EQ(waits_for(link, 8, 4), Calls{"all of 4"});
  EXPECT_EQ(link.sends_in_flight(), 4U);
  // Four are left, the room's last four; four more lie at its begin again.
  EXPECT_EQ(waits_for(link, 4, 0), (Calls{"all of 4", "all of 4"}));
  EXPECT_EQ(waits_for(link, 1, 0), Calls{"one"});
  EXPECT_EQ(link.sends_in_flight(), 0U);
  EXPECT_EQ(link.fault(), nullptr);
}

TEST(WindowsOverMpi, TheFaultIsThatOfTheMessageThatFailed) {
  script() = {};
  Alone boot;
  Mpi link(LinkOptions{}, boot);
  link.reserve(8, the_other);
  script().fails = true;
  waits_for(link, 8, 0);
  ASSERT_NE(link.fault(), nullptr);
  EXPECT_EQ(link.fault()->code, MPI_ERR_TRUNCATE);
  EXPECT_STREQ(link.fault()->during, "MPI_Waitall");
}

TEST(WindowsOverMpi, BeyondTheQueuesDepthAreAFaultAndNothingIsPosted) {
  script() = {};
  Alone boot;
  Mpi link(LinkOptions{}, boot);
  link.reserve(4, the_other);
  std::array<std::byte, 3> memory{};
  std::size_t at = 0;
  Buffer given;
  const auto next = [&]() -> const Buffer& {
    given = {&memory.at(at++), 1, 0};
    return given;
  };
  link.post_sends(Peer{1}, 3, next);
  link.post_recvs(Peer{1}, 0, next);
  EXPECT_EQ(at, 3U);
  EXPECT_EQ(link.sends_in_flight(), 3U);
  EXPECT_EQ(link.receives_in_flight(), 0U);
  EXPECT_EQ(link.fault(), nullptr);
  link.post_sends(Peer{1}, 2, next);
  EXPECT_EQ(at, 3U);
  ASSERT_NE(link.fault(), nullptr);
  EXPECT_STREQ(link.fault()->during, "posting beyond the queue's depth");
}

// As an MPI that calls no handler for what it waits for.
// NOLINTNEXTLINE(cert-dcl50-cpp,modernize-avoid-variadic-functions) - the type is MPI's
void hear_nothing(MPI_Comm* /*comm*/, int* /*code*/, ...) {}

TEST(WindowsOverMpi, TheFaultIsThatOneOfSeveralFailedWhereTheLibraryTellsNoMore) {
  script() = {};
  Alone boot;
  Mpi link(LinkOptions{}, boot);
  link.reserve(8, the_other);
  script().fails = true;
  script().handler = hear_nothing;
  waits_for(link, 8, 0);
  ASSERT_NE(link.fault(), nullptr);
  EXPECT_EQ(link.fault()->code, MPI_ERR_IN_STATUS);
}

TEST(TransfersOverMpi, BeyondTheQueuesDepthAreAFault) {
  script() = {};
  Alone boot;
  Mpi link(LinkOptions{}, boot);
  link.reserve(2, the_other);
  std::byte memory{};
  for (int at = 0; at < 3; ++at) link.put(Peer{1}, {&memory, 1, 0}, {0, 1, 0});
  ASSERT_NE(link.fault(), nullptr);
  EXPECT_STREQ(link.fault()->during, "posting beyond the queue's depth");
}

}  // namespace
}  // namespace weft

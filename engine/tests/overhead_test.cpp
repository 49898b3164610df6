// What a message costs the processor, and what of it work hides, on a fabric that is scripted.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "run/case_memory.hpp"
#include "tests/support/fake_fabric.hpp"
#include "tests/support/link_around.hpp"

namespace weft::fake {
namespace {

constexpr Ticks sending = 70;
constexpr Ticks receiving = 110;
constexpr Ticks latency = 5000;
constexpr Ticks reading = 3;
constexpr std::size_t message_bytes = 1000;
constexpr Ticks wire = 2 * message_bytes;
constexpr Ticks control_wire = 2 * control_bytes;
constexpr Costs costs{.send_overhead = sending,
                      .receive_overhead = receiving,
                      .latency = latency,
                      .per_byte = 2,
                      .clock_read = reading};

/// What a benchmark measured in one sample, an operation.
struct Measured {
  double sample;
  std::map<std::string, double> parts;
};

template <class Patterns = AllPatterns>
Measured measured(const std::string& test, std::uint64_t point, const Costs& script = costs,
                  std::uint32_t ops = 4) {
  Case made;
  made.test = test;
  made.bytes = message_bytes;
  made.samples = 5;
  made.warmup = 1;
  made.ops_per_sample = ops;
  made.queue_depth = 8;
  made.point = point;
  const Result result = run<Patterns>(made, script);
  EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_GT(result.batch.outcome.verified_bytes, message_bytes * 4);
  const auto each = static_cast<double>(result.batch.ops_per_sample);
  Measured all{static_cast<double>(result.batch.ticks.at(3)) / each, {}};
  for (const Series& part : result.batch.parts) {
    all.parts[part.name] = static_cast<double>(part.ticks.at(3)) / each;
  }
  return all;
}

const std::vector<Ticks>& part_of(const Batch& batch, std::string_view name) {
  return std::find_if(batch.parts.begin(), batch.parts.end(),
                      [&](const Series& part) { return part.name == name; })
      ->ticks;
}

TEST(HostOverhead, EveryCallIsToldApartAndWaitingIsNone) {
  Costs real = costs;
  real.idle_polls = true;
  const Measured reported = measured("host_overhead", 0, real);
  EXPECT_DOUBLE_EQ(reported.parts.at("post_send"), sending + reading);
  EXPECT_DOUBLE_EQ(reported.parts.at("complete_send"), 0 + reading);
  EXPECT_DOUBLE_EQ(reported.parts.at("post_receive"), 0 + reading);
  EXPECT_DOUBLE_EQ(reported.parts.at("complete_receive"), receiving + reading);
  EXPECT_DOUBLE_EQ(reported.parts.at("rank1.post_send"), sending + reading);
  EXPECT_DOUBLE_EQ(reported.parts.at("rank1.complete_receive"), receiving + reading);
}

/// Asking after sends and asking after receives takes a time each.
Costs asking() {
  Costs real = costs;
  real.idle_polls = true;
  real.ask = 13;
  return real;
}

TEST(HostOverhead, ASendsCompletionHasNoPartOfTheReceives) {
  const Measured reported = measured("host_overhead", 0, asking());
  for (const char* rank : {"", "rank1."}) {
    EXPECT_DOUBLE_EQ(reported.parts.at(std::string(rank) + "complete_send"), 13 + reading) << rank;
    EXPECT_DOUBLE_EQ(reported.parts.at(std::string(rank) + "complete_receive"),
                     13 + receiving + reading)
        << rank;
  }
}

TEST(HostOverhead, SendsThatCompleteInGroupsCostEachOfThemItsShare) {
  Costs inlined = asking();
  inlined.sends_together = 16;
  // So many operations that the groups are whole, whichever sample is looked at.
  const Measured reported = measured("host_overhead", 0, inlined, 64);
  EXPECT_DOUBLE_EQ(reported.parts.at("complete_send"), 13.0 / 16 + reading);
  EXPECT_DOUBLE_EQ(reported.parts.at("complete_receive"), 13 + receiving + reading);
  EXPECT_DOUBLE_EQ(reported.parts.at("post_send"), sending + reading);
}

/// The same fabric behind one queue for all completions: it cannot be asked after sends alone.
class OneQueue final : public LinkAround {
 public:
  using LinkAround::LinkAround;
};

TEST(HostOverhead, WithOneQueueForBothEveryFigureHoldsOneReadAllTheSame) {
  static_assert(AsksApart<Link> && !AsksApart<OneQueue>);
  Costs inlined = costs;
  inlined.idle_polls = true;
  inlined.sends_together = 16;
  Case made;
  made.test = "host_overhead";
  made.bytes = message_bytes;
  made.samples = 5;
  made.ops_per_sample = 64;
  const Result result = run<std::tuple<HostOverhead>, OneQueue>(made, inlined);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_EQ(part_of(result.batch, "complete_send").at(3), 64 * reading);
  EXPECT_EQ(part_of(result.batch, "complete_receive").at(3), 64 * (receiving + reading));
}

TEST(HostOverhead, WithOneQueueASendThatEndsLaterHasTheCallThatFoundIt) {
  Costs later = asking();
  later.sends_end_later = 40;
  Case made;
  made.test = "host_overhead";
  made.bytes = message_bytes;
  made.samples = 5;
  made.ops_per_sample = 8;
  const Result result = run<std::tuple<HostOverhead>, OneQueue>(made, later);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_EQ(part_of(result.batch, "complete_send").at(3), 8 * (2 * 13 + reading));
  EXPECT_EQ(part_of(result.batch, "complete_receive").at(3), 8 * (13 + receiving + reading));
}

TEST(SendOverlap, TheCallIsTheWorkAndTheSendersOverhead) {
  const Measured reported = measured("send_overlap", 200);
  const double alone =
      sending + wire + latency + receiving + sending + control_wire + latency + receiving + reading;
  EXPECT_DOUBLE_EQ(reported.parts.at("alone"), alone);
  EXPECT_NEAR(reported.parts.at("work"), 2 * alone, 2 * alone * 0.01);
  EXPECT_DOUBLE_EQ(reported.parts.at("call") - reported.parts.at("work"), sending);
  EXPECT_DOUBLE_EQ(reported.sample - reported.parts.at("work"), sending + receiving);
}

TEST(ReceiveOverlap, TheCallIsTheWorkAndTheReceiversOverhead) {
  const Measured reported = measured("receive_overlap", 200);
  EXPECT_DOUBLE_EQ(reported.parts.at("call") - reported.parts.at("work") - reading, receiving);
  EXPECT_DOUBLE_EQ(reported.sample - reported.parts.at("work"), sending + receiving);
}

double hidden(const Measured& reported) {
  return (reported.parts.at("alone") + reported.parts.at("work") - reported.sample) /
         reported.parts.at("alone");
}

TEST(Overlap, ATransferThatNeedsNobodyIsHiddenButForItsCalls) {
  for (const char* test : {"send_overlap", "receive_overlap"}) {
    const Measured reported = measured(test, 200);
    EXPECT_NEAR(hidden(reported), 1 - (sending + receiving) / reported.parts.at("alone"), 0.001)
        << test;
  }
  for (const char* test : {"put_overlap", "get_overlap"}) {
    const Measured reported = measured(test, 200);
    EXPECT_NEAR(hidden(reported), 1 - sending / reported.parts.at("alone"), 0.001) << test;
  }
}

TEST(Overlap, ATransferThatNeedsItsHostIsNotHidden) {
  Costs helpless = costs;
  helpless.needs_the_host = true;
  for (const char* test : {"put_overlap", "get_overlap"}) {
    EXPECT_NEAR(hidden(measured(test, 100, helpless)), 0, 0.001) << test;
  }
}

TEST(BusyStream, BandwidthHoldsUntilTheWorkIsAsLongAsTheStream) {
  constexpr std::uint32_t messages = 800;
  const Measured idle = measured("busy_stream", 0, costs, messages);
  EXPECT_NEAR(idle.sample, wire, wire * 0.02);
  EXPECT_NEAR(idle.parts.at("work"), 0, 0.01);
  const Measured half = measured("busy_stream", 50, costs, messages);
  EXPECT_NEAR(half.sample, half.parts.at("alone"), wire * 0.01);
  EXPECT_NEAR(half.parts.at("work") / half.sample, 0.5, 0.01);
  const Measured full = measured("busy_stream", 150, costs, messages);
  EXPECT_NEAR(full.sample, full.parts.at("work") + sending, wire * 0.02);
  EXPECT_NEAR(full.parts.at("work") / full.parts.at("alone"), 1.5, 0.01);
}

TEST(BusyStream, AComputeLoopThatSlowsDownShowsInItsPart) {
  Case made;
  made.test = "busy_stream";
  made.bytes = message_bytes;
  made.samples = 20;
  made.ops_per_sample = 80;
  made.queue_depth = 8;
  made.point = 50;
  Costs slow = costs;
  slow.slow_from = 4'000'000;
  const Result result = run(made, slow);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  const auto& work = part_of(result.batch, "work");
  EXPECT_NEAR(static_cast<double>(work.back()) / static_cast<double>(work.front()), 2, 0.01);
}

TEST(Overlap, AWrongByteOrALostMessageNeverGivesAFigure) {
  for (const char* test : {"send_overlap", "put_overlap", "get_overlap", "busy_stream"}) {
    Case made;
    made.test = test;
    made.bytes = 64;
    made.samples = 5;
    made.ops_per_sample = 8;
    made.queue_depth = 8;
    made.point = 100;
    for (std::size_t message = 2; message < 12; ++message) {
      const Mischief flip{.message = message, .flip_offset = 33};
      EXPECT_EQ(run(made, costs, flip).batch.outcome.status, Status::failed) << test << message;
    }
    const Result lost = run(made, costs, {.message = 40, .drop = true});
    EXPECT_FALSE(lost.whole && lost.batch.outcome.status == Status::ok) << test;
  }
}

/// Benchmarks broken on purpose: one works before it sends, the other's work alone is cut short.
template <std::uint64_t divisor, bool posts_first>
struct Broken {
  static constexpr PatternInfo info = SendOverlap::info;
  static constexpr std::array parts = PutOverlap::parts;
  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    const Peer peer{1 - task.rank};
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      for (const std::uint64_t rounds : {std::uint64_t{0}, std::uint64_t{20000}}) {
        link.post_recv(peer, task.in.next());
        if (task.rank == 1 && !Wait::settle(link, 0, 0)) return false;
        const Ticks start = Now::now();
        if (!posts_first) Now::compute(rounds);
        link.post_send(peer, task.out.next());
        if (posts_first && task.rank == 0) Now::compute(rounds);
        if (!drain<Wait>(link)) return false;
        (rounds == 0 ? task.parts[0] : task.samples)[at] = Now::now() - start;
      }
      task.parts[1][at] = work_alone<Now>(std::uint64_t{20000} / divisor);
    }
    return true;
  }
};

TEST(Planted, WorkBeforeThePostHidesNothing) {
  EXPECT_LT(hidden(measured<std::tuple<Broken<1, false>>>("send_overlap", 100, costs, 1)), 0.01);
  EXPECT_GT(hidden(measured<std::tuple<Broken<1, true>>>("send_overlap", 100, costs, 1)), 0.9);
}

TEST(Planted, ALoopThatIsLeftOutAloneShowsAsATransferInTheWay) {
  const Measured reported = measured<std::tuple<Broken<1000, true>>>("send_overlap", 100, costs, 1);
  EXPECT_LT(hidden(reported), 0);
}

/// A benchmark broken on purpose: the time of polls that find nothing is among the calls.
struct CountsWaiting {
  static constexpr PatternInfo info = HostOverhead::info;
  static constexpr std::array parts{std::string_view{"complete_receive"}};
  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank == 1) {
      return answer_each<Wait>(link, task, task.samples.size() * task.ops_per_sample);
    }
    for (std::size_t op = 0; op < task.samples.size() * task.ops_per_sample; ++op) {
      link.post_recv(Peer{1}, task.in.next());
      link.post_send(Peer{1}, task.out.next());
      const Ticks start = Now::now();
      if (!drain<Wait>(link)) return false;
      task.parts[0][op / task.ops_per_sample] += Now::now() - start;
    }
    return true;
  }
};

TEST(Planted, WaitingDoesNotReadAsACall) {
  Costs real = costs;
  real.idle_polls = true;
  const Measured reported = measured<std::tuple<CountsWaiting>>("host_overhead", 0, real);
  EXPECT_GT(reported.parts.at("complete_receive"), 2 * latency);
}

}  // namespace
}  // namespace weft::fake

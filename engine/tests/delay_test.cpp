// The delay method on a fabric whose o_s, o_r and gap are known.
#include <gtest/gtest.h>

#include "tests/support/fake_fabric.hpp"

namespace weft::fake {
namespace {

constexpr Ticks sending = 70;
constexpr Ticks receiving = 110;
constexpr Ticks latency = 5000;
constexpr Ticks gap = 300;
constexpr Ticks per_byte = 2;
constexpr Ticks reading = 3;
constexpr std::size_t message_bytes = 1000;
constexpr Ticks wire = gap + per_byte * message_bytes;
/// Posting a receive takes a time too: it must be in none of the figures.
constexpr Costs costs{.send_overhead = sending,
                      .receive_overhead = receiving,
                      .latency = latency,
                      .per_byte = per_byte,
                      .gap = gap,
                      .clock_read = reading,
                      .post_receive = 40};
constexpr Ticks round_trip = 2 * (sending + wire + latency + receiving);
constexpr std::uint32_t messages = Burst::info.messages_per_burst;

/// What an operation took, and the single message beside it, without the reads of the clock that
/// the test says it holds.
struct Measured {
  double whole = 0;
  double single = 0;
};

template <class Pattern, class Patterns = AllPatterns>
Measured measured(std::uint32_t ops = 4) {
  Case made;
  made.test = std::string(Pattern::info.name);
  made.bytes = message_bytes;
  made.samples = 5;
  made.warmup = 1;
  made.ops_per_sample = ops;
  const Result result = run<Patterns>(made, costs);
  EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  const auto without_reads = [&](const std::vector<Ticks>& ticks, std::uint32_t reads) {
    return static_cast<double>(ticks.at(3)) / ops - static_cast<double>(reads * reading);
  };
  Measured found;
  found.whole = without_reads(result.batch.ticks, Pattern::info.clock_reads);
  for (const Series& part : result.batch.parts) {
    EXPECT_EQ(part.name, "single");
    found.single = without_reads(part.ticks, Pattern::info.part_clock_reads.front());
  }
  return found;
}

TEST(DelayMethod, BothBurstsHaveTheSameSingleMessageBesideThem) {
  EXPECT_DOUBLE_EQ(measured<Burst>().single, round_trip);
  EXPECT_DOUBLE_EQ(measured<PausedBurst>().single, round_trip);
}

TEST(DelayMethod, AScriptedGapComesOut) {
  const Measured burst = measured<Burst>();
  EXPECT_DOUBLE_EQ((burst.whole - burst.single) / (messages - 1), wire);
}

TEST(DelayMethod, ScriptedOverheadsAndLatencyComeOut) {
  const Measured paused = measured<PausedBurst>();
  const double send_overhead = (paused.whole - paused.single) / (messages - 1);
  EXPECT_DOUBLE_EQ(send_overhead, sending);
  const double receive_overhead = measured<LateReceive>().whole;
  EXPECT_DOUBLE_EQ(receive_overhead, receiving);
  const double further = static_cast<double>(per_byte) * (message_bytes - 1);
  // The fabric's message is on its way for its gap and all of its bytes, LogGP's for the others.
  EXPECT_DOUBLE_EQ(paused.single / 2 - send_overhead - receive_overhead - further,
                   latency + gap + per_byte);
}

/// A benchmark broken on purpose: the single message's receive is posted while the clock runs.
struct PostsInTime {
  static constexpr PatternInfo info = Burst::info;
  static constexpr auto parts = Burst::parts;
  static constexpr std::uint32_t messages_per_operation = Burst::messages_per_operation;
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t queue_depth,
                                                  std::uint64_t point) noexcept {
    return Burst::receives_at_once<Wait, T>(queue_depth, point);
  }
  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    const std::size_t operations = task.samples.size() * task.ops_per_sample;
    if (task.rank == 1) return answer_bursts<Wait>(link, task, operations);
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        const Ticks start = Now::now();
        link.post_recv(Peer{1}, task.in.next());
        link.post_send(Peer{1}, task.out.next());
        if (!drain<Wait>(link)) return false;
        task.parts[0][at] += Now::now() - start;
        const auto at_once = [] { return true; };
        if (!weft::round_trip<Now, Wait>(link, task, burst_messages, task.samples[at], at_once)) {
          return false;
        }
      }
    }
    return true;
  }
};

TEST(Planted, APostInTheTimedPartOfOneOfTheTwoDoesNotReadAsTheGap) {
  const Measured burst = measured<Burst, std::tuple<PostsInTime>>();
  EXPECT_LT((burst.whole - burst.single) / (messages - 1), wire - 1.0);
}

/// A benchmark broken on purpose: its pause is too short, so the wire's time is in its figure.
struct PausesTooShort {
  static constexpr PatternInfo info = LateReceive::info;
  template <Clock Now, class Wait, TwoSided T>
  static bool run(T& link, Task& task) noexcept {
    const Peer peer{1 - task.rank};
    for (Ticks& sample : task.samples) {
      link.post_recv(peer, task.in.next());
      if (task.rank == 1 && !Wait::settle(link, 0, 0)) return false;
      link.post_send(peer, task.out.next());
      (void)Now::pause(1);
      const Ticks start = Now::now();
      if (!drain<Wait>(link)) return false;
      sample = Now::now() - start;
    }
    return true;
  }
};

TEST(Planted, APauseThatIsTooShortDoesNotReadAsTheReceiveOverhead) {
  Case made;
  made.test = "late_receive";
  made.bytes = 100;
  made.samples = 5;
  const Result result = run<std::tuple<PausesTooShort>>(made, costs);
  EXPECT_GT(result.batch.ticks.at(3), receiving + reading);
}

}  // namespace
}  // namespace weft::fake

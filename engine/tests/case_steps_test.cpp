// The steps of a case on one rank, by a link and a loop that write them down: what comes when,
// where it ends early, and what is said of it.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/clock.hpp"
#include "run/case_run.hpp"
#include "run/run_case.hpp"
#include "tests/support/alone.hpp"
#include "tests/support/noted_link.hpp"

namespace weft::fake {
namespace {

constexpr Fault broken{7, "poll", "a cause"};
using Said = std::vector<std::string>;

/// The loop of a test, which its link has.
bool run_script(void* link, Task& task) noexcept {
  auto& own = *static_cast<NotedLink*>(link);
  own.said.emplace_back(task.checks ? "checked pass" : "timed pass");
  return !own.loop || own.loop(task);
}
std::uint32_t two_receives(std::uint32_t /*queue_depth*/, std::uint64_t /*point*/) {
  return 2;
}
Role with_rank_4(const Case& /*spec*/, int rank, int /*size*/) {
  Role role = ring_role(rank, 5);
  role.neighbours = {4};
  return role;
}

constexpr std::array<std::string_view, 2> two_parts{"post", "wait"};

PatternOn pattern() {
  PatternOn one;
  one.info.name = "steps";
  one.info.ranks = 1;
  one.parts = two_parts;
  one.footprint.streams = true;
  one.role = with_rank_4;
  one.loops = {{"spin", two_receives, run_script}};
  return one;
}

Case usual() {
  Case spec;
  spec.id = 21;
  spec.test = "steps";
  spec.bytes = 100;
  spec.samples = 4;
  spec.warmup = 3;
  spec.ops_per_sample = 6;
  spec.queue_depth = 4;
  return spec;
}

/// A rank of the case whose calls to others come back at once.
struct OneRun {
  explicit OneRun(Case asked = usual(), PatternOn of = pattern(), int rank = 0)
      : spec(std::move(asked)), one(std::move(of)) {
    plan = plan_case(spec, one, one.loops.front(), rank, 5);
    run.emplace(link, boot, memory, plan);
  }
  bool whole() { return run->run(batch, report); }

  Case spec;
  PatternOn one;
  NotedLink link;
  Alone boot;
  MessageMemory memory;
  CasePlan plan;
  std::optional<CaseRun> run;
  Batch batch;
  Report report;
};

TEST(CaseSteps, AreAPassThatIsCheckedATimedOneAndAClosingMessage) {
  // What nobody sent is not what was to come; that is another test's.
  Case spec = usual();
  spec.verify = false;
  OneRun timed(spec);
  EXPECT_TRUE(timed.whole());
  EXPECT_EQ(timed.link.said, (Said{"reserve 32 4", "swap 4", "timed pass", "swap 4"}));
  OneRun both;
  EXPECT_TRUE(both.whole());
  EXPECT_EQ(both.link.said,
            (Said{"reserve 32 4", "swap 4", "checked pass", "swap 4", "timed pass", "swap 4"}));
}

TEST(CaseSteps, EndWhereALoopOrTheLinkDoes) {
  for (const bool when_checked : {true, false}) {
    OneRun one;
    one.link.loop = [&](Task& task) { return task.checks != when_checked; };
    EXPECT_FALSE(one.whole());
    const Said all{"reserve 32 4", "swap 4", "checked pass", "swap 4", "timed pass"};
    EXPECT_EQ(one.link.said, when_checked ? Said(all.begin(), all.begin() + 3) : all);
  }
  // A loop that has no message does not see that its link broke.
  OneRun before;
  before.link.broken = &broken;
  EXPECT_FALSE(before.whole());
  EXPECT_EQ(before.link.said, (Said{"reserve 32 4"}));
  OneRun between;
  between.link.loop = [&](Task& /*task*/) {
    between.link.broken = &broken;
    return true;
  };
  EXPECT_FALSE(between.whole());
  EXPECT_EQ(between.link.said, (Said{"reserve 32 4", "swap 4", "checked pass"}));
  OneRun closing;
  closing.link.loop = [&](Task& task) {
    if (!task.checks) closing.link.broken = &broken;
    return true;
  };
  EXPECT_FALSE(closing.whole());
  EXPECT_EQ(closing.link.said.back(), "swap 4");
}

TEST(CaseSteps, GiveTheLoopItsRoomAndTheReportWhatItFilled) {
  OneRun one;
  one.link.loop = [&](Task& task) {
    const std::size_t values = task.checks ? 1 : 7;
    EXPECT_EQ(task.samples.size(), values);
    EXPECT_EQ(task.parts[0].size(), values);
    EXPECT_EQ(task.parts[1].size(), values);
    EXPECT_EQ(task.held.size(), task.checks ? 0U : 3U);
    for (std::size_t at = 0; at < values; ++at) {
      task.samples[at] = 10 + at;
      task.parts[0][at] = 20 + at;
      task.parts[1][at] = 30 + at;
    }
    std::uint32_t held = 4;
    for (std::uint32_t& probe : task.held) probe = held--;
    task.verified_bytes = task.checks ? 1'000 : 2'000;
    return true;
  };
  one.one.every_rank_times = true;
  EXPECT_TRUE(one.whole());
  EXPECT_EQ(one.batch.ticks, (std::vector<Ticks>{10, 11, 12, 13, 14, 15, 16}));
  ASSERT_EQ(one.report.parts.size(), 3U);
  EXPECT_EQ(one.report.parts[0].name, "post");
  EXPECT_EQ(one.report.parts[0].ticks, (std::vector<Ticks>{20, 21, 22, 23, 24, 25, 26}));
  EXPECT_EQ(one.report.parts[1].name, "wait");
  EXPECT_EQ(one.report.parts[1].ticks, (std::vector<Ticks>{30, 31, 32, 33, 34, 35, 36}));
  EXPECT_EQ(one.report.parts[2].name, "");
  EXPECT_TRUE(one.report.parts[2].ticks.empty());
  EXPECT_EQ(one.report.queue_held, 3U);
  EXPECT_EQ(one.report.most_values, 7U);
  EXPECT_EQ(one.batch.warmup, 3U);
  EXPECT_EQ(one.batch.ops_per_sample, 6U);
  // Beside what a loop says that it looked at there are the closing message's bytes.
  EXPECT_EQ(one.report.outcome.verified_bytes % 1'000, 32U);
  EXPECT_GE(one.report.outcome.verified_bytes, 3'000U);
}

TEST(CaseSteps, OfARankBesideTheFirstItsSamplesAreASeries) {
  PatternOn times = pattern();
  times.every_rank_times = true;
  OneRun one(usual(), times, 3);
  one.link.loop = [](Task& task) {
    for (Ticks& sample : task.samples) sample = 5;
    return true;
  };
  EXPECT_TRUE(one.whole());
  EXPECT_EQ(one.report.parts.back().ticks, std::vector<Ticks>(7, 5));
  EXPECT_EQ(one.batch.pages.bytes, 0U) << "rank 0's count";
  OneRun first(usual(), times, 0);
  EXPECT_TRUE(first.whole());
  EXPECT_EQ(first.batch.pages.bytes, first.memory.in.bytes());
  EXPECT_GT(first.batch.pages.bytes, 0U);
}

TEST(CaseSteps, SayOfWhatTheSamplesAreAndWhetherAllAreKept) {
  for (const bool is_so : {false, true}) {
    Case spec = usual();
    spec.keeps_all = is_so;
    PatternOn of_all = pattern();
    of_all.info.splits_operations = !is_so;
    OneRun one(spec, of_all);
    EXPECT_TRUE(one.whole());
    EXPECT_EQ(one.report.keeps_all, is_so);
    EXPECT_EQ(one.report.is_of_all, !is_so);
    EXPECT_FALSE(one.report.queue_held.has_value()) << "no probe said anything";
    // Nobody probes what is no stream.
    of_all.footprint.streams = false;
    OneRun other(spec, of_all);
    other.link.loop = [](Task& task) { return task.held.empty(); };
    EXPECT_TRUE(other.whole());
  }
}

/// Computes until so much of the processor's time is gone.
void compute_for(std::int64_t nanoseconds) {
  const Spent start = spent_so_far();
  while ((spent_so_far() - start).cpu_ns < nanoseconds) {
  }
}

TEST(CaseSteps, TakeTheTimeOfTheTimedPassAlone) {
  OneRun one;
  Spent of_timed;
  one.link.loop = [&](Task& task) {
    const Spent start = spent_so_far();
    compute_for(task.checks ? 3'000'000 : 500'000);
    of_timed = spent_so_far() - start;
    return true;
  };
  const Spent start = spent_so_far();
  EXPECT_TRUE(one.whole());
  const Spent all = spent_so_far() - start;
  EXPECT_GE(one.batch.timed_ns, of_timed.wall_ns);
  EXPECT_GE(one.report.cpu_ns, of_timed.cpu_ns);
  EXPECT_LE(one.batch.timed_ns, all.wall_ns - 2'900'000);
  EXPECT_LE(one.report.cpu_ns, all.cpu_ns - 2'900'000);
}

/// A launch of one rank, whose meetings are written down with what its link is asked.
class OneOfOne final : public Alone {
 public:
  explicit OneOfOne(NotedLink& link) : link_(&link) {}
  [[nodiscard]] int size() const override { return 1; }
  std::string first_of(const std::string& mine) override {
    link_->said.emplace_back("agree");
    return mine;
  }
  void barrier() override { link_->said.emplace_back("barrier"); }

 private:
  NotedLink* link_;
};

Role alone(const Case& /*spec*/, int /*rank*/, int /*size*/) {
  Role role;
  role.is_alone = true;
  return role;
}

/// What is asked for, and in which order the answer comes.
class Written final : public Answer {
 public:
  void begin(const Batch& batch) override { calls += "begin " + std::to_string(batch.id); }
  void begin_part(const std::string& name) override { calls += " " + name; }
  void values(std::span<const Ticks> ticks) override { calls += std::to_string(ticks.size()); }
  void over_ranks(const OverRanks& /*found*/) override {}
  void end(const Batch& batch) override {
    calls += " end";
    elapsed_ns = batch.elapsed_ns;
  }

  std::string calls;
  std::int64_t elapsed_ns = -1;
};

/// One case of a launch of one rank.
struct Launch {
  bool whole(const Case& spec, Figure figure = Figure::bandwidth) {
    PatternOn one = pattern();
    one.role = alone;
    one.info.figure = figure;
    const std::vector<PatternOn> patterns{one};
    return run_case_on(link, boot, memory, patterns, spec, 0.5, batch, answer);
  }

  NotedLink link;
  OneOfOne boot{link};
  MessageMemory memory;
  Batch batch;
  Written answer;
};

TEST(LaunchSteps, AnswerWithTheCasesNumberItsPartsAndTheTimeFromItsBeginToItsEnd) {
  Launch launch;
  launch.link.loop = [](Task& task) {
    compute_for(200'000);
    for (Ticks& value : task.parts[1]) value = 1;
    return true;
  };
  const std::int64_t start = monotonic_raw_ns();
  EXPECT_TRUE(launch.whole(usual()));
  const std::int64_t all_ns = monotonic_raw_ns() - start;
  EXPECT_EQ(launch.batch.outcome.status, Status::ok) << launch.batch.outcome.reason;
  EXPECT_EQ(launch.answer.calls, "begin 21 wait7 end");
  EXPECT_GE(launch.answer.elapsed_ns, 390'000);
  EXPECT_LE(launch.answer.elapsed_ns, 2 * all_ns) << "two clocks that may differ";
  EXPECT_FALSE(launch.batch.ended_launch);
}

TEST(LaunchSteps, EndWithALinkThatBroke) {
  Launch launch;
  launch.link.loop = [&](Task& /*task*/) {
    launch.link.broken = &broken;
    return false;
  };
  EXPECT_FALSE(launch.whole(usual()));
  EXPECT_EQ(launch.batch.outcome.reason, "the link failed in poll (code 7): a cause");
  EXPECT_TRUE(launch.batch.ended_launch);
  EXPECT_EQ(launch.answer.calls, "begin 21 end");
}

// Nobody asks again before all of a host have given back what earlier cases left.
TEST(LaunchSteps, MeetBeforeTheyAskAgainAndAreRefusedTheSecondTime) {
  Launch launch;
  launch.link.refusals = {"no room"};
  EXPECT_TRUE(launch.whole(usual()));
  EXPECT_EQ(launch.batch.outcome.status, Status::ok) << launch.batch.outcome.reason;
  const Said begin{"agree", "barrier", "agree", "reserve 32", "agree"};
  ASSERT_GE(launch.link.said.size(), begin.size());
  EXPECT_EQ(Said(launch.link.said.begin(), launch.link.said.begin() + 5), begin);
  Launch twice;
  twice.link.refusals = {"no room", "still none"};
  EXPECT_TRUE(twice.whole(usual()));
  EXPECT_EQ(twice.batch.outcome.status, Status::failed);
  EXPECT_EQ(twice.batch.outcome.reason, "still none");
  EXPECT_EQ(twice.link.said, (Said{"agree", "barrier", "agree"}));
}

// Their peers would wait for them without end; where the link refuses there is nobody to come to.
TEST(LaunchSteps, ComeToTheirPeersAllTheSameWhereTheirHostIsFull) {
  Case spec = usual();
  // Of a rank as much as pairs may take, and more ranks on this host than any has memory for.
  spec.samples = 250'000;
  spec.ops_per_sample = 1;
  spec.ranks_here = std::vector<int>(1'000'000, 0);
  const auto said = [&](std::vector<std::string> refusals) {
    Launch launch;
    launch.link.refusals = std::move(refusals);
    EXPECT_TRUE(launch.whole(spec, Figure::pairs));
    EXPECT_EQ(launch.batch.outcome.status, Status::failed);
    EXPECT_EQ(launch.batch.outcome.reason.find("needs "), 0U) << launch.batch.outcome.reason;
    return launch.link.said;
  };
  EXPECT_EQ(said({}), (Said{"reserve 32", "agree", "barrier", "reserve 32", "agree"}));
  EXPECT_EQ(said({"no", "no"}), (Said{"agree", "barrier", "agree"}));
}

}  // namespace
}  // namespace weft::fake

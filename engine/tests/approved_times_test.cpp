// What every benchmark takes on a fabric whose ranks are unlike in all their costs, beside what was
// looked at once: each sample and part of each rank, and when the last of them ended. Known answers
// have tests of their own; here nothing may move unseen. A change that is meant is written anew by
// `WEFT_APPROVE=1 engine-tests --gtest_filter='*ApprovedTimes*'`, which prints the table.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/approved_times.hpp"
#include "tests/support/engine_patterns.hpp"
#include "tests/support/fake_cases.hpp"

namespace weft::fake {
namespace {

constexpr Costs first_rank{.send_overhead = 7,
                           .receive_overhead = 11,
                           .latency = 501,
                           .per_byte = 2,
                           .gap = 5,
                           .clock_read = 3,
                           .post_receive = 4,
                           .ask = 1,
                           .wake_up = 83,
                           .register_buffer = 900,
                           .register_byte = 3,
                           .deregister_buffer = 400,
                           .compute_round = 2};

/// The ranks behind the first: no two are alike.
std::map<int, Costs> others(const Costs& like, int ranks) {
  std::map<int, Costs> all;
  for (int rank = 1; rank < ranks; ++rank) {
    const auto more = static_cast<Ticks>(rank);
    Costs own = like;
    own.send_overhead += 6 * more;
    own.receive_overhead += 9 * more;
    own.latency += 97 * more;
    own.per_byte += more;
    own.gap += 3 * more;
    own.clock_read += 2 * more;
    own.post_receive += more;
    own.ask += more;
    all[rank] = own;
  }
  return all;
}

Case small_case(const PatternInfo& info) {
  Case spec = make_case(std::string(info.name), 40, 5);
  spec.samples = 3;
  spec.warmup = 2;
  spec.queue_depth = 3;
  spec.most_checked = 6;
  if (info.name == "shift") spec.point = 2;
  if (info.axis.name == "pairs") spec.point = 2;
  if (info.axis.name == "round") spec.point = 1;
  if (info.axis.name == "round") spec.at_once = 1;
  if (info.every_operation) spec.ops_per_sample = 1;
  if (info.every_operation || info.axis.name == "work") spec.point = 70;
  if (info.lattice.dimensions > 0) {
    spec.lattice.sums = 2;
    spec.lattice.extents = {4, 4, 4, 6};
    spec.lattice.dimensions = 4;
  }
  if (info.name == "halo") spec.lattice.compute_ps_per_site = 1500;
  if (info.name == "milc") spec.bytes = 36;
  if (info.name == "milc") spec.samples = spec.warmup = spec.ops_per_sample = 1;
  return spec;
}

int ranks_of(const PatternOn& one) {
  if (one.info.name == "milc" || one.is_collective) return 3;
  return has_all_ranks(one.footprint) || one.info.axis.name == "peers" ? 5 : 2;
}

void say(std::ostream& out, const std::vector<Ticks>& ticks) {
  for (const Ticks one : ticks) out << ' ' << one;
  out << '\n';
}

std::string times_of(const PatternOn& one, const Costs& costs, const char* wait) {
  Case spec = small_case(one.info);
  spec.wait = wait;
  const int ranks = ranks_of(one);
  const Result result = run(spec, costs, {}, ranks, others(costs, ranks));
  std::ostringstream out;
  if (result.batch.outcome.status != Status::ok) return result.batch.outcome.reason + "\n";
  out << "samples";
  say(out, result.batch.ticks);
  for (const Series& part : result.batch.parts) {
    out << part.name;
    say(out, part.ticks);
  }
  out << "elapsed " << result.elapsed << " verified " << result.batch.outcome.verified_bytes
      << " met " << result.meetings;
  if (result.batch.queue_held) out << " held " << *result.batch.queue_held;
  for (const auto& [bytes, times] : result.unexpected) out << " late " << bytes << "x" << times;
  out << '\n';
  return out.str();
}

/// By polling on a fabric that takes messages at once, and asleep on one that says when it has
/// them.
std::string both_times_of(const PatternOn& one) {
  Costs acknowledged = first_rank;
  // Who asks after sends alone has to hear of them without the receiver's word.
  acknowledged.acknowledges = one.info.figure != Figure::overhead;
  acknowledged.empty_poll = 29;
  acknowledged.longest_sleep = 211;
  return times_of(one, first_rank, "") + times_of(one, acknowledged, "block");
}

class ApprovedTimes : public testing::TestWithParam<PatternOn> {};

TEST_P(ApprovedTimes, AreThoseOfTheTable) {
  const std::string name(GetParam().info.name);
  const std::string found = both_times_of(GetParam());
  if (std::getenv("WEFT_APPROVE") != nullptr) {  // NOLINT(concurrency-mt-unsafe): nobody sets it
    std::cout << "    {\"" << name << "\", R\"(" << found << ")\"},\n";
  }
  const auto* const wanted =
      std::find_if(approved_times.begin(), approved_times.end(),
                   [&](const ApprovedTimesOf& one) { return one.name == name; });
  ASSERT_NE(wanted, approved_times.end()) << name;
  EXPECT_EQ(found, wanted->text);
}

INSTANTIATE_TEST_SUITE_P(All, ApprovedTimes, testing::ValuesIn(engine_patterns()),
                         [](const auto& one) { return std::string(one.param.info.name); });

}  // namespace
}  // namespace weft::fake

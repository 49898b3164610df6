// What every benchmark takes on a fabric whose ranks are unlike in all their costs, beside what was
// looked at once: each sample and part of each rank, and when the last of them ended. Known answers
// have tests of their own; here nothing may move unseen. A change that is meant is written anew by
// `WEFT_APPROVE=1 engine-tests --gtest_filter='*ApprovedTimes*'`, which prints the table.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/support/approved_late_times.hpp"
#include "tests/support/approved_reused_times.hpp"
#include "tests/support/approved_times.hpp"
#include "tests/support/engine_patterns.hpp"

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

/// A fabric whose sends end when more has left since, which copies what is short, and on which a
/// look that finds nothing is a call of its own and transfers need their rank.
constexpr Costs late_rank{.send_overhead = 13,
                          .receive_overhead = 6,
                          .latency = 307,
                          .per_byte = 1,
                          .gap = 17,
                          .clock_read = 2,
                          .post_receive = 9,
                          .ask = 3,
                          .wake_up = 41,
                          .register_buffer = 500,
                          .register_byte = 2,
                          .deregister_buffer = 700,
                          .knows_registered = true,
                          .known_buffers = 3,
                          .lookup = 23,
                          .compute_round = 3,
                          .slow_from = 30'000,
                          .idle_polls = true,
                          .needs_the_host = true,
                          .copies_up_to = 2,
                          .sends_end_later = 1301};

void say(std::ostream& out, const std::vector<Ticks>& ticks) {
  for (const Ticks one : ticks) out << ' ' << one;
  out << '\n';
}

std::string times_of(const PatternOn& one, Case spec, const Costs& costs, const char* wait) {
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
  const Case spec = small_case(one.info);
  return times_of(one, spec, first_rank, "") + times_of(one, spec, acknowledged, "block");
}

std::string late_times_of(const PatternOn& one) {
  return times_of(one, larger_case(one.info), late_rank, "");
}

/// A buffer that was not the last one costs a lookup, so their order is seen.
std::string reused_times_of(const PatternOn& one) {
  Costs costs = late_rank;
  costs.known_buffers = 1;
  costs.knows_registered = false;
  costs.copies_up_to = 0;
  return times_of(one, reused_case(one.info), costs, "");
}

class ApprovedTimes : public testing::TestWithParam<PatternOn> {};

TEST_P(ApprovedTimes, AreThoseOfTheTable) {
  expect_in(approved_times, GetParam(), both_times_of(GetParam()));
}

TEST_P(ApprovedTimes, AreThoseOfTheTableWhereSendsEndLate) {
  expect_in(approved_late_times, GetParam(), late_times_of(GetParam()));
}

TEST_P(ApprovedTimes, AreThoseOfTheTableWhereBuffersAreUsedOnce) {
  expect_in(approved_reused_times, GetParam(), reused_times_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, ApprovedTimes, testing::ValuesIn(engine_patterns()),
                         [](const auto& one) { return std::string(one.param.info.name); });

}  // namespace
}  // namespace weft::fake

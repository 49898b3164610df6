// What every benchmark plans for two of its ranks before anything is measured, beside what was
// looked at once: with whom, in which buffers, in how much memory. Known answers have tests of
// their own; here nothing may move unseen. A change that is meant is written anew by
// `WEFT_APPROVE=1 engine-tests --gtest_filter='*ApprovedPlans*'`, which prints the table.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "run/case_memory.hpp"
#include "run/case_plan.hpp"
#include "run/footprint.hpp"
#include "run/ranks_of_case.hpp"
#include "tests/support/approved_plans.hpp"
#include "tests/support/approved_reused_plans.hpp"
#include "tests/support/engine_patterns.hpp"

namespace weft::fake {
namespace {

template <class Number>
void say(std::ostream& out, const char* name, const std::vector<Number>& all) {
  if (all.empty()) return;
  out << ' ' << name;
  for (const Number& one : all) out << ' ' << one;
}

/// The order of buffers in short: how many, of which, and a sum that tells orders apart.
void say_order(std::ostream& out, const std::vector<std::uint32_t>& order) {
  std::uint64_t sum = 0;
  for (const std::uint32_t slot : order) sum = (31 * sum + slot + 1) % 1'000'003;
  out << ' ' << order.size() << ':' << sum;
}

void say_side(std::ostream& out, const char* name, const SideLayout& side) {
  out << ' ' << name << ' ' << side.lanes << 'x' << side.slots << 'x' << side.stride << '+'
      << side.behind << (side.is_opened ? " opened" : "");
}

void say_role(std::ostream& out, const CasePlan& plan) {
  const Role& role = plan.role;
  out << plan.rank << (role.is_alone ? " alone" : "");
  say(out, "to", role.to);
  say(out, "from", role.from);
  say(out, "near", role.neighbours);
  say(out, "first", role.followers);
  say(out, "sums", role.partners);
  say(out, "bytes", role.bytes);
  out << " streams " << role.streams << " ops " << plan.operations << " of " << plan.warmup << '/'
      << plan.samples << " work " << plan.work << (plan.goes_by_pairs ? " by pairs" : "") << '\n';
}

void say_buffers(std::ostream& out, const CasePlan& plan) {
  if (!plan.role.takes_part()) return;
  out << "orders";
  say_order(out, plan.orders.out);
  say_order(out, plan.orders.in);
  say_order(out, plan.orders.sent_from);
  say_order(out, plan.checked_orders.in);
  out << "\nchecked " << plan.checked.operations << 'x' << plan.checked.depth << " in "
      << plan.checked.slots << " before " << plan.slots_before_timed;
  say_side(out, "out", layout_of(plan, Opens::outgoing));
  say_side(out, "in", layout_of(plan, Opens::incoming));
  out << " control " << control_messages_of_pass(plan) << ' ' << control_messages_of_handshake(plan)
      << ' ' << messages_of_sums(plan) << '\n';
  const std::string refused = refuse_buffers(plan);
  if (!refused.empty()) out << refused << '\n';
}

/// In ticks of half a nanosecond.
std::string plans_of(const PatternOn& one, const Case& spec, const Carried& carried) {
  const int ranks = ranks_of(one);
  const RanksOfCase here = ranks_of_case(spec, one, ranks);
  std::ostringstream out;
  out << "needs " << std::llround(needed_bytes(spec, one.footprint, ranks, here, carried.content))
      << " of " << here.ranks << '/' << here.lanes << " room " << room_for(spec) << '\n';
  for (const int rank : {0, ranks - 1}) {
    const CasePlan plan = plan_case(spec, one, one.loops.front(), rank, ranks, 0.5, carried);
    say_role(out, plan);
    if (rank == 0) say_buffers(out, plan);
  }
  return out.str();
}

class ApprovedPlans : public testing::TestWithParam<PatternOn> {};

TEST_P(ApprovedPlans, AreThoseOfTheTable) {
  expect_in(approved_plans, GetParam(), plans_of(GetParam(), larger_case(GetParam().info), {}));
}

// Over a link that carries the beginning of a message, on a host with two of the ranks.
TEST_P(ApprovedPlans, AreThoseOfTheTableWhereBuffersAreUsedOnce) {
  Case spec = reused_case(GetParam().info);
  spec.ranks_here = {0, 1};
  expect_in(approved_reused_plans, GetParam(),
            plans_of(GetParam(), spec, {.content = 64, .read = 70}));
}

INSTANTIATE_TEST_SUITE_P(All, ApprovedPlans, testing::ValuesIn(engine_patterns()),
                         [](const auto& one) { return std::string(one.param.info.name); });

}  // namespace
}  // namespace weft::fake

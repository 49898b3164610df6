#include "run/case_plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace weft {

namespace {

std::uint32_t operations_of(const CasePlan& plan) {
  const Case& spec = plan.spec;
  if (!plan.pattern->footprint.streams) return spec.ops_per_sample;
  if (plan.pattern->whole_windows) return whole_windows(spec.ops_per_sample, spec.queue_depth);
  return stream_operations(spec.ops_per_sample, spec.queue_depth, plan.role.streams);
}

// How many of the asked samples, warm-up too, the buffers last for.
std::size_t samples_within(const CasePlan& plan) {
  const Footprint& pattern = plan.pattern->footprint;
  const std::size_t besides = pattern.messages_before;
  const std::size_t last = messages_of_order(plan.spec.schedule, plan.orders.out);
  const std::size_t each = std::size_t{pattern.messages_per_operation} * plan.operations;
  const std::size_t asked = std::size_t{plan.spec.warmup} + plan.spec.samples;
  return std::min(asked, last < besides ? 0 : (last - besides) / each);
}

// The same on all ranks.
bool goes_by_pairs(const CasePlan& plan) {
  constexpr double most_bytes = 1 << 25U;
  const PatternOn& pattern = *plan.pattern;
  return pattern.info.figure == Figure::pairs && pattern.opens == Opens::none &&
         needed_bytes(plan.spec, pattern.footprint, plan.size, {1, 1}, plan.carried.content) <=
             most_bytes;
}

}  // namespace

CasePlan plan_case(const Case& asked, const PatternOn& pattern, const LoopOn& loop, int rank,
                   int size, double tick_ns, const Carried& carried) {
  CasePlan plan;
  plan.carried = carried;
  plan.spec = asked;
  plan.spec.schedule = at_least(asked.schedule, pattern.footprint.buffers);
  plan.pattern = &pattern;
  plan.loop = &loop;
  plan.rank = rank;
  plan.size = size;
  plan.role = pattern.role(plan.spec, rank, size);
  const Lattice& lattice = plan.spec.lattice;
  plan.work = static_cast<Ticks>(static_cast<double>(lattice.compute_ps_per_site) / 1e3 *
                                 static_cast<double>(lattice.sites_of_rank(size)) / tick_ns);
  plan.goes_by_pairs = goes_by_pairs(plan);
  plan.operations = operations_of(plan);
  // A rank that stands by has no memory of the case, nor an order of it, which may be long.
  if (!plan.role.takes_part()) return plan;
  plan.orders = make_orders(plan.spec.schedule, plan.spec.seed,
                            loop.receives_at_once(plan.spec.queue_depth, plan.spec.point));
  plan.samples = samples_within(plan);
  // The warm-up takes buffers that were never used before too; where they are few it is shorter.
  const bool all = plan.samples == std::size_t{plan.spec.warmup} + plan.spec.samples;
  plan.warmup = all ? plan.spec.warmup
                    : std::min(plan.spec.warmup, static_cast<std::uint32_t>(plan.samples / 2));
  if (!plan.spec.verify) return plan;
  plan.checked = checked_pass_of(plan.spec, pattern.footprint, plan.role.streams);
  plan.checked_orders = orders_in_turn(plan.checked.slots);
  if (plan.spec.schedule.kind == "reuse") plan.slots_before_timed = plan.checked.slots;
  return plan;
}

// A neighbour to whom and from whom messages go is named twice.
std::vector<int> peers_of(const CasePlan& plan) {
  const std::vector<int>& named = plan.role.neighbours;
  const std::set<int> each(named.begin(), named.end());
  return {each.begin(), each.end()};
}

std::string refuse_buffers(const CasePlan& plan) {
  if (!plan.role.takes_part()) return "";
  if (plan.samples == 0) {
    return "a sample has more messages than there are buffers to use once; choose more "
           "--buffers, or a smaller --queue-depth";
  }
  // Buffers that the pattern itself takes in turn, to have them distinct, need no whole turns.
  const Case& spec = plan.spec;
  if (spec.schedule.count <= plan.pattern->footprint.buffers) return "";
  const std::uint64_t each = plan.operations / plan.role.streams;
  return refuse_turns(spec.schedule, spec.warmup * each, spec.samples * each);
}

std::uint8_t mark_period_of(const std::vector<std::uint32_t>& order) {
  std::map<std::uint32_t, std::size_t> last;
  std::vector<std::size_t> distances;
  for (std::size_t at = 0; at < 2 * order.size(); ++at) {
    const std::uint32_t slot = order[at % order.size()];
    if (const auto before = last.find(slot); before != last.end()) {
      distances.push_back(at - before->second);
    }
    last[slot] = at;
  }
  for (std::uint8_t period = 255; period > 2; --period) {
    const bool fits = std::none_of(distances.begin(), distances.end(),
                                   [&](std::size_t distance) { return distance % period == 0; });
    if (fits) return period;
  }
  throw std::invalid_argument(
      "the uses of these buffers cannot be marked apart; choose fewer buffers");
}

}  // namespace weft

#include "run/schedule.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "contract/wording.hpp"

namespace weft {

namespace {

// Scheme 2 of Liu et al., section 4.5: R % of the messages use slot 0, each of the others a slot of
// its own. The places of the reused buffer are shuffled, or caches would see a period.
std::vector<std::uint32_t> reuse_order(const Schedule& schedule, std::uint64_t seed) {
  if (schedule.reuse_percent == 100) return {0};
  const std::uint64_t fresh = schedule.count;
  const std::uint64_t reused = fresh * schedule.reuse_percent / (100 - schedule.reuse_percent);
  std::vector<bool> is_fresh(fresh + reused, false);
  std::fill_n(is_fresh.begin(), fresh, true);
  std::mt19937_64 random(seed);
  std::shuffle(is_fresh.begin(), is_fresh.end(), random);
  std::vector<std::uint32_t> order;
  order.reserve(is_fresh.size());
  std::uint32_t next = 1;
  for (const bool own : is_fresh) order.push_back(own ? next++ : 0);
  return order;
}

bool is_used_once(const Schedule& schedule) {
  return schedule.kind == "reuse" && schedule.reuse_percent < 100;
}

// Scheme 2 on the receiving side: in place of the one buffer that is reused, so many in turn.
void spread_reused(BufferOrders& orders, std::size_t at_once) {
  std::vector<std::uint32_t> reused(at_once, 0);
  for (std::size_t more = 1; more < at_once; ++more) {
    reused[more] = static_cast<std::uint32_t>(orders.sent_from.size());
    orders.sent_from.push_back(0);
  }
  std::size_t turn = 0;
  for (std::uint32_t& slot : orders.in) {
    if (slot == 0) slot = reused[turn++ % at_once];
  }
}

}  // namespace

bool is_repeated(const Schedule& schedule) {
  return schedule.kind == "one" || schedule.kind == "shared";
}

Schedule at_least(const Schedule& schedule, std::uint32_t buffers) {
  if (schedule.kind != "one" || buffers < 2) return schedule;
  return {"turn", buffers, 100};
}

std::vector<std::uint32_t> make_order(const Schedule& schedule, std::uint64_t seed) {
  if (is_repeated(schedule)) return {0};
  if (schedule.kind == "reuse") return reuse_order(schedule, seed);
  std::vector<std::uint32_t> order(schedule.count);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

std::size_t messages_of_order(const Schedule& schedule, const std::vector<std::uint32_t>& order) {
  return is_used_once(schedule) ? order.size() : std::numeric_limits<std::size_t>::max();
}

std::string refuse_turns(const Schedule& schedule, std::uint64_t warmup_messages,
                         std::uint64_t measured_messages) {
  const std::uint64_t turn = schedule.count;
  if (schedule.kind != "turn" || turn == 1) return "";
  if (warmup_messages >= turn && measured_messages >= 2 * turn) return "";
  return counted(turn, "buffer") + " in turn need " + counted(turn, "message") +
         " of warm-up and " + std::to_string(2 * turn) + " after it, and there are " +
         std::to_string(warmup_messages) + " and " + std::to_string(measured_messages) +
         "; choose more samples or fewer buffers";
}

std::uint32_t slots_of(const std::vector<std::uint32_t>& order) {
  return *std::max_element(order.begin(), order.end()) + 1;
}

BufferOrders make_orders(const Schedule& schedule, std::uint64_t seed, std::size_t at_once) {
  BufferOrders orders{make_order(schedule, seed), {}, {}};
  if (is_used_once(schedule)) {
    orders.in = orders.out;
    orders.sent_from.resize(slots_of(orders.out));
    std::iota(orders.sent_from.begin(), orders.sent_from.end(), 0U);
    spread_reused(orders, std::max<std::size_t>(at_once, 1));
    return orders;
  }
  // Whole rounds of the sender's order: the slot of a message is found by its number alone.
  const std::size_t round = orders.out.size();
  if (schedule.kind == "shared") at_once = 1;
  orders.in.resize(std::max<std::size_t>((at_once + round - 1) / round, 1) * round);
  std::iota(orders.in.begin(), orders.in.end(), 0U);
  for (const std::uint32_t slot : orders.in) {
    orders.sent_from.push_back(orders.out[slot % round]);
  }
  return orders;
}

OrderSize size_of(const Schedule& schedule, std::uint64_t at_once) {
  const bool is_shared = schedule.kind == "shared";
  const std::uint64_t receives = is_shared ? 1 : std::max<std::uint64_t>(at_once, 1);
  if (is_used_once(schedule)) {
    const std::uint64_t fresh = schedule.count;
    const std::uint64_t messages =
        fresh + fresh * schedule.reuse_percent / (100 - schedule.reuse_percent);
    return {fresh + 1, fresh + receives, 2 * messages};
  }
  const std::uint64_t round = schedule.kind == "turn" ? schedule.count : 1;
  const std::uint64_t arriving = (receives + round - 1) / round * round;
  return {round, arriving, round + arriving};
}

BufferOrders orders_in_turn(std::size_t slots) {
  return make_orders({"turn", static_cast<std::uint32_t>(slots), 100}, 0, 1);
}

}  // namespace weft

#include "schedule.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

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

}  // namespace

std::vector<std::uint32_t> make_order(const Schedule& schedule, std::uint64_t seed) {
  if (schedule.kind == "one") return {0};
  if (schedule.kind == "reuse") return reuse_order(schedule, seed);
  std::vector<std::uint32_t> order(schedule.count);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

std::size_t messages_of_order(const Schedule& schedule, const std::vector<std::uint32_t>& order) {
  const bool once = schedule.kind == "reuse" && schedule.reuse_percent < 100;
  return once ? order.size() : std::numeric_limits<std::size_t>::max();
}

std::uint32_t slots_of(const std::vector<std::uint32_t>& order) {
  return *std::max_element(order.begin(), order.end()) + 1;
}

}  // namespace weft

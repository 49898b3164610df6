#include "run/verification.hpp"

#include <algorithm>
#include <vector>

namespace weft {

namespace {

// A message's number among all that two ranks exchange: lanes that join the same two, as the two
// ways round a ring of two ranks, have numbers of their own.
std::uint64_t number_in(const std::vector<int>& ranks, std::size_t lane, std::uint64_t message) {
  constexpr unsigned lane_shift = 54;
  const auto own = ranks.begin() + static_cast<std::ptrdiff_t>(lane);
  const auto before = static_cast<std::uint64_t>(std::count(ranks.begin(), own, *own));
  return message + (before << lane_shift);
}

}  // namespace

Content content_of(const CasePlan& plan, int sender, int receiver, std::uint64_t message) {
  constexpr unsigned receiver_shift = 40;
  return {static_cast<std::uint32_t>(sender), plan.spec.id,
          message + (static_cast<std::uint64_t>(receiver) << receiver_shift)};
}

void check(Outcome& outcome, const Buffer& buffer, const Content& content, const std::string& what,
           std::size_t unchecked_tail) {
  const std::size_t bytes = buffer.bytes - unchecked_tail;
  outcome.verified_bytes += bytes;
  const auto offset = first_difference({buffer.data, bytes}, content);
  if (!offset || outcome.status != Status::ok) return;
  outcome.status = Status::failed;
  outcome.reason = "wrong byte at offset " + std::to_string(*offset) + " of " +
                   std::to_string(buffer.bytes) + " in " + what + " from rank " +
                   std::to_string(content.rank);
}

void fill_lanes(const CasePlan& plan, const std::vector<Buffer>& out, std::size_t slots,
                std::uint64_t first) {
  for (std::size_t slot = 0; slot < slots * plan.role.to.size(); ++slot) {
    const std::size_t lane = slot / slots;
    fill(content_in(plan, out[slot]),
         content_of(plan, plan.rank, plan.role.to[lane],
                    number_in(plan.role.to, lane, first + slot % slots)));
  }
}

void poison_lanes(const CasePlan& plan, const std::vector<Buffer>& in, const BufferOrders& orders,
                  std::uint64_t first) {
  const std::size_t slots = orders.sent_from.size();
  for (std::size_t slot = 0; slot < slots * plan.role.from.size(); ++slot) {
    const Buffer& one = in[slot];
    const std::size_t lane = slot / slots;
    const std::uint64_t number = first + orders.sent_from[slot % slots];
    poison(content_in(plan, one), content_of(plan, plan.role.from[lane], plan.rank,
                                             number_in(plan.role.from, lane, number)));
    if (plan.pattern->polls_memory) one.data[one.bytes - 1] = std::byte{0};
  }
}

void check_lane(Outcome& outcome, const CasePlan& plan, const std::vector<Buffer>& in,
                std::size_t lane, const BufferOrders& orders, std::size_t taken,
                std::uint64_t first) {
  std::vector<bool> used(orders.sent_from.size(), false);
  for (std::size_t at = 0; at < std::min(orders.in.size(), taken); ++at) {
    used[orders.in[at]] = true;
  }
  const std::string what = first == timed_message ? "the last message in buffer " : "message ";
  for (std::size_t slot = 0; slot < used.size(); ++slot) {
    if (!used[slot]) continue;
    const Buffer& one = in[lane * used.size() + slot];
    // Where memory is polled the last byte is the mark that the pattern itself waited for.
    check(outcome, {one.data, content_in(plan, one).size(), one.key},
          content_of(plan, plan.role.from[lane], plan.rank,
                     number_in(plan.role.from, lane, first + orders.sent_from[slot])),
          what + std::to_string(slot), plan.pattern->polls_memory ? 1 : 0);
  }
}

}  // namespace weft

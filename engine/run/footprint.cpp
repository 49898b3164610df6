#include "run/footprint.hpp"

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

constexpr std::size_t page_bytes = 4096;
// The control messages beside the messages: of the pattern, before it and after it, a page each;
// and those of each lane beyond a rank's first.
constexpr double control_bytes_of_case = 16 * page_bytes;
constexpr double control_bytes_a_lane = 4 * page_bytes;
// Of a message in an order of buffers: its place, in a few copies of the order, and its buffer.
constexpr double bytes_a_place = 96;
// Of a number in a series: its ticks, and its digits on their way to rank 0 and to the reader.
constexpr double bytes_a_value = 96;

// Each buffer has pages of its own.
double buffer_bytes(std::size_t bytes) {
  const std::size_t pages = std::max<std::size_t>((bytes + page_bytes - 1) / page_bytes, 1);
  return static_cast<double>(pages) * static_cast<double>(page_bytes);
}

}  // namespace

double own_bytes_of(double messages, std::size_t bytes) {
  if (messages == 0) return 0;
  constexpr auto page = static_cast<double>(page_bytes);
  const double pages = std::ceil(messages * static_cast<double>(bytes) / page);
  return (std::max(pages, 1.0) + 1) * page;
}

std::uint32_t stream_operations(std::uint32_t asked, std::uint32_t queue_depth,
                                std::uint32_t streams) noexcept {
  const std::uint32_t refill = refill_of(queue_depth) * streams;
  const std::uint32_t least = std::max(asked, queue_depth * streams);
  return (least + refill - 1) / refill * refill;
}

std::uint32_t whole_windows(std::uint32_t asked, std::uint32_t queue_depth) noexcept {
  return std::max((asked + queue_depth - 1) / queue_depth, 1U) * queue_depth;
}

CheckedPass checked_pass_of(const Case& spec, const Footprint& pattern, std::uint32_t streams) {
  constexpr std::size_t most_bytes = std::size_t{8} << 20U;
  // Two can be taken for each other; where there is room for no more, both are under way at once.
  constexpr std::size_t least = 2;
  const std::uint32_t lanes = spec.lattice.lanes();
  const std::size_t fits =
      most_bytes / std::max<std::size_t>(message_bytes_of(spec), 1) / streams / lanes;
  const bool is_long = fits < least && !pattern.streams;
  const std::size_t fewest = is_long ? 1 : least;
  const auto messages = static_cast<std::uint32_t>(std::clamp<std::size_t>(
      fits, fewest, std::max<std::size_t>(fewest, spec.most_checked / lanes)));
  const std::uint32_t depth = std::min(spec.queue_depth, std::max(messages / 2, 2U));
  const std::uint32_t each = pattern.messages_per_operation;
  std::uint32_t operations = std::max<std::uint32_t>(messages / each, 1) * streams;
  if (pattern.streams) operations = stream_operations(operations, depth, streams);
  const std::size_t all = std::size_t{operations / streams} * each + pattern.messages_before;
  if (!is_long) return {depth, operations, all};
  // Buffers that are used again while messages are under way in them would prove nothing.
  return {depth, operations, std::min(all, std::max<std::size_t>(least, pattern.receives))};
}

double needed_bytes(const Case& spec, const Footprint& pattern, int size, const RanksOfCase& here,
                    std::size_t most_of_message) {
  const std::uint64_t receives = pattern.receives_of(spec.queue_depth, spec.point);
  const OrderSize order = size_of(at_least(spec.schedule, pattern.buffers), receives);
  const std::size_t checked = spec.verify ? checked_pass_of(spec, pattern, 1).slots : 0;
  // Both passes take the same memory, but for buffers that nothing may have used before.
  const auto side = [&](std::uint64_t timed) {
    return is_repeated(spec.schedule) ? std::max<std::uint64_t>(timed, checked) : timed + checked;
  };
  const auto buffers = static_cast<double>(side(order.slots) + side(order.arriving));
  const double values = (static_cast<double>(spec.samples) + spec.warmup) * pattern.series;
  const double own =
      pattern.own_messages + static_cast<double>(pattern.own_messages_per_rank) * size;
  const std::size_t there = std::min(message_bytes_of(spec), most_of_message);
  const double each = buffer_bytes(there);
  const double messages =
      own > 0 ? here.ranks * own_bytes_of(own, there)
              : static_cast<double>(here.lanes) * spec.lattice.lanes() *
                    (buffers * each + static_cast<double>(order.places) * bytes_a_place);
  const double more_lanes = static_cast<double>(here.lanes) - here.ranks;
  return messages + more_lanes * control_bytes_a_lane +
         here.ranks *
             (control_bytes_of_case + values * bytes_a_value +
              static_cast<double>(spec.lattice.sites_of_rank(size) * pattern.bytes_per_site));
}

}  // namespace weft

// The order in which a case uses its buffers, as data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "contract/case.hpp"

namespace weft {

/// The schedule, or so many buffers in turn where it names one.
Schedule at_least(const Schedule& schedule, std::uint32_t buffers);

/// Slot numbers in the order of use, to be walked round and round. Equal on every rank, so that a
/// message lands in the slot that bears the number of the slot it came from.
std::vector<std::uint32_t> make_order(const Schedule& schedule, std::uint64_t seed);

/// Whether buffers are used again and again from the first message on: neither many in turn nor any
/// that is used once.
bool is_repeated(const Schedule& schedule);

/// For how many messages an order lasts: of scheme 2 the other buffers are used once and never
/// again, so it is not walked round; the largest number there is for all others.
std::size_t messages_of_order(const Schedule& schedule, const std::vector<std::uint32_t>& order);

/// Why so many messages are too few for buffers in turn, of each of which a figure is to be had
/// that was used before: one whole turn of warm-up and two behind it. Empty where they are enough.
std::string refuse_turns(const Schedule& schedule, std::uint64_t warmup_messages,
                         std::uint64_t measured_messages);

/// How many buffers an order needs.
std::uint32_t slots_of(const std::vector<std::uint32_t>& order);

/// Where messages are sent from and where they arrive, slot numbers in the order of use. Receives
/// that may be under way at once have buffers of their own, so there may be more slots to arrive in
/// than to send from; `sent_from` says of each which slot its messages come from.
struct BufferOrders {
  std::vector<std::uint32_t> out;
  std::vector<std::uint32_t> in;
  std::vector<std::uint32_t> sent_from;
};

/// The orders of a case whose receiver has so many receives under way at once. A shared buffer is
/// all of theirs.
BufferOrders make_orders(const Schedule& schedule, std::uint64_t seed, std::size_t at_once);

/// What the orders would have, without making them: one may be longer than there is memory. Slots
/// to send from and to arrive in, and the messages that both orders name.
struct OrderSize {
  std::uint64_t slots = 1;
  std::uint64_t arriving = 1;
  std::uint64_t places = 2;
};
OrderSize size_of(const Schedule& schedule, std::uint64_t at_once);

/// Messages take so many slots in turn, the same on both sides.
BufferOrders orders_in_turn(std::size_t slots);

}  // namespace weft

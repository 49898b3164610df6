// What messages hold, and whether that is what arrived.
#pragma once

#include <string>

#include "host/memory.hpp"
#include "run/batch.hpp"
#include "run/case_plan.hpp"

namespace weft {

/// Content numbers of the messages that are no part of the measured stream.
inline constexpr std::uint64_t closing_message = 1ULL << 62U;
inline constexpr std::uint64_t timed_message = 1ULL << 61U;

/// What a rank puts into a message for another; one's messages are not those to a third.
Content content_of(const CasePlan& plan, int sender, int receiver, std::uint64_t message);

/// Compare a received buffer with what its sender put there: the first wrong byte is the outcome.
void check(Outcome& outcome, const Buffer& buffer, const Content& content, const std::string& what,
           std::size_t unchecked_tail = 0);

/// The outgoing buffers of all lanes, so many a lane; `first` is the content number of the first.
void fill_lanes(const CasePlan& plan, const std::vector<Buffer>& out, std::size_t slots,
                std::uint64_t first);

/// The same of those where messages arrive: no byte is as it must become.
void poison_lanes(const CasePlan& plan, const std::vector<Buffer>& in, const BufferOrders& orders,
                  std::uint64_t first);

/// Compare the buffers of one lane into which messages came, which are the first `taken` in order.
void check_lane(Outcome& outcome, const CasePlan& plan, const std::vector<Buffer>& in,
                std::size_t lane, const BufferOrders& orders, std::size_t taken,
                std::uint64_t first);

}  // namespace weft

// All that follows from a case, a pattern and a rank, made once before anything is allocated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "contract/case.hpp"
#include "contract/roles.hpp"
#include "contract/transport.hpp"
#include "run/footprint.hpp"
#include "run/pattern_on.hpp"
#include "run/schedule.hpp"

namespace weft {

struct CasePlan {
  Case spec;
  const PatternOn* pattern = nullptr;
  const LoopOn* loop = nullptr;
  int rank = 0;
  int size = 0;
  Role role;
  /// How much of its messages the link carries.
  Carried carried;
  /// The computing of an iteration.
  Ticks work = 0;
  /// Of a sample; of a stream a multiple of its refill.
  std::uint32_t operations = 1;
  /// What the buffers last for, the warm-up among them, and the warm-up; nothing on a rank that
  /// stands by, which has no orders either.
  std::size_t samples = 0;
  std::uint32_t warmup = 0;
  BufferOrders orders;
  /// The untimed pass, which a case without verification does not have: no messages then.
  CheckedPass checked;
  BufferOrders checked_orders;
  /// Behind so many buffers of a lane those of the timed pass begin: buffers that are to be used
  /// once are none that the checked pass had.
  std::size_t slots_before_timed = 0;
  /// Whether the ranks go on pair by pair once all have agreed to the case: a rank waits for its
  /// partner, and for nobody else until all report (docs/decisions/0034). They take their memory
  /// before they know that all have it, so there is little of it.
  bool goes_by_pairs = false;
};

CasePlan plan_case(const Case& asked, const PatternOn& pattern, const LoopOn& loop, int rank,
                   int size, double tick_ns = 1, const Carried& carried = {});

/// The first bytes of a message, which its buffer has room for.
inline std::span<std::byte> content_in(const CasePlan& plan, const Buffer& buffer) {
  return {buffer.data, std::min(buffer.bytes, plan.carried.content)};
}

/// With whom a rank exchanges messages, each once.
std::vector<int> peers_of(const CasePlan& plan);

/// Why the asked messages do not go with the asked buffers; empty when they do. The same on every
/// rank that takes part, and empty on the others.
std::string refuse_buffers(const CasePlan& plan);

/// How many sends, and as many receives, a case may have under way at once to one peer: those of a
/// stream, or two bursts, and control messages.
inline std::size_t room_for(const Case& spec) {
  constexpr std::size_t besides = 24;
  return std::size_t{2} * spec.queue_depth + besides;
}

/// Marks of messages in one buffer must differ from one use to the next: the longest period up to
/// 255 that no distance between two uses of a slot is a multiple of. Throws std::invalid_argument
/// where there is none.
std::uint8_t mark_period_of(const std::vector<std::uint32_t>& order);

}  // namespace weft

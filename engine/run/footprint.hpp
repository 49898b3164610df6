// What a case takes in memory, before any of it is taken. src/weft/plan/memory.py has the same
// formula; docs/engine-protocol.md has it in words, and a test holds the two together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "contract/case.hpp"
#include "contract/task.hpp"
#include "run/schedule.hpp"

namespace weft {

/// The untimed pass of a case: the queue it has, the operations, and the buffers each way of a lane
/// for its messages: one each, of long messages few that they take in turn.
struct CheckedPass {
  std::uint32_t depth = 0;
  std::uint32_t operations = 0;
  std::size_t slots = 0;
};

/// `streams` lanes at once share the memory that the pass may have.
CheckedPass checked_pass_of(const Case& spec, const Footprint& pattern, std::uint32_t streams);

/// A stream posts Q at first and Q/2 at a time then, so its length is a multiple of Q/2 from Q on.
std::uint32_t stream_operations(std::uint32_t asked, std::uint32_t queue_depth,
                                std::uint32_t streams) noexcept;

/// The same where a window is waited for before the next one is posted: a multiple of Q.
std::uint32_t whole_windows(std::uint32_t asked, std::uint32_t queue_depth) noexcept;

/// The memory of so many messages of an application, which lie without gaps: in what it gives, and
/// from a page of its own on in what it gets.
double own_bytes_of(double messages, std::size_t bytes);

/// Of the ranks of a host those that take part in a case, and the lanes of all of them, of a case
/// on a lattice one for each.
struct RanksOfCase {
  int ranks = 0;
  std::uint64_t lanes = 0;
};

/// The most bytes that a case on `size` ranks takes over those of one host that take part: in
/// floating point, for sizes and counts are the caller's and their product may pass 64 bits. Of a
/// message no more than so much is there.
double needed_bytes(const Case& spec, const Footprint& pattern, int size, const RanksOfCase& here,
                    std::size_t most_of_message = std::numeric_limits<std::size_t>::max());

}  // namespace weft

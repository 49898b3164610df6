// Which of a host's ranks take part in a case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "contract/case.hpp"
#include "run/case_plan.hpp"
#include "run/footprint.hpp"
#include "run/pattern_on.hpp"

namespace weft {

/// Those of `spec.ranks_here`, of `size` ranks in all: by their roles, but where the pattern says
/// that every rank takes part.
RanksOfCase ranks_of_case(const Case& spec, const PatternOn& pattern, int size);

/// The reason why `ranks` of a host cannot share `bytes` each with `free` bytes left; empty if they
/// can.
std::string refuse_shared_memory(int ranks, std::size_t bytes, std::optional<std::uint64_t> free);

/// The first rank that takes part, of all; rank 0 where none does.
int first_of_case(const CasePlan& plan);

/// Whether no rank stands by in a case on `size` ranks.
inline bool takes_all_ranks(const PatternOn& pattern, int size) noexcept {
  return has_all_ranks(pattern.footprint) && (!pattern.footprint.pairs_all || size % 2 == 0);
}

/// The first rank of a host asks for all of them whether the host has the memory.
inline bool asks_for_host(const Case& spec, int rank) noexcept {
  return rank == (spec.ranks_here.empty() ? 0 : spec.ranks_here.front());
}

}  // namespace weft

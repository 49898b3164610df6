// The improved staggered operator on a rank's sites, for the vector units of this CPU.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "apps/milc/legs.hpp"
#include "apps/milc/vector_unit.hpp"

namespace weft::milc {

/// On the sites of one parity, from a source of the other one.
template <class R>
struct OperatorOn {
  const R* links = nullptr;
  /// 16 of each block of the result.
  const LocalLeg* legs = nullptr;
  const R* source = nullptr;
  R* result = nullptr;
  /// Added to the result with a factor, where there is one: of the result's own parity.
  const R* diagonal = nullptr;
  R factor{};
  /// Where the links of three steps have two rows: one over the size of their coefficient, else 0.
  R inverse{};
};

/// The legs inside the rank, for the blocks [first, last): they replace the result.
template <class R>
void apply_local(Isa isa, const OperatorOn<R>& on, std::size_t first, std::size_t last) noexcept;

/// Those to other ranks, from the messages by face: they are added to the result.
template <class R>
void apply_remote(Isa isa, const OperatorOn<R>& on, std::span<const RemoteLeg> legs,
                  const std::array<const R*, faces>& messages) noexcept;

}  // namespace weft::milc

// Registers of the lanes of a block, for whichever vector unit is compiled for: included once for
// each, inside its namespace.
#include <hwy/highway.h>

#include "apps/milc/layout.hpp"
#include "apps/milc/vector_unit.hpp"

#if defined(WEFT_MILC_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_MILC_LANES_INL_HPP
#undef WEFT_MILC_LANES_INL_HPP
#else
#define WEFT_MILC_LANES_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::milc::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// As many lanes of a block as a register holds.
template <class R>
using Tag = hn::CappedTag<R, lanes>;
template <class R>
using Reg = hn::Vec<Tag<R>>;
template <class R>
inline constexpr std::size_t width = hn::MaxLanes(Tag<R>());

/// This unit: who calls a function of it gives one, and so says which unit's.
struct Unit {};

}  // namespace weft::milc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::milc {

// Direct calls: between two reads of the clock nothing is called through a pointer.
template <class Do>
auto on_unit([[maybe_unused]] Isa isa, const Do& act) noexcept {
#if HWY_ARCH_X86
  if (isa == Isa::avx512) return act(N_AVX3::Unit());
  if (isa == Isa::avx2) return act(N_AVX2::Unit());
#endif
  return act(HWY_STATIC_DISPATCH(Unit)());
}

}  // namespace weft::milc
#endif  // HWY_ONCE

#endif

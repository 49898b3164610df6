// Registers of the lanes of a block, for whichever vector unit is compiled for: included once for
// each, inside its namespace.
#include <hwy/highway.h>

#include "apps/milc/layout.hpp"

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

}  // namespace weft::milc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

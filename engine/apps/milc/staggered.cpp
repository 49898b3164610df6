#include "apps/milc/staggered.hpp"

// This file is compiled for each of several units, one after the other: it includes itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "apps/milc/staggered.cpp"  // NOLINT: Highway reads it
// Highway gives x86's newer units lower bits: AVX-512 stands for all of those.
#define HWY_DISABLED_TARGETS ((HWY_AVX3 - 1) | HWY_SSE4 | HWY_SSSE3)
#include <hwy/foreach_target.h>  // before highway.h

#include "apps/milc/products-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::milc::HWY_NAMESPACE {

template <class R>
using Index = hn::TFromD<hn::RebindToSigned<Tag<R>>>;

// Lane i ^ flip, for each flip.
template <class I>
constexpr std::array<std::array<I, lanes>, lanes> make_orders() {
  std::array<std::array<I, lanes>, lanes> all{};
  for (std::size_t flip = 0; flip < lanes; ++flip) {
    for (std::size_t lane = 0; lane < lanes; ++lane) all[flip][lane] = static_cast<I>(lane ^ flip);
  }
  return all;
}
template <class I>
alignas(64) inline constexpr std::array<std::array<I, lanes>, lanes> orders = make_orders<I>();

// Sources whose lanes are not in one block in their order.
template <class R>
HWY_INLINE Colour<Reg<R>> put_together(const R* source, const LocalLeg& leg,
                                       std::size_t first_lane) {
  const Tag<R> tag;
  const std::size_t from = (first_lane ^ leg.flip) & ~(width<R> - 1);
  const std::size_t inside = leg.flip & (width<R> - 1);
  const auto indices = hn::SetTableIndices(tag, orders<Index<R>>[inside].data());
  const auto others = mask_of<R>(leg.from_other, from);
  const auto present = mask_of<R>(leg.present, first_lane);
  const R* const one = source + leg.source * reals_of_site * lanes + from;
  const R* const two = source + leg.other * reals_of_site * lanes + from;
  return colour_of([&](std::size_t real) HWY_ATTR {
    const Reg<R> there = hn::IfThenElse(others, hn::LoadU(tag, two + real * lanes),
                                        hn::LoadU(tag, one + real * lanes));
    return hn::IfThenElseZero(present, hn::TableLookupLanes(there, indices));
  });
}

template <class R>
HWY_INLINE Colour<Reg<R>> source_of(const R* source, const LocalLeg& leg, std::size_t first_lane) {
  if (HWY_LIKELY(leg.is_plain)) {
    const R* const plain = source + leg.source * reals_of_site * lanes + first_lane;
    return colour_of([&](std::size_t real)
                         HWY_ATTR { return hn::LoadU(Tag<R>(), plain + real * lanes); });
  }
  return put_together(source, leg, first_lane);
}

#if HWY_TARGET == HWY_AVX3
// The same eight lanes in both halves: a load does this, of a register it is a permutation more.
HWY_INLINE hn::Vec<Joined<float>> twice(const float* from) {
  return hn::Vec<Joined<float>>{_mm512_broadcast_f32x8(_mm256_loadu_ps(from))};
}

HWY_INLINE Colour<hn::Vec<Joined<float>>> joined_source_of(const float* source,
                                                           const LocalLeg& leg) {
  const Joined<float> tag;
  const float* const one = source + leg.source * reals_of_site * lanes;
  if (HWY_LIKELY(leg.is_plain)) {
    return colour_of([&](std::size_t real) HWY_ATTR { return twice(one + real * lanes); });
  }
  const auto indices = hn::IndicesFromVec(
      tag, hn::Vec<hn::RebindToSigned<Joined<float>>>{_mm512_broadcast_i32x8(
               _mm256_load_si256(reinterpret_cast<const __m256i*>(  // NOLINT: as the unit takes it
                   orders<std::int32_t>[leg.flip].data())))});
  const std::array<std::uint8_t, 8> others_bits{leg.from_other, leg.from_other};
  const std::array<std::uint8_t, 8> present_bits{leg.present, leg.present};
  const auto others = hn::LoadMaskBits(tag, others_bits.data());
  const auto present = hn::LoadMaskBits(tag, present_bits.data());
  const float* const two = source + leg.other * reals_of_site * lanes;
  return colour_of([&](std::size_t real) HWY_ATTR {
    const auto there = hn::IfThenElse(others, twice(two + real * lanes), twice(one + real * lanes));
    return hn::IfThenElseZero(present, hn::TableLookupLanes(there, indices));
  });
}
#endif

// The links of the next block are fetched meanwhile: they lie in pieces that are too short for the
// caches to see them coming.
template <std::size_t rows, class R>
HWY_INLINE void fetch(const R* links, const LocalLeg& leg) {
  constexpr std::size_t line = 64 / sizeof(R);
  const R* const link = links + leg.link * lanes;
#pragma GCC unroll 32
  for (std::size_t at = 0; at < rows * lanes; at += line) __builtin_prefetch(link + at);
}

template <bool is_rebuilt, class R>
HWY_INLINE auto link_of(const OperatorOn<R>& on, const LocalLeg& leg, std::size_t first_lane) {
  const R* const first = on.links + leg.link * lanes + first_lane;
  if constexpr (is_rebuilt) {
    return Rebuilt<R>(first, on.inverse, mask_of<R>(leg.negative, first_lane));
  } else {
    return Whole<R>(first);
  }
}

// A leg, whose links are in two rows or three.
template <bool is_back, bool is_rebuilt, class Sums, class R>
HWY_INLINE void add_local(Sums& sum, const OperatorOn<R>& on, const LocalLeg& leg,
                          const LocalLeg& next, std::size_t first_lane) {
  if (first_lane == 0) fetch<is_rebuilt ? rebuilt_reals : reals_of_link>(on.links, next);
  const auto link = link_of<is_rebuilt>(on, leg, first_lane);
  if constexpr (is_joined<R>) {
    sum.template add<is_back>(link, joined_source_of(on.source, leg));
  } else {
    sum.template add<is_back>(link, source_of(on.source, leg, first_lane));
  }
}

// Some lanes of all legs of a block, on and back in turn, so that no chain of additions is waited
// for; of the next block the links will be needed. Each second leg is one of three steps.
template <bool is_rebuilt, class R>
HWY_INLINE Colour<Reg<R>> all_legs(const OperatorOn<R>& on, const LocalLeg* legs,
                                   const LocalLeg* next, std::size_t first_lane) {
  SumOfLegs<R> sum;
  for (std::size_t leg = 0; leg < 8; leg += 2) {
    add_local<false, false>(sum, on, legs[leg], next[leg], first_lane);
    add_local<true, false>(sum, on, legs[leg + 8], next[leg + 8], first_lane);
    add_local<false, is_rebuilt>(sum, on, legs[leg + 1], next[leg + 1], first_lane);
    add_local<true, is_rebuilt>(sum, on, legs[leg + 9], next[leg + 9], first_lane);
  }
  return sum.total();
}

template <class R>
HWY_INLINE void store(const Colour<Reg<R>>& c, R* result) {
  const Tag<R> tag;
  hn::StoreU(c.re0, tag, result);
  hn::StoreU(c.im0, tag, result + lanes);
  hn::StoreU(c.re1, tag, result + 2 * lanes);
  hn::StoreU(c.im1, tag, result + 3 * lanes);
  hn::StoreU(c.re2, tag, result + 4 * lanes);
  hn::StoreU(c.im2, tag, result + 5 * lanes);
}

// c + factor * more.
template <class R>
HWY_INLINE Colour<Reg<R>> plus(const Colour<Reg<R>>& c, R factor, const R* more) {
  const Tag<R> tag;
  const Reg<R> times = hn::Set(tag, factor);
  return {hn::MulAdd(times, hn::LoadU(tag, more), c.re0),
          hn::MulAdd(times, hn::LoadU(tag, more + lanes), c.im0),
          hn::MulAdd(times, hn::LoadU(tag, more + 2 * lanes), c.re1),
          hn::MulAdd(times, hn::LoadU(tag, more + 3 * lanes), c.im1),
          hn::MulAdd(times, hn::LoadU(tag, more + 4 * lanes), c.re2),
          hn::MulAdd(times, hn::LoadU(tag, more + 5 * lanes), c.im2)};
}

template <bool is_rebuilt, class R>
HWY_INLINE void over_blocks(const OperatorOn<R>& on, std::size_t first, std::size_t last) {
  for (std::size_t block = first; block < last; ++block) {
    const LocalLeg* const own = on.legs + block * legs_of_site;
    const LocalLeg* const next = block + 1 < last ? own + legs_of_site : own;
    for (std::size_t lane = 0; lane < lanes; lane += width<R>) {
      const std::size_t site = block * reals_of_site * lanes + lane;
      Colour<Reg<R>> sum = all_legs<is_rebuilt>(on, own, next, lane);
      if (on.diagonal != nullptr) sum = plus(sum, on.factor, on.diagonal + site);
      store(sum, on.result + site);
    }
  }
}

template <class R>
void apply_local_on(Unit /*unit*/, const OperatorOn<R>& on, std::size_t first, std::size_t last) {
  if (on.inverse == 0) {
    over_blocks<false>(on, first, last);
  } else {
    over_blocks<true>(on, first, last);
  }
}

template <bool is_back, bool is_rebuilt, class R>
HWY_INLINE void add_remote(Sum<Reg<R>>& sum, const OperatorOn<R>& on, const RemoteLeg& leg,
                           const R* message, std::size_t first_lane) {
  const Tag<R> tag;
  const hn::RebindToSigned<Tag<R>> index_tag;
  HWY_ALIGN std::array<Index<R>, lanes> order{};
  for (std::size_t lane = 0; lane < width<R>; ++lane) order[lane] = leg.at[first_lane + lane];
  const auto at = hn::LoadU(index_tag, order.data());
  const auto present = hn::RebindMask(tag, hn::Gt(at, hn::Set(index_tag, Index<R>{no_lane})));
  const auto inside = hn::Max(at, hn::Zero(index_tag));
  const LocalLeg& own = on.legs[leg.block * legs_of_site + leg.leg];
  sum.template add<is_back>(
      link_of<is_rebuilt>(on, own, first_lane), colour_of([&](std::size_t real) HWY_ATTR {
        return hn::IfThenElseZero(present, hn::GatherIndex(tag, message + real, inside));
      }));
}

template <bool is_back, class R>
HWY_INLINE void add_remote(Sum<Reg<R>>& sum, const OperatorOn<R>& on, const RemoteLeg& leg,
                           const R* message, std::size_t first_lane) {
  if (on.inverse == 0 || leg.leg % 2 == 0) {
    add_remote<is_back, false>(sum, on, leg, message, first_lane);
  } else {
    add_remote<is_back, true>(sum, on, leg, message, first_lane);
  }
}

template <class R>
void apply_remote_on(Unit /*unit*/, const OperatorOn<R>& on, std::span<const RemoteLeg> legs,
                     const std::array<const R*, faces>& messages) {
  for (std::size_t at = 0; at < legs.size();) {
    const std::uint32_t block = legs[at].block;
    std::size_t end = at;
    while (end < legs.size() && legs[end].block == block) ++end;
    for (std::size_t lane = 0; lane < lanes; lane += width<R>) {
      Sum<Reg<R>> sum;
      for (std::size_t one = at; one < end; ++one) {
        const RemoteLeg& leg = legs[one];
        if (leg.leg < 8) {
          add_remote<false>(sum, on, leg, messages[leg.face], lane);
        } else {
          add_remote<true>(sum, on, leg, messages[leg.face], lane);
        }
      }
      R* const result = on.result + block * reals_of_site * lanes + lane;
      store(plus(sum.total(), R{1}, result), result);
    }
    at = end;
  }
}

}  // namespace weft::milc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::milc {

template <class R>
void apply_local(Isa isa, const OperatorOn<R>& on, std::size_t first, std::size_t last) noexcept {
  on_unit(isa, [&](auto unit) { apply_local_on(unit, on, first, last); });
}
template <class R>
void apply_remote(Isa isa, const OperatorOn<R>& on, std::span<const RemoteLeg> legs,
                  const std::array<const R*, faces>& messages) noexcept {
  on_unit(isa, [&](auto unit) { apply_remote_on(unit, on, legs, messages); });
}

template void apply_local(Isa, const OperatorOn<float>&, std::size_t, std::size_t) noexcept;
template void apply_local(Isa, const OperatorOn<double>&, std::size_t, std::size_t) noexcept;
template void apply_remote(Isa, const OperatorOn<float>&, std::span<const RemoteLeg>,
                           const std::array<const float*, faces>&) noexcept;
template void apply_remote(Isa, const OperatorOn<double>&, std::span<const RemoteLeg>,
                           const std::array<const double*, faces>&) noexcept;

}  // namespace weft::milc
#endif  // HWY_ONCE

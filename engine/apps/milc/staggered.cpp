#include "apps/milc/staggered.hpp"

// This file is compiled for each of several units, one after the other: it includes itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "apps/milc/staggered.cpp"  // NOLINT: Highway reads it
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSE4 | HWY_SSSE3)
#include <hwy/foreach_target.h>  // before highway.h

#include "apps/milc/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::milc::HWY_NAMESPACE {

// The real numbers of a site, for some of the lanes.
template <class V>
struct Colour {
  V re0, im0, re1, im1, re2, im2;
};

template <class Get>
HWY_INLINE auto colour_of(const Get& get) {
  return Colour<decltype(get(0))>{get(0), get(1), get(2), get(3), get(4), get(5)};
}

// Loaded once: the compiler would load it again for each of its two products, and the caches would
// limit what the unit can do.
template <class V>
HWY_INLINE void keep([[maybe_unused]] V& v) {
#if HWY_TARGET == HWY_AVX3
  asm("" : "+v"(v.raw));
#elif HWY_TARGET == HWY_AVX2
  asm("" : "+x"(v.raw));
#endif
}

// The sum of so many products of link and site. The products of imaginary parts have sums of their
// own: with six chains of additions the unit would wait for each.
template <class V>
struct Sum {
  V re0, im0, re1, im1, re2, im2;
  V less0, more0, less1, more1, less2, more2;

  HWY_INLINE explicit Sum(V zero) {
    re0 = im0 = re1 = im1 = re2 = im2 = zero;
    less0 = more0 = less1 = more1 = less2 = more2 = zero;
  }

  // A leg on adds U c, a leg back takes U^+ c away; `row(i)` is the i-th real number of U.
  template <bool is_back, class Row>
  HWY_INLINE void add(const Row& row, const Colour<V>& c) {
    column<is_back, 0>(row, c.re0, c.im0);
    column<is_back, 1>(row, c.re1, c.im1);
    column<is_back, 2>(row, c.re2, c.im2);
  }
  HWY_INLINE Colour<V> total() const {
    return {hn::Sub(re0, less0), hn::Add(im0, more0), hn::Sub(re1, less1),
            hn::Add(im1, more1), hn::Sub(re2, less2), hn::Add(im2, more2)};
  }

 private:
  template <bool is_back, std::size_t j, class Row>
  HWY_INLINE void column(const Row& row, V re, V im) {
    one<is_back, 0, j>(row, re, im, re0, im0, less0, more0);
    one<is_back, 1, j>(row, re, im, re1, im1, less1, more1);
    one<is_back, 2, j>(row, re, im, re2, im2, less2, more2);
  }
  template <bool is_back, std::size_t i, std::size_t j, class Row>
  static HWY_INLINE void one(const Row& row, V re, V im, V& sum_re, V& sum_im, V& less, V& more) {
    constexpr std::size_t at =
        2 * (is_back ? 3 * j + i : 3 * i + j);  // NOLINT: both are one if i is j
    V link_re = row(at);
    V link_im = row(at + 1);
    keep(link_re);
    keep(link_im);
    if constexpr (is_back) {
      sum_re = hn::NegMulAdd(link_re, re, sum_re);
      sum_im = hn::NegMulAdd(link_re, im, sum_im);
    } else {
      sum_re = hn::MulAdd(link_re, re, sum_re);
      sum_im = hn::MulAdd(link_re, im, sum_im);
    }
    less = hn::MulAdd(link_im, im, less);
    more = hn::MulAdd(link_im, re, more);
  }
};

template <class R>
HWY_INLINE hn::Mask<Tag<R>> mask_of(std::uint8_t bits, std::size_t first_lane) {
  const std::array<std::uint8_t, 8> own{static_cast<std::uint8_t>(bits >> first_lane)};
  return hn::LoadMaskBits(Tag<R>(), own.data());
}

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
  if (HWY_LIKELY(leg.is_plain != 0)) {
    const R* const plain = source + leg.source * reals_of_site * lanes + first_lane;
    return colour_of([&](std::size_t real)
                         HWY_ATTR { return hn::LoadU(Tag<R>(), plain + real * lanes); });
  }
  return put_together(source, leg, first_lane);
}

// The links of the next block are fetched meanwhile: they lie in pieces that are too short for the
// caches to see them coming.
template <class R>
HWY_INLINE void fetch(const R* links, const LocalLeg& leg) {
  constexpr std::size_t line = 64 / sizeof(R);
  const R* const link = links + leg.link * lanes;
  for (std::size_t at = 0; at < reals_of_link * lanes; at += line) {
    __builtin_prefetch(link + at);
  }
}

template <bool is_back, class R>
HWY_INLINE void add_local(Sum<Reg<R>>& sum, const OperatorOn<R>& on, const LocalLeg& leg,
                          const LocalLeg& next, std::size_t first_lane) {
  if (first_lane == 0) fetch(on.links, next);
  const R* const link = on.links + leg.link * lanes + first_lane;
  sum.template add<is_back>([&](std::size_t at)
                                HWY_ATTR { return hn::LoadU(Tag<R>(), link + at * lanes); },
                            source_of(on.source, leg, first_lane));
}

// Some lanes of all legs of a block; of the next block the links will be needed.
template <class R>
HWY_INLINE Colour<Reg<R>> all_legs(const OperatorOn<R>& on, const LocalLeg* legs,
                                   const LocalLeg* next, std::size_t first_lane) {
  Sum<Reg<R>> sum(hn::Zero(Tag<R>()));
  for (std::size_t leg = 0; leg < 8; ++leg) {
    add_local<false>(sum, on, legs[leg], next[leg], first_lane);
  }
  for (std::size_t leg = 8; leg < 16; ++leg) {
    add_local<true>(sum, on, legs[leg], next[leg], first_lane);
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

template <class R>
void apply_local_on(Unit /*unit*/, const OperatorOn<R>& on, const LocalLeg* legs, std::size_t first,
                    std::size_t last) {
  for (std::size_t block = first; block < last; ++block) {
    const LocalLeg* const own = legs + block * legs_of_site;
    const LocalLeg* const next = block + 1 < last ? own + legs_of_site : own;
    for (std::size_t lane = 0; lane < lanes; lane += width<R>) {
      const std::size_t site = block * reals_of_site * lanes + lane;
      Colour<Reg<R>> sum = all_legs(on, own, next, lane);
      if (on.diagonal != nullptr) sum = plus(sum, on.factor, on.diagonal + site);
      store(sum, on.result + site);
    }
  }
}

template <bool is_back, class R>
HWY_INLINE void add_remote(Sum<Reg<R>>& sum, const OperatorOn<R>& on, const RemoteLeg& leg,
                           const R* message, std::size_t first_lane) {
  const Tag<R> tag;
  const hn::RebindToSigned<Tag<R>> index_tag;
  HWY_ALIGN std::array<Index<R>, lanes> order{};
  for (std::size_t lane = 0; lane < width<R>; ++lane) order[lane] = leg.at[first_lane + lane];
  const auto at = hn::LoadU(index_tag, order.data());
  const auto present = hn::RebindMask(tag, hn::Gt(at, hn::Set(index_tag, Index<R>{no_lane})));
  const auto inside = hn::Max(at, hn::Zero(index_tag));
  const R* const link = on.links + leg.link * lanes + first_lane;
  sum.template add<is_back>(
      [&](std::size_t row) HWY_ATTR { return hn::LoadU(tag, link + row * lanes); },
      colour_of([&](std::size_t real) HWY_ATTR {
        return hn::IfThenElseZero(present, hn::GatherIndex(tag, message + real, inside));
      }));
}

template <class R>
void apply_remote_on(Unit /*unit*/, const OperatorOn<R>& on, std::span<const RemoteLeg> legs,
                     const std::array<const R*, faces>& messages) {
  for (std::size_t at = 0; at < legs.size();) {
    const std::uint32_t block = legs[at].block;
    std::size_t end = at;
    while (end < legs.size() && legs[end].block == block) ++end;
    for (std::size_t lane = 0; lane < lanes; lane += width<R>) {
      Sum<Reg<R>> sum(hn::Zero(Tag<R>()));
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
void apply_local(Isa isa, const OperatorOn<R>& on, std::span<const LocalLeg> legs,
                 std::size_t first, std::size_t last) noexcept {
  on_unit(isa, [&](auto unit) { apply_local_on(unit, on, legs.data(), first, last); });
}
template <class R>
void apply_remote(Isa isa, const OperatorOn<R>& on, std::span<const RemoteLeg> legs,
                  const std::array<const R*, faces>& messages) noexcept {
  on_unit(isa, [&](auto unit) { apply_remote_on(unit, on, legs, messages); });
}

template void apply_local(Isa, const OperatorOn<float>&, std::span<const LocalLeg>, std::size_t,
                          std::size_t) noexcept;
template void apply_local(Isa, const OperatorOn<double>&, std::span<const LocalLeg>, std::size_t,
                          std::size_t) noexcept;
template void apply_remote(Isa, const OperatorOn<float>&, std::span<const RemoteLeg>,
                           const std::array<const float*, faces>&) noexcept;
template void apply_remote(Isa, const OperatorOn<double>&, std::span<const RemoteLeg>,
                           const std::array<const double*, faces>&) noexcept;

}  // namespace weft::milc
#endif  // HWY_ONCE

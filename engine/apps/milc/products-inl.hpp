// Products of links and sites, and their sums, for whichever vector unit is compiled for: included
// once for each, inside its namespace.
#include <hwy/highway.h>

#include <type_traits>

#include "apps/milc/lanes-inl.hpp"

#if defined(WEFT_MILC_PRODUCTS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_MILC_PRODUCTS_INL_HPP
#undef WEFT_MILC_PRODUCTS_INL_HPP
#else
#define WEFT_MILC_PRODUCTS_INL_HPP
#endif

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

template <class R>
HWY_INLINE hn::Mask<Tag<R>> mask_of(std::uint8_t bits, std::size_t first_lane) {
  const std::array<std::uint8_t, 8> own{static_cast<std::uint8_t>(bits >> first_lane)};
  return hn::LoadMaskBits(Tag<R>(), own.data());
}

// Where a register holds twice the lanes, both parts of a number are in one, as they lie.
template <class R>
inline constexpr bool is_joined = HWY_TARGET == HWY_AVX3 && sizeof(R) == 4;
template <class R>
using Joined = hn::CappedTag<R, 2 * lanes>;

// The numbers of a link, row by row: the real part of each and the imaginary one.
template <class R>
class Whole {
 public:
  HWY_INLINE Whole(const R* first) : first_(first) {}

  HWY_INLINE Reg<R> part(std::size_t at) const { return hn::LoadU(Tag<R>(), first_ + at * lanes); }
#if HWY_TARGET == HWY_AVX3
  HWY_INLINE hn::Vec<Joined<R>> number(std::size_t at) const {
    return hn::LoadU(Joined<R>(), first_ + 2 * at * lanes);
  }
#endif

 private:
  const R* first_;
};

// A number times an SU(3) matrix, of which there are two rows: the third one is the conjugate of
// their cross product, over that number. Its size is the same for all links, its sign is not.
template <class R>
class Rebuilt {
 public:
  HWY_INLINE Rebuilt(const R* first, R inverse, hn::Mask<Tag<R>> is_negative) : rows_(first) {
    const Tag<R> tag;
    const Reg<R> scale = hn::IfThenElse(is_negative, hn::Set(tag, -inverse), hn::Set(tag, inverse));
    cross<1, 2>(scale, third_.re0, third_.im0);
    cross<2, 0>(scale, third_.re1, third_.im1);
    cross<0, 1>(scale, third_.re2, third_.im2);
  }

  HWY_INLINE Reg<R> part(std::size_t at) const {
    switch (at) {
      case 12:
        return third_.re0;
      case 13:
        return third_.im0;
      case 14:
        return third_.re1;
      case 15:
        return third_.im1;
      case 16:
        return third_.re2;
      case 17:
        return third_.im2;
      default:
        return rows_.part(at);
    }
  }
#if HWY_TARGET == HWY_AVX3
  HWY_INLINE hn::Vec<Joined<R>> number(std::size_t at) const {
    if (at < 6) return rows_.number(at);
    return hn::Combine(Joined<R>(), part(2 * at + 1), part(2 * at));
  }
#endif

 private:
  template <std::size_t j, std::size_t k>
  HWY_INLINE void cross(Reg<R> scale, Reg<R>& re, Reg<R>& im) const {
    const Reg<R> a_re = part(2 * j);
    const Reg<R> a_im = part(2 * j + 1);
    const Reg<R> b_re = part(2 * k);
    const Reg<R> b_im = part(2 * k + 1);
    const Reg<R> c_re = part(6 + 2 * j);
    const Reg<R> c_im = part(6 + 2 * j + 1);
    const Reg<R> d_re = part(6 + 2 * k);
    const Reg<R> d_im = part(6 + 2 * k + 1);
    // a d - b c.
    const Reg<R> real = hn::NegMulAdd(
        b_re, c_re, hn::MulAdd(b_im, c_im, hn::NegMulAdd(a_im, d_im, hn::Mul(a_re, d_re))));
    const Reg<R> less = hn::MulSub(
        b_re, c_im, hn::NegMulAdd(b_im, c_re, hn::MulAdd(a_im, d_re, hn::Mul(a_re, d_im))));
    re = hn::Mul(scale, real);
    im = hn::Mul(scale, less);
  }

  Whole<R> rows_;
  Colour<Reg<R>> third_;
};

// The sum of so many products of link and site. The products of imaginary parts have sums of their
// own: with six chains of additions the unit would wait for each.
template <class V>
struct Sum {
  V re0, im0, re1, im1, re2, im2;
  V less0, more0, less1, more1, less2, more2;

  HWY_INLINE Sum() {
    const V zero = hn::Zero(hn::DFromV<V>());
    re0 = im0 = re1 = im1 = re2 = im2 = zero;
    less0 = more0 = less1 = more1 = less2 = more2 = zero;
  }

  // A leg on adds U c, a leg back takes U^+ c away.
  template <bool is_back, class Link>
  HWY_INLINE void add(const Link& link, const Colour<V>& c) {
    column<is_back, 0>(link, c.re0, c.im0);
    column<is_back, 1>(link, c.re1, c.im1);
    column<is_back, 2>(link, c.re2, c.im2);
  }
  HWY_INLINE Colour<V> total() const {
    return {hn::Sub(re0, less0), hn::Add(im0, more0), hn::Sub(re1, less1),
            hn::Add(im1, more1), hn::Sub(re2, less2), hn::Add(im2, more2)};
  }

 private:
  template <bool is_back, std::size_t j, class Link>
  HWY_INLINE void column(const Link& link, V re, V im) {
    one<is_back, 0, j>(link, re, im, re0, im0, less0, more0);
    one<is_back, 1, j>(link, re, im, re1, im1, less1, more1);
    one<is_back, 2, j>(link, re, im, re2, im2, less2, more2);
  }
  template <bool is_back, std::size_t i, std::size_t j, class Link>
  static HWY_INLINE void one(const Link& link, V re, V im, V& sum_re, V& sum_im, V& less, V& more) {
    constexpr std::size_t at =
        2 * (is_back ? 3 * j + i : 3 * i + j);  // NOLINT: both are one if i is j
    V link_re = link.part(at);
    V link_im = link.part(at + 1);
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

#if HWY_TARGET == HWY_AVX3
// The same in joined registers: a number of the link times the real part of the site's, and times
// the imaginary part, are a product of four; what belongs together is added at the end. Of a site
// both halves of a register have the same part, for which loads do.
template <class V>
struct JoinedSum {
  V on_re0, on_im0, on_re1, on_im1, on_re2, on_im2;
  V back_re0, back_im0, back_re1, back_im1, back_re2, back_im2;

  HWY_INLINE JoinedSum() {
    const V zero = hn::Zero(hn::DFromV<V>());
    on_re0 = on_im0 = on_re1 = on_im1 = on_re2 = on_im2 = zero;
    back_re0 = back_im0 = back_re1 = back_im1 = back_re2 = back_im2 = zero;
  }

  template <bool is_back, class Link>
  HWY_INLINE void add(const Link& link, const Colour<V>& c) {
    column<is_back, 0>(link, c.re0, c.im0);
    column<is_back, 1>(link, c.re1, c.im1);
    column<is_back, 2>(link, c.re2, c.im2);
  }
  HWY_INLINE auto total() const {
    using Half = decltype(lower(on_re0));
    Colour<Half> sum;
    add_up(on_re0, on_im0, back_re0, back_im0, sum.re0, sum.im0);
    add_up(on_re1, on_im1, back_re1, back_im1, sum.re1, sum.im1);
    add_up(on_re2, on_im2, back_re2, back_im2, sum.re2, sum.im2);
    return sum;
  }

 private:
  static HWY_INLINE auto lower(V v) { return hn::LowerHalf(v); }
  static HWY_INLINE auto upper(V v) { return hn::UpperHalf(hn::Half<hn::DFromV<V>>(), v); }
  // With u, v the parts of a link's number and c, d those of the site's: on_re has u c and v c,
  // on_im u d and v d, and so have those of legs back.
  template <class Half>
  static HWY_INLINE void add_up(V on_re, V on_im, V back_re, V back_im, Half& re, Half& im) {
    re = hn::Sub(hn::Sub(lower(on_re), lower(back_re)), hn::Add(upper(on_im), upper(back_im)));
    im = hn::Add(hn::Add(upper(on_re), upper(back_re)), hn::Sub(lower(on_im), lower(back_im)));
  }
  template <bool is_back, std::size_t j, class Link>
  HWY_INLINE void column(const Link& link, V re, V im) {
    if constexpr (is_back) {
      one<3 * j>(link, re, im, back_re0, back_im0);
      one<3 * j + 1>(link, re, im, back_re1, back_im1);
      one<3 * j + 2>(link, re, im, back_re2, back_im2);
    } else {
      one<j>(link, re, im, on_re0, on_im0);
      one<3 + j>(link, re, im, on_re1, on_im1);
      one<6 + j>(link, re, im, on_re2, on_im2);
    }
  }
  template <std::size_t at, class Link>
  static HWY_INLINE void one(const Link& link, V re, V im, V& sum_re, V& sum_im) {
    V number = link.number(at);
    keep(number);
    sum_re = hn::MulAdd(number, re, sum_re);
    sum_im = hn::MulAdd(number, im, sum_im);
  }
};

template <class R>
using SumOfLegs = std::conditional_t<is_joined<R>, JoinedSum<hn::Vec<Joined<R>>>, Sum<Reg<R>>>;
#else
template <class R>
using SumOfLegs = Sum<Reg<R>>;
#endif

}  // namespace weft::milc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

#include "apps/milc/fields.hpp"

// This file is compiled for each of several units, one after the other: it includes itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "apps/milc/fields.cpp"  // NOLINT: Highway reads it
// Highway gives x86's newer units lower bits: AVX-512 stands for all of those.
#define HWY_DISABLED_TARGETS ((HWY_AVX3 - 1) | HWY_SSE4 | HWY_SSSE3)
#include <hwy/foreach_target.h>  // before highway.h

#include "apps/milc/lanes-inl.hpp"

static_assert(weft::milc::lanes * sizeof(double) == 64);

HWY_BEFORE_NAMESPACE();
namespace weft::milc::HWY_NAMESPACE {

// A register of floats, or of doubles, added to sums in double.
HWY_INLINE void add_up(hn::Vec<Tag<double>>& low, hn::Vec<Tag<double>>& high, Reg<double> more) {
  low = hn::Add(low, more);
  (void)high;
}
// Where a register has room for a block's lanes in double, or for one lane in any precision.
#if HWY_MAX_BYTES >= 64 || HWY_TARGET == HWY_SCALAR
HWY_INLINE void add_up(hn::Vec<Tag<double>>& low, hn::Vec<Tag<double>>& /*high*/, Reg<float> more) {
  low = hn::Add(low, hn::PromoteTo(Tag<double>(), more));
}
#else
HWY_INLINE void add_up(hn::Vec<Tag<double>>& low, hn::Vec<Tag<double>>& high, Reg<float> more) {
  const hn::Half<Tag<float>> half;
  low = hn::Add(low, hn::PromoteTo(Tag<double>(), hn::LowerHalf(half, more)));
  high = hn::Add(high, hn::PromoteTo(Tag<double>(), hn::UpperHalf(half, more)));
}
#endif

// A sum over sites: of the products of a site in the fields' precision, of all sites in double.
struct Total {
  hn::Vec<Tag<double>> low;
  hn::Vec<Tag<double>> high;

  HWY_INLINE Total() { low = high = hn::Zero(Tag<double>()); }
  template <class V>
  HWY_INLINE void add(V of_site) {
    add_up(low, high, of_site);
  }
  HWY_INLINE double value() const {
    const Tag<double> tag;
    return hn::GetLane(hn::SumOfLanes(tag, hn::Add(low, high)));
  }
};

template <class R>
HWY_INLINE Reg<R> product(const R* a, const R* b) {
  const Tag<R> tag;
  Reg<R> sum = hn::Mul(hn::LoadU(tag, a), hn::LoadU(tag, b));
  for (std::size_t real = 1; real < reals_of_site; ++real) {
    sum = hn::MulAdd(hn::LoadU(tag, a + real * lanes), hn::LoadU(tag, b + real * lanes), sum);
  }
  return sum;
}

// The first number of each register of the sites.
template <class R, class Each>
HWY_INLINE void over_sites(std::size_t blocks, const Each& each) {
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t lane = 0; lane < lanes; lane += width<R>) {
      each(block * reals_of_site * lanes + lane);
    }
  }
}

template <class R>
Dots dots_on(Unit /*unit*/, const R* p, const R* q, const R* r, std::size_t blocks) {
  Total pq;
  Total rq;
  Total qq;
  over_sites<R>(blocks, [&](std::size_t at) HWY_ATTR {
    pq.add(product(p + at, q + at));
    rq.add(product(r + at, q + at));
    qq.add(product(q + at, q + at));
  });
  return {.pq = pq.value(), .rq = rq.value(), .qq = qq.value()};
}

template <class R>
double dot_on(Unit /*unit*/, const R* a, const R* b, std::size_t blocks) {
  Total sum;
  over_sites<R>(blocks, [&](std::size_t at) HWY_ATTR { sum.add(product(a + at, b + at)); });
  return sum.value();
}

template <class R>
double advance_on(Unit /*unit*/, R a, const R* p, const R* q, R* x, R* r, std::size_t blocks) {
  const Tag<R> tag;
  const Reg<R> factor = hn::Set(tag, a);
  Total sum;
  over_sites<R>(blocks, [&](std::size_t at) HWY_ATTR {
    for (std::size_t real = 0; real < reals_of_site * lanes; real += lanes) {
      const std::size_t i = at + real;
      hn::StoreU(hn::MulAdd(factor, hn::LoadU(tag, p + i), hn::LoadU(tag, x + i)), tag, x + i);
      hn::StoreU(hn::MulAdd(factor, hn::LoadU(tag, q + i), hn::LoadU(tag, r + i)), tag, r + i);
    }
    sum.add(product<R>(r + at, r + at));
  });
  return sum.value();
}

template <class R>
void turn_on(Unit /*unit*/, R b, const R* r, R* p, std::size_t blocks) {
  const Tag<R> tag;
  const Reg<R> factor = hn::Set(tag, b);
  over_sites<R>(blocks, [&](std::size_t at) HWY_ATTR {
    for (std::size_t real = 0; real < reals_of_site * lanes; real += lanes) {
      const std::size_t i = at + real;
      hn::StoreU(hn::MulAdd(factor, hn::LoadU(tag, p + i), hn::LoadU(tag, r + i)), tag, p + i);
    }
  });
}

}  // namespace weft::milc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::milc {

template <class R>
Dots dots(Isa isa, const R* p, const R* q, const R* r, std::size_t blocks) noexcept {
  return on_unit(isa, [&](auto unit) { return dots_on(unit, p, q, r, blocks); });
}
template <class R>
double dot(Isa isa, const R* a, const R* b, std::size_t blocks) noexcept {
  return on_unit(isa, [&](auto unit) { return dot_on(unit, a, b, blocks); });
}
template <class R>
double advance(Isa isa, R a, const R* p, const R* q, R* x, R* r, std::size_t blocks) noexcept {
  return on_unit(isa, [&](auto unit) { return advance_on(unit, a, p, q, x, r, blocks); });
}
template <class R>
void turn(Isa isa, R b, const R* r, R* p, std::size_t blocks) noexcept {
  on_unit(isa, [&](auto unit) { turn_on(unit, b, r, p, blocks); });
}

template Dots dots(Isa, const float*, const float*, const float*, std::size_t) noexcept;
template Dots dots(Isa, const double*, const double*, const double*, std::size_t) noexcept;
template double dot(Isa, const float*, const float*, std::size_t) noexcept;
template double dot(Isa, const double*, const double*, std::size_t) noexcept;
template double advance(Isa, float, const float*, const float*, float*, float*,
                        std::size_t) noexcept;
template double advance(Isa, double, const double*, const double*, double*, double*,
                        std::size_t) noexcept;
template void turn(Isa, float, const float*, float*, std::size_t) noexcept;
template void turn(Isa, double, const double*, double*, std::size_t) noexcept;

}  // namespace weft::milc
#endif  // HWY_ONCE

// Sums and steps over the sites of a field, for the vector units of this CPU.
#pragma once

#include <cstddef>

#include "apps/milc/vector_unit.hpp"

namespace weft::milc {

/// Sums over a rank's sites: of a site in the fields' precision, of all sites in double.
struct Dots {
  double pq = 0;
  double rq = 0;
  double qq = 0;
  double rr = 0;
};

template <class R>
Dots dots(Isa isa, const R* p, const R* q, const R* r, std::size_t blocks) noexcept;
template <class R>
double dot(Isa isa, const R* a, const R* b, std::size_t blocks) noexcept;
/// x += a p, r += a q; gives |r|^2.
template <class R>
double advance(Isa isa, R a, const R* p, const R* q, R* x, R* r, std::size_t blocks) noexcept;
/// p = r + b p.
template <class R>
void turn(Isa isa, R b, const R* r, R* p, std::size_t blocks) noexcept;

}  // namespace weft::milc

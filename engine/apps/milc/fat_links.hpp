// The links of the improved (asqtad) action: fat links and Naik links from thin ones.
#pragma once

#include <functional>

#include "apps/milc/thin_links.hpp"

namespace weft::milc {

/// Takes the fat and the Naik link of a direction at local coordinates, of which that along the
/// direction may be before the first: to -1 for the fat link, to -3 for the Naik link.
template <class R>
struct Smeared {
  using Take =
      std::function<void(const std::array<int, 4>& at, std::size_t direction, const Matrix<R>&)>;
  Take fat;
  Take naik;
};

/// The improved links of all of a rank's sites, and in split dimensions of those before them that
/// its sites have a leg back to. Coefficients as in MILC (Orginos, Toussaint and Sugar, Phys. Rev.
/// D 60, 054503 (1999), with its tadpole factors): one link 5/8, staples of 3, 5 and 7 links 1/16,
/// 1/64 and 1/384, Lepage's term -1/16, Naik's -1/24, a path of l links divided by u0^(l-1). With
/// the staggered phases inside, and antiperiodic in t. Every number is computed in the same order
/// wherever the borders between ranks are.
template <class R>
void smear(const ThinLinks<R>& thin, double u0, const Smeared<R>& to);

/// eta_t = 1, eta_x = (-1)^t, eta_y = (-1)^(t+x), eta_z = (-1)^(t+x+y).
constexpr int phase_of(const Site& site, std::size_t direction) noexcept {
  std::uint32_t sum = 0;
  if (direction < 3) sum += site[3];
  if (direction == 1 || direction == 2) sum += site[0];
  if (direction == 2) sum += site[1];
  return sum % 2 == 0 ? 1 : -1;
}

extern template void smear(const ThinLinks<float>&, double, const Smeared<float>&);
extern template void smear(const ThinLinks<double>&, double, const Smeared<double>&);

}  // namespace weft::milc

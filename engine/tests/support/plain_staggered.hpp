// The improved staggered operator as its definition reads, on a whole lattice in one piece: slow,
// in double, and with no step of the solver's.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

#include "apps/milc/gauge.hpp"
#include "apps/milc/su3.hpp"

namespace weft::milc::plain {

/// A link of the operator: fat for one step, Naik's for three, phases inside.
using Link = std::function<Matrix<double>(const Site& site, std::size_t direction, int hop)>;
using Field = std::vector<Vector<double>>;

inline Site moved(Site site, std::size_t direction, int by, const Extents& global) {
  const int extent = static_cast<int>(global[direction]);
  site[direction] =
      static_cast<std::uint32_t>((static_cast<int>(site[direction]) + by + 2 * extent) % extent);
  return site;
}

inline Site site_of(std::uint64_t number, const Extents& global) {
  Site site{};
  for (std::size_t dimension = 0; dimension < 4; ++dimension) {
    site[dimension] = static_cast<std::uint32_t>(number % global[dimension]);
    number /= global[dimension];
  }
  return site;
}

inline std::uint32_t parity_of(const Site& site) {
  return (site[0] + site[1] + site[2] + site[3]) % 2;
}

inline Vector<double> times(const Matrix<double>& a, const Vector<double>& b) {
  Vector<double> c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) c[i] = c[i] + a.rows[i][j] * b[j];
  }
  return c;
}

inline void add(Vector<double>& to, double factor, const Vector<double>& more) {
  for (std::size_t i = 0; i < 3; ++i) to[i] = to[i] + factor * more[i];
}

/// D chi of one site.
inline Vector<double> applied_at(const Site& site, const Extents& global, const Link& link,
                                 const Field& chi) {
  Vector<double> sum{};
  for (std::size_t direction = 0; direction < 4; ++direction) {
    for (const int hop : {1, 3}) {
      const Site ahead = moved(site, direction, hop, global);
      const Site behind = moved(site, direction, -hop, global);
      add(sum, 1, times(link(site, direction, hop), chi[number_of(ahead, global)]));
      add(sum, -1, times(adjoint(link(behind, direction, hop)), chi[number_of(behind, global)]));
    }
  }
  return sum;
}

inline Field applied(const Extents& global, const Link& link, const Field& chi) {
  Field result(chi.size());
  for (std::uint64_t number = 0; number < chi.size(); ++number) {
    result[number] = applied_at(site_of(number, global), global, link, chi);
  }
  return result;
}

/// The product of thin links along a path: steps are 1 to 4 for a step on in x to t, negative back.
inline Matrix<double> along(const std::vector<int>& path, Site site, const Extents& global,
                            const Gauge& gauge) {
  Matrix<double> product = Matrix<double>::one();
  for (const int step : path) {
    const auto direction = static_cast<std::size_t>(std::abs(step) - 1);
    if (step > 0) {
      product = product * gauge(site, direction);
      site = moved(site, direction, 1, global);
    } else {
      site = moved(site, direction, -1, global);
      product = product * adjoint(gauge(site, direction));
    }
  }
  return product;
}

struct Term {
  double coefficient;
  std::vector<int> path;
};

/// Every path of a fat link of a direction, with its coefficient.
inline std::vector<Term> paths_of(std::size_t direction, double u0) {
  const int mu = static_cast<int>(direction) + 1;
  const double u2 = 1 / (u0 * u0);
  std::vector<Term> terms{{5.0 / 8, {mu}}};
  std::vector<int> others;
  for (int one = 1; one <= 4; ++one) {
    if (one != mu) others.insert(others.end(), {one, -one});
  }
  for (const int a : others) {
    terms.push_back({u2 / 16, {a, mu, -a}});
    terms.push_back({-u2 * u2 / 16, {a, a, mu, -a, -a}});
    for (const int b : others) {
      if (std::abs(b) == std::abs(a)) continue;
      terms.push_back({u2 * u2 / 64, {a, b, mu, -b, -a}});
      for (const int c : others) {
        if (std::abs(c) == std::abs(a) || std::abs(c) == std::abs(b)) continue;
        terms.push_back({u2 * u2 * u2 / 384, {a, b, c, mu, -c, -b, -a}});
      }
    }
  }
  return terms;
}

/// eta and the lattice's end in t, for a link of so many steps.
inline double sign_of(const Site& site, std::size_t direction, int hop, const Extents& global) {
  const std::uint32_t x = site[0];
  const std::uint32_t y = site[1];
  const std::uint32_t t = site[3];
  const std::array<std::uint32_t, 4> exponents{t, t + x, t + x + y, 0};
  const double eta = exponents[direction] % 2 == 0 ? 1 : -1;
  const bool crosses = direction == 3 && t + static_cast<std::uint32_t>(hop) >= global[3];
  return crosses ? -eta : eta;
}

/// The improved links of a gauge field, all computed at once.
inline Link improved(const Gauge& gauge, const Extents& global, double u0) {
  std::vector<std::array<Matrix<double>, 8>> all(volume_of(global));
  for (std::uint64_t number = 0; number < all.size(); ++number) {
    const Site site = site_of(number, global);
    for (std::size_t direction = 0; direction < 4; ++direction) {
      Matrix<double> fat;
      for (const Term& term : paths_of(direction, u0)) {
        fat = fat + term.coefficient * along(term.path, site, global, gauge);
      }
      const int mu = static_cast<int>(direction) + 1;
      const Matrix<double> naik = (-1 / (24 * u0 * u0)) * along({mu, mu, mu}, site, global, gauge);
      all[number][2 * direction] = sign_of(site, direction, 1, global) * fat;
      all[number][2 * direction + 1] = sign_of(site, direction, 3, global) * naik;
    }
  }
  return [all, global](const Site& site, std::size_t direction, int hop) {
    return all[number_of(site, global)][2 * direction + (hop == 1 ? 0 : 1)];
  };
}

}  // namespace weft::milc::plain

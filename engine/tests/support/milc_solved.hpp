// A field's equation solved to the end on one rank in double, on either parity, to compare with
// what MILC's own solver says of it.
#pragma once

#include <cmath>

#include "apps/milc/conjugate_gradient.hpp"
#include "apps/milc/solver.hpp"
#include "tests/support/plain_staggered.hpp"

namespace weft::milc::solved {

/// (4 m^2 - D^2) x = b, both on the whole lattice.
struct Equation {
  Extents global{};
  Gauge links;
  Source source;
  double u0 = 1;
  double mass = 0;
};

struct Answer {
  double b2 = 0;
  int iterations = 0;
  double x2 = 0;
  /// The true |b - A x| / |b|.
  double residual = 0;
};

/// On the even sites, from x = 0 until the recursive |r|^2 / |b|^2 is below this.
inline Answer on_even_sites(const Equation& equation, double to) {
  const Sublattice whole{equation.global, {}, equation.global};
  const ThinLinks<double> thin(whole, equation.links);
  Solver<double> solver(
      whole, [&](const Smeared<double>& take) { smear<double>(thin, equation.u0, take); },
      equation.mass);
  Answer answer{.b2 = solver.set_source(equation.source)};
  solver.restart();
  Progress progress{answer.b2, answer.b2};
  const auto apply = [&](Half half) {
    solver.local_legs(half, 0, solver.blocks());
    return true;
  };
  constexpr int most_iterations = 1000;
  for (; progress.r2 / answer.b2 >= to && answer.iterations < most_iterations;
       ++answer.iterations) {
    if (!iterate(solver, progress, apply, [](std::span<double>) { return true; })) break;
  }
  solver.apply_to_solution();
  (void)apply(Half::to_odd);
  (void)apply(Half::to_even);
  answer.residual = std::sqrt(solver.residual() / answer.b2);
  answer.x2 = solver.solution_norm();
  return answer;
}

/// The same on the odd sites: x -> x + 1 makes them the even ones, and D stays itself but for signs
/// that do not change lengths.
inline Answer on_odd_sites(const Equation& equation, double to) {
  const auto shifted = [global = equation.global](const Site& site) {
    return plain::moved(site, 0, 1, global);
  };
  Equation other = equation;
  other.links = [&](const Site& site, std::size_t direction) {
    return equation.links(shifted(site), direction);
  };
  other.source = [&](const Site& site) {
    const bool is_other = (site[1] + site[2]) % 2 == 1;
    Vector<double> turned{};
    plain::add(turned, is_other ? -1 : 1, equation.source(shifted(site)));
    return turned;
  };
  return on_even_sites(other, to);
}

/// Links of single precision, made unitary to double precision as MILC does with what it reads: the
/// first row by its length, the second orthogonal to it, the third their conjugate cross product.
inline Matrix<double> unitary(Matrix<double> link) {
  auto& [first, second, third] = link.rows;
  const auto normalise = [](auto& row) {
    double norm = 0;
    for (const auto& one : row) norm += one.re * one.re + one.im * one.im;
    for (auto& one : row) one = (1 / std::sqrt(norm)) * one;
  };
  normalise(first);
  Complex<double> along{};
  for (std::size_t i = 0; i < colours; ++i) along = along + conj(first[i]) * second[i];
  for (std::size_t i = 0; i < colours; ++i) second[i] = second[i] - along * first[i];
  normalise(second);
  for (std::size_t i = 0; i < colours; ++i) {
    const std::size_t j = (i + 1) % colours;
    const std::size_t k = (i + 2) % colours;
    third[i] = conj(first[j] * second[k] - first[k] * second[j]);
  }
  return link;
}

inline Gauge unitary(const Gauge& links) {
  return
      [links](const Site& site, std::size_t direction) { return unitary(links(site, direction)); };
}

}  // namespace weft::milc::solved

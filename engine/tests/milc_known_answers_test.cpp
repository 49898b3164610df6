// What is known of the improved staggered operator: spectra, symmetries, the length of a solution.
#include <gtest/gtest.h>
#include <sched.h>

#include <cmath>
#include <map>
#include <numbers>

#include "patterns/parts/milc_ranks.hpp"
#include "tests/support/milc_world.hpp"

namespace weft::milc {
namespace {

using plain::Field;

World<double> world_of(const Gauge& gauge, const Extents& global, double u0, double mass) {
  const Sublattice whole{global, {}, global};
  std::map<std::array<std::uint32_t, 6>, Matrix<double>> links;
  const auto keep = [&](std::uint32_t hop) {
    return [&links, hop](const std::array<int, 4>& at, std::size_t direction,
                         const Matrix<double>& link) {
      links[{static_cast<std::uint32_t>(at[0]), static_cast<std::uint32_t>(at[1]),
             static_cast<std::uint32_t>(at[2]), static_cast<std::uint32_t>(at[3]),
             static_cast<std::uint32_t>(direction), hop}] = link;
    };
  };
  smear<double>({whole, gauge}, u0, {keep(1), keep(3)});
  return World<double>(
      one_rank(global),
      [&](const Site& site, std::size_t direction, int hop) {
        return links.at({site[0], site[1], site[2], site[3], static_cast<std::uint32_t>(direction),
                         static_cast<std::uint32_t>(hop)});
      },
      mass);
}

// A plane wave of one colour on the even sites.
Field plane_wave(const Extents& global, const std::array<double, 4>& momentum, std::size_t colour) {
  Field wave(volume_of(global));
  for (std::uint64_t number = 0; number < wave.size(); ++number) {
    const Site site = plain::site_of(number, global);
    double angle = 0;
    for (std::size_t d = 0; d < 4; ++d) angle += momentum[d] * site[d];
    wave[number][colour] = {std::cos(angle), std::sin(angle)};
  }
  return even_part(wave, global);
}

// 4 sum f(p)^2, with what a colour's constant phases add to the momentum.
double eigenvalue(const std::array<double, 4>& momentum, double u0) {
  const double u2 = 1 / (u0 * u0);
  double sum = 0;
  for (const double p : momentum) {
    const double f =
        (5.0 / 8 + 3 * u2 / 8 + u2 * u2 * u2 / 8) * std::sin(p) - u2 * std::sin(3 * p) / 24;
    sum += f * f;
  }
  return 4 * sum;
}

// Every fourth momentum or so: all of a 6x4x8x10 lattice are many.
template <class Each>
void for_momenta(const Extents& global, const Each& each) {
  for (std::uint64_t number = 0; number < volume_of(global); number += 97) {
    const Site n = plain::site_of(number, global);
    std::array<double, 4> p{};
    for (std::size_t d = 0; d < 4; ++d) {
      p[d] = 2 * std::numbers::pi * (n[d] + (d == 3 ? 0.5 : 0)) / global[d];
    }
    each(p);
  }
}

TEST(FreeField, PlaneWavesHaveTheKnownEigenvalues) {
  const Extents global{6, 4, 8, 10};
  const Gauge unit = [](const Site&, std::size_t) { return Matrix<double>::one(); };
  for (const double u0 : {1.0, 0.85}) {
    World<double> world = world_of(unit, global, u0, 0);
    for_momenta(global, [&](const std::array<double, 4>& p) {
      const Field wave = plane_wave(global, p, 1);
      Field minus = even_part(world.twice(wave), global);
      for (std::size_t site = 0; site < wave.size(); ++site) {
        plain::add(minus[site], eigenvalue(p, u0), wave[site]);
      }
      EXPECT_LT(norm(minus) / norm(wave), 1e-12);
    });
  }
}

TEST(FreeField, NoWaveHasAnEigenvalueAboveTheLargest) {
  const Extents global{4, 8, 12, 16};
  for (const double u0 : {1.0, 0.85}) {
    for (const double mass : {0.02, 0.7}) {
      const double largest = largest_eigenvalue(mass, u0);
      const double quarter = std::numbers::pi / 2;
      EXPECT_NEAR(largest, 4 * mass * mass + eigenvalue({quarter, quarter, quarter, quarter}, u0),
                  1e-12 * largest);
      for_momenta(global, [&](const std::array<double, 4>& p) {
        EXPECT_LE(4 * mass * mass + eigenvalue(p, u0), largest * (1 + 1e-12));
      });
    }
  }
}

// diag(e^{ia}, e^{ib}, e^{-i(a+b)}) of each direction.
constexpr std::array<std::array<double, 2>, 4> angles{
    {{0.3, 0.7}, {-0.2, 0.5}, {1.1, 0.1}, {0.4, -0.9}}};

double angle_of(std::size_t direction, std::size_t colour) {
  const auto& [a, b] = angles[direction];
  return colour == 0 ? a : colour == 1 ? b : -(a + b);
}

TEST(ConstantDiagonalField, MovesTheMomentaOfEachColour) {
  const Extents global{6, 4, 8, 4};
  const Gauge diagonal = [](const Site&, std::size_t direction) {
    Matrix<double> link;
    for (std::size_t i = 0; i < 3; ++i) {
      const double angle = angle_of(direction, i);
      link.rows[i][i] = {std::cos(angle), std::sin(angle)};
    }
    return link;
  };
  World<double> world = world_of(diagonal, global, 0.9, 0);
  for (std::size_t colour = 0; colour < 3; ++colour) {
    for_momenta(global, [&](std::array<double, 4> p) {
      const Field wave = plane_wave(global, p, colour);
      for (std::size_t d = 0; d < 4; ++d) p[d] += angle_of(d, colour);
      Field minus = even_part(world.twice(wave), global);
      for (std::size_t site = 0; site < wave.size(); ++site) {
        plain::add(minus[site], eigenvalue(p, 0.9), wave[site]);
      }
      EXPECT_LT(norm(minus) / norm(wave), 1e-12);
    });
  }
}

// SU(3) matrices of sites.
Matrix<double> turn_of(const Site& site, const Extents& global) {
  return random_gauge(77, global)(site, 0);
}

Field turned(const Field& field, const Extents& global) {
  Field to(field.size());
  for (std::uint64_t number = 0; number < field.size(); ++number) {
    to[number] = plain::times(turn_of(plain::site_of(number, global), global), field[number]);
  }
  return to;
}

Gauge turned(const Gauge& gauge, const Extents& global) {
  return [gauge, global](const Site& site, std::size_t direction) {
    const Site next = plain::moved(site, direction, 1, global);
    return turn_of(site, global) * gauge(site, direction) * adjoint(turn_of(next, global));
  };
}

TEST(PureGaugeField, HasTheFreeSpectrum) {
  const Extents global{4, 6, 4, 4};
  const Gauge unit = [](const Site&, std::size_t) { return Matrix<double>::one(); };
  World<double> world = world_of(turned(unit, global), global, 1, 0);
  for_momenta(global, [&](const std::array<double, 4>& p) {
    const Field wave = turned(plane_wave(global, p, 2), global);
    Field minus = even_part(world.twice(wave), global);
    for (std::size_t site = 0; site < wave.size(); ++site) {
      plain::add(minus[site], eigenvalue(p, 1), wave[site]);
    }
    EXPECT_LT(norm(minus) / norm(wave), 1e-12);
  });
}

TEST(StaggeredOperator, FollowsAGaugeTransformation) {
  const Extents global{4, 4, 6, 4};
  const Gauge gauge = random_gauge(21, global);
  const Field even = even_part(random_field(global, 22), global);
  World<double> before = world_of(gauge, global, 0.9, 0.1);
  World<double> after = world_of(turned(gauge, global), global, 0.9, 0.1);
  const Field expected = turned(before.twice(even), global);
  EXPECT_LT(norm(difference(after.twice(turned(even, global)), expected)) / norm(expected), 1e-14);
}

TEST(StaggeredOperator, IsAntihermitian) {
  const Extents global{4, 6, 4, 4};
  World<double> world = world_of(random_gauge(31, global), global, 1, 0);
  const Field a = even_part(random_field(global, 32), global);
  Field b = random_field(global, 33);
  b = difference(b, even_part(b, global));
  // <b, D a> with a even, and -<D b, a> with b odd: the second half alone is applied to b.
  world.set_direction(a);
  world.apply(Half::to_odd);
  const Complex<double> one =
      product(b, difference(world.applied(), even_part(world.applied(), global)));
  Field sources = b;
  world.set_direction(sources);
  world.apply(Half::to_even);
  const Complex<double> other = product(even_part(world.applied(), global), a);
  EXPECT_NEAR(one.re, -other.re, 1e-11);
  EXPECT_NEAR(one.im, -other.im, 1e-11);
  EXPECT_GT(std::abs(one.re), 1);
}

struct Solved {
  int iterations = 0;
  double residual = 0;
};

// On one rank, from x = 0, to |r|^2/|b|^2 below this; the true residual.
template <class R, bool one_sum = false>
Solved solve(const Gauge& gauge, const Extents& global, double mass, double to) {
  const Sublattice whole{global, {}, global};
  Solver<R> solver(
      whole,
      [&](const Smeared<R>& take) {
        smear<R>({whole, gauge}, 1, take);
      },
      mass);
  const double b2 = solver.set_source(
      [&](const Site& site) { return random_vector(4, number_of(site, global)); });
  solver.restart();
  Progress progress{b2, b2};
  const auto apply = [&](Half half) {
    solver.local_legs(half, 0, solver.blocks());
    return true;
  };
  const auto sum = [](std::span<double>) { return true; };
  Solved solved;
  while (progress.r2 / b2 > to && solved.iterations < 1000) {
    if constexpr (one_sum) {
      EXPECT_TRUE(iterate_with_one_sum(solver, progress, apply, sum));
    } else {
      EXPECT_TRUE(iterate(solver, progress, apply, sum));
    }
    ++solved.iterations;
  }
  solver.apply_to_solution();
  (void)apply(Half::to_odd);
  (void)apply(Half::to_even);
  solved.residual = std::sqrt(solver.residual() / b2);
  return solved;
}

TEST(ConjugateGradient, OnTheFreeFieldEndsAfterAsManyIterationsAsThereAreEigenvalues) {
  const Gauge unit = [](const Site&, std::size_t) { return Matrix<double>::one(); };
  const Solved four = solve<double>(unit, {4, 4, 4, 4}, 0.1, 1e-26);
  EXPECT_EQ(four.iterations, 4);
  EXPECT_LT(four.residual, 1e-13);
  const Solved six = solve<double>(unit, {6, 6, 6, 6}, 0.1, 1e-26);
  EXPECT_EQ(six.iterations, 8);
  EXPECT_LT(six.residual, 1e-13);
}

// |r|^2 after some iterations: it depends on every bit of every step. In single precision sums in
// double are exact on a small lattice, in whatever order.
template <class R>
double r2_of_team(std::size_t others, LongLinks long_links, bool one_sum) {
  const Extents global{6, 6, 8, 6};
  const Sublattice whole{global, {}, global};
  const Gauge gauge = random_gauge(1, global);
  // All on the CPU that this test may use.
  const std::vector<int> cpus(others, sched_getcpu());
  Solver<R> solver(whole,
                   [&](const Smeared<R>& take) {
                     smear<R>({whole, gauge}, 1, take);
                   },
                   0.2, {.long_links = long_links, .team_cpus = cpus});
  const double b2 = solver.set_source(
      [&](const Site& site) { return random_vector(4, number_of(site, global)); });
  solver.restart();
  Progress progress{b2, b2};
  const auto apply = [&](Half half) {
    solver.begin_local_legs(half);
    solver.local_legs(half, 0, solver.own_blocks());
    solver.end_local_legs();
    return true;
  };
  const auto sum = [](std::span<double>) { return true; };
  for (int iteration = 0; iteration < 12; ++iteration) {
    EXPECT_TRUE(one_sum ? iterate_with_one_sum(solver, progress, apply, sum)
                        : iterate(solver, progress, apply, sum));
  }
  return progress.r2;
}

TEST(ConjugateGradient, IsTheSameBitForBitWithAnyNumberOfThreads) {
  for (const LongLinks long_links : {LongLinks::three_rows, LongLinks::two_rows}) {
    for (const bool one_sum : {false, true}) {
      const double known = r2_of_team<float>(0, long_links, one_sum);
      const double known_in_double = r2_of_team<double>(0, long_links, one_sum);
      for (const std::size_t others : {1U, 2U, 4U}) {
        EXPECT_EQ(r2_of_team<float>(others, long_links, one_sum), known) << others;
        EXPECT_EQ(r2_of_team<double>(others, long_links, one_sum), known_in_double) << others;
      }
    }
  }
}

TEST(ConjugateGradient, WithTwoRowsOfALongLinkIsTheSameButForRounding) {
  const double known = r2_of_team<float>(0, LongLinks::three_rows, false);
  EXPECT_NEAR(r2_of_team<float>(0, LongLinks::two_rows, false), known, 1e-4 * known);
}

TEST(ConjugateGradient, SolvesOnARandomFieldWithEitherNumberOfSums) {
  const Gauge gauge = random_gauge(1, {4, 4, 4, 6});
  const Solved two = solve<double>(gauge, {4, 4, 4, 6}, 0.2, 1e-20);
  const Solved one = solve<double, true>(gauge, {4, 4, 4, 6}, 0.2, 1e-20);
  EXPECT_LT(two.residual, 1e-10);
  EXPECT_LT(one.residual, 1e-10);
  EXPECT_NEAR(two.iterations, one.iterations, 1);
  const Solved single = solve<float>(gauge, {4, 4, 4, 6}, 0.2, 1e-10);
  EXPECT_LT(single.residual, 2e-5);
  const Solved single_one = solve<float, true>(gauge, {4, 4, 4, 6}, 0.2, 1e-10);
  EXPECT_LT(single_one.residual, 2e-5);
}

}  // namespace
}  // namespace weft::milc

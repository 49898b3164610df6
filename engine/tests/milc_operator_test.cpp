// The improved staggered operator against its definition, and what is known of it.
#include <gtest/gtest.h>
#include <sched.h>

#include <cmath>
#include <map>
#include <string>

#include "tests/support/milc_world.hpp"

namespace weft::milc {
namespace {

using plain::Field;

std::vector<Isa> isas() {
  std::vector<Isa> list;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (has(isa)) list.push_back(isa);
  }
  return list;
}

// What the solver's two halves give of an even field: on the odd sites D chi, on the even ones
// (D^2 - 4 m^2) chi.
Field by_definition(const Extents& global, const plain::Link& link, const Field& even,
                    double mass) {
  const Field odd = plain::applied(global, link, even);
  Field both = plain::applied(global, link, odd);
  for (std::uint64_t site = 0; site < both.size(); ++site) {
    if (plain::parity_of(plain::site_of(site, global)) == 1) {
      both[site] = odd[site];
    } else {
      plain::add(both[site], -4 * mass * mass, even[site]);
    }
  }
  return both;
}

// Links and sites of small whole numbers: every sum is exact, in any order and in float.
plain::Link whole_links(const Extents& global) {
  return [global](const Site& site, std::size_t direction, int hop) {
    std::uint64_t place = 8 * number_of(site, global) + 2 * direction + (hop == 1 ? 0 : 1);
    place *= 9;
    Matrix<double> link;
    for (auto& row : link.rows) {
      for (auto& one : row) {
        const std::uint64_t bits = bits_of(7, place++);
        one = {static_cast<double>(bits % 5) - 2, static_cast<double>(bits / 5 % 5) - 2};
      }
    }
    return link;
  };
}

Field whole_field(const Extents& global) {
  Field field(volume_of(global));
  for (std::uint64_t site = 0; site < field.size(); ++site) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t bits = bits_of(8, 3 * site + i);
      field[site][i] = {static_cast<double>(bits % 5) - 2, static_cast<double>(bits / 5 % 5) - 2};
    }
  }
  return even_part(field, global);
}

void expect_equal(const Field& a, const Field& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t site = 0; site < a.size(); ++site) ASSERT_EQ(a[site], b[site]) << site;
}

TEST(RandomGauge, IsInSu3AndHasItsMoments) {
  const Extents global{6, 6, 6, 6};
  const Gauge gauge = random_gauge(3, global);
  double absolute = 0;
  Complex<double> square{};
  Complex<double> cube{};
  std::uint64_t count = 0;
  for (std::uint64_t number = 0; number < volume_of(global); ++number) {
    for (std::size_t direction = 0; direction < 4; ++direction, ++count) {
      const Matrix<double> link = gauge(plain::site_of(number, global), direction);
      const Matrix<double> unit = link * adjoint(link);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          ASSERT_NEAR(unit.rows[i][j].re, i == j ? 1 : 0, 1e-12);
          ASSERT_NEAR(unit.rows[i][j].im, 0, 1e-12);
        }
      }
      ASSERT_NEAR(determinant(link).re, 1, 1e-12);
      ASSERT_NEAR(determinant(link).im, 0, 1e-12);
      const Complex<double> tr = trace(link);
      absolute += (conj(tr) * tr).re;
      square = square + tr * tr;
      cube = cube + tr * tr * tr;
    }
  }
  const double n = static_cast<double>(count);
  // Five standard errors: |Tr|^2 has a variance of 1, Tr^3 one of at most 6.
  EXPECT_NEAR(absolute / n, 1, 5 / std::sqrt(n));
  EXPECT_NEAR(square.re / n, 0, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(square.im / n, 0, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(cube.re / n, 1, 5 * std::sqrt(6 / n));
  EXPECT_NEAR(cube.im / n, 0, 5 * std::sqrt(6 / n));
}

TEST(RandomGauge, ItsPlaquettesHaveTheKnownMeanAndAnotherSeedOthers) {
  const Extents global{6, 4, 6, 8};
  const Gauge gauge = random_gauge(11, global);
  const Gauge other = random_gauge(12, global);
  double sum = 0;
  for (std::uint64_t number = 0; number < volume_of(global); ++number) {
    const Site site = plain::site_of(number, global);
    EXPECT_NE(gauge(site, 2), other(site, 2));
    for (std::size_t direction = 0; direction < 3; ++direction) {
      EXPECT_NE(gauge(site, direction), gauge(site, direction + 1));
    }
    for (int mu = 1; mu <= 4; ++mu) {
      for (int nu = 1; nu < mu; ++nu) {
        sum += trace(plain::along({mu, nu, -mu, -nu}, site, global, gauge)).re / 3;
      }
    }
  }
  const double volume = static_cast<double>(volume_of(global));
  EXPECT_NEAR(sum / (6 * volume), 0, 4 / std::sqrt(108 * volume));
}

TEST(FatLinks, AreTheSumOfTheirPaths) {
  std::map<std::size_t, int> by_length;
  for (const plain::Term& term : plain::paths_of(1, 1)) ++by_length[term.path.size()];
  EXPECT_EQ(by_length, (std::map<std::size_t, int>{{1, 1}, {3, 6}, {5, 24 + 6}, {7, 48}}));
  const Extents global{4, 4, 4, 4};
  const Gauge gauge = random_gauge(5, global);
  const double u0 = 0.86;
  const plain::Link known = plain::improved(gauge, global, u0);
  std::size_t taken = 0;
  const auto compare = [&](int hop) {
    return
        [&, hop](const std::array<int, 4>& at, std::size_t direction, const Matrix<double>& link) {
          const Site site{static_cast<std::uint32_t>(at[0]), static_cast<std::uint32_t>(at[1]),
                          static_cast<std::uint32_t>(at[2]), static_cast<std::uint32_t>(at[3])};
          const Matrix<double> difference = link + -1.0 * known(site, direction, hop);
          ++taken;
          ASSERT_LT(trace(difference * adjoint(difference)).re, 1e-25);
        };
  };
  smear<double>({{global, {}, global}, gauge}, u0, {compare(1), compare(3)});
  EXPECT_EQ(taken, 8 * volume_of(global));
}

TEST(FatLinks, HaveTheKnownMeanSquareOnARandomField) {
  const Extents global{6, 6, 6, 6};
  double fat = 0;
  double naik = 0;
  const auto add_to = [](double& sum) {
    return [&sum](const std::array<int, 4>& /*at*/, std::size_t /*direction*/,
                  const Matrix<float>& link) { sum += trace(link * adjoint(link)).re / 3; };
  };
  smear<float>({{global, {}, global}, random_gauge(9, global)}, 1, {add_to(fat), add_to(naik)});
  const double links = 4 * static_cast<double>(volume_of(global));
  EXPECT_NEAR(fat / links, 25.0 / 64 + 12.0 / 256 + 24.0 / 4096 + 48.0 / 147456, 0.004);
  EXPECT_NEAR(naik / links, 1.0 / 576, 1e-8);
}

TEST(FatLinks, AreTheSameWhereverTheBordersAre) {
  const Extents global{8, 8, 4, 8};
  const Gauge gauge = random_gauge(2, global);
  std::map<std::array<std::uint32_t, 6>, Matrix<float>> whole;
  const auto keep = [&](std::uint32_t hop, const Sublattice& sublattice, bool is_check) {
    return [&whole, hop, sublattice, is_check](const std::array<int, 4>& at, std::size_t direction,
                                               const Matrix<float>& link) {
      std::array<std::uint32_t, 6> name{0, 0, 0, 0, static_cast<std::uint32_t>(direction), hop};
      for (std::size_t d = 0; d < 4; ++d) {
        name[d] = plain::moved(sublattice.origin, d, at[d], sublattice.global)[d];
      }
      if (is_check) {
        ASSERT_EQ(whole.at(name), link);
      } else {
        whole[name] = link;
      }
    };
  };
  const Sublattice all{global, {}, global};
  smear<float>({all, gauge}, 0.9, {keep(1, all, false), keep(3, all, false)});
  const Sublattice sublattice{global, {4, 0, 0, 4}, {4, 8, 4, 4}};
  smear<float>({sublattice, gauge}, 0.9, {keep(1, sublattice, true), keep(3, sublattice, true)});
}

template <class R>
double distance_from_definition(const plain::Link& link, const How& how,
                                const Decomposition& lattice = one_rank({4, 4, 4, 4})) {
  const Extents global = lattice.global();
  const Field even = even_part(random_field(global, 6), global);
  World<R> world(lattice, link, 0.3, how);
  const Field known = by_definition(global, link, even, 0.3);
  return norm(difference(world.twice(even), known)) / norm(known);
}

TEST(StaggeredOperator, IsItsDefinitionInBothPrecisionsOnEveryVectorUnit) {
  const Extents global{4, 4, 4, 4};
  const plain::Link link = plain::improved(random_gauge(5, global), global, 0.9);
  for (const Isa isa : isas()) {
    EXPECT_LT(distance_from_definition<double>(link, {.isa = isa}), 1e-15) << name_of(isa);
    EXPECT_LT(distance_from_definition<float>(link, {.isa = isa}), 5e-7) << name_of(isa);
  }
}

// The tests of this file try every vector unit that there is: those that there are not are said.
TEST(VectorUnits, AreAllTried) {
  std::string lacking;
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (!has(isa)) lacking += " " + std::string(name_of(isa));
  }
  if (!lacking.empty()) GTEST_SKIP() << "not tried, for this machine lacks them:" << lacking;
  EXPECT_EQ(best_isa(), Isa::avx512);
}

// Seams between parts of odd length, and links of both signs on either side of a rank's border.
TEST(StaggeredOperator, IsItsDefinitionWithTwoRowsOfALongLink) {
  const Decomposition lattice = grown(Extents{4, 6, 4, 6}, 4, {.least = 4, .multiple = 2});
  const plain::Link link =
      plain::improved(random_gauge(5, lattice.global()), lattice.global(), 0.9);
  for (const Isa isa : isas()) {
    const How how{LongLinks::two_rows, isa};
    EXPECT_LT(distance_from_definition<double>(link, how, lattice), 1e-15) << name_of(isa);
    EXPECT_LT(distance_from_definition<float>(link, how, lattice), 5e-7) << name_of(isa);
    const Decomposition whole = one_rank(lattice.global());
    EXPECT_LT(distance_from_definition<float>(link, how, whole), 5e-7) << name_of(isa);
  }
}

TEST(StaggeredOperator, IsExactForEveryExtent) {
  for (const Isa isa : isas()) {
    for (const Extents& global : {Extents{4, 4, 4, 4}, Extents{6, 6, 6, 6}, Extents{8, 8, 8, 8},
                                  Extents{10, 4, 6, 4}, Extents{4, 10, 4, 6}, Extents{6, 4, 12, 4},
                                  Extents{4, 4, 6, 14}, Extents{14, 10, 4, 6}}) {
      const Field even = whole_field(global);
      const plain::Link link = whole_links(global);
      World<float> world(one_rank(global), link, 0.5, {.isa = isa});
      expect_equal(world.twice(even), by_definition(global, link, even, 0.5));
    }
  }
}

TEST(StaggeredOperator, IsTheSameBitForBitForEveryDecomposition) {
  for (const Extents& local : {Extents{4, 4, 4, 4}, Extents{6, 4, 4, 6}, Extents{4, 6, 8, 4},
                               Extents{4, 10, 6, 4}, Extents{6, 6, 6, 6}}) {
    for (const int ranks : {2, 4, 8, 16}) {
      const Decomposition lattice = grown(local, ranks, {.least = 4, .multiple = 2});
      const Field even = whole_field(lattice.global());
      const plain::Link link = whole_links(lattice.global());
      World<float> whole(one_rank(lattice.global()), link, 0.5);
      World<float> parts(lattice, link, 0.5);
      expect_equal(parts.twice(even), whole.twice(even));
    }
  }
}

TEST(StaggeredOperator, IsTheSameWithThreadsOnEachOfSomeRanks) {
  const Decomposition lattice = grown(Extents{6, 4, 4, 6}, 4, {.least = 4, .multiple = 2});
  const Field even = whole_field(lattice.global());
  const plain::Link link = whole_links(lattice.global());
  World<float> alone(lattice, link, 0.5);
  const Field known = alone.twice(even);
  for (const std::size_t others : {1U, 3U, 6U}) {
    const std::vector<int> cpus(others, sched_getcpu());
    World<float> team(lattice, link, 0.5, {.team_cpus = cpus});
    expect_equal(team.twice(even), known);
  }
}

TEST(StaggeredOperator, IsTheSameForOtherGridsToo) {
  const plain::Link link = whole_links({16, 12, 8, 8});
  const Field even = whole_field({16, 12, 8, 8});
  World<float> whole(one_rank({16, 12, 8, 8}), link, 0.5);
  const Field known = whole.twice(even);
  for (const Extents& grid : {Extents{4, 1, 1, 1}, Extents{1, 3, 1, 1}, Extents{1, 1, 2, 2},
                              Extents{4, 3, 2, 2}, Extents{1, 1, 1, 2}}) {
    Decomposition lattice{.grid = {grid}, .local = {16, 12, 8, 8}};
    for (std::size_t d = 0; d < 4; ++d) lattice.local[d] /= grid[d];
    World<double> parts(lattice, link, 0.5);
    expect_equal(parts.twice(even), known);
  }
}

}  // namespace
}  // namespace weft::milc

// The operator on a rank of every decomposition, for the extents that are too long to put the whole
// lattice together: messages are what the neighbours would send.
#include <gtest/gtest.h>

#include "tests/support/milc_world.hpp"

namespace weft::milc {
namespace {

constexpr double mass = 0.5;

// Links and sites of small whole numbers, so that every sum is exact, in any order and in float.
Complex<double> whole_number(std::uint64_t bits) {
  return {static_cast<double>(bits % 5) - 2, static_cast<double>(bits / 5 % 5) - 2};
}

// Of few different ones: which of them is a matter of the place.
plain::Link some_links(const Extents& global) {
  std::vector<Matrix<double>> kinds(61);
  std::uint64_t drawn = 0;
  for (Matrix<double>& kind : kinds) {
    for (auto& row : kind.rows) {
      for (auto& one : row) one = whole_number(bits_of(7, drawn++));
    }
  }
  return [kinds, global](const Site& site, std::size_t direction, int hop) {
    const std::uint64_t leg = 2 * direction + (hop == 1 ? 0 : 1);
    return kinds[bits_of(11, 8 * number_of(site, global) + leg) % kinds.size()];
  };
}

plain::Field some_field(const Extents& global) {
  plain::Field field(volume_of(global));
  for (std::uint64_t site = 0; site < field.size(); ++site) {
    std::uint64_t bits = bits_of(8, site);
    for (auto& one : field[site]) {
      one = whole_number(bits);
      bits /= 25;
    }
  }
  return field;
}

class OneRank {
 public:
  OneRank(const Decomposition& lattice, int rank, const plain::Link& link)
      : lattice_(lattice),
        rank_(rank),
        sublattice_{lattice.global(), lattice.origin(rank), lattice.local},
        solver_(sublattice_, links_of<float>(sublattice_, link), mass) {}

  void apply(Half half, const plain::Field& chi) {
    std::array<std::vector<float>, faces> packed;
    Solver<float>::Messages messages{};
    for (std::size_t face = 0; face < faces; ++face) {
      packed[face].resize(solver_.message_reals(face));
      if (packed[face].empty()) continue;
      fill(chi, lattice_.origin(lattice_.grid.neighbour(rank_, face / 2, face % 2 == 0 ? 1 : -1)));
      solver_.pack(half, face ^ 1U, packed[face].data());
      messages[face] = packed[face].data();
    }
    fill(chi, sublattice_.origin);
    solver_.local_legs(half, 0, solver_.blocks());
    solver_.remote_legs(half, messages);
  }
  // On the odd sites D chi, on the even ones D chi - 4 m^2 chi.
  void expect_applied(Half half, const plain::Field& chi, const plain::Link& link) const {
    visit(sublattice_.origin, [&](const Extents& at, const Site& site) {
      if ((plain::parity_of(site) == 1) != (half == Half::to_odd)) return;
      Vector<double> due = plain::applied_at(site, sublattice_.global, link, chi);
      if (half == Half::to_even) {
        plain::add(due, -4 * mass * mass, chi[number_of(site, sublattice_.global)]);
      }
      const Vector<float> found = solver_.applied(at);
      for (std::size_t i = 0; i < colours; ++i) {
        ASSERT_EQ(double{found[i].re}, due[i].re);
        ASSERT_EQ(double{found[i].im}, due[i].im);
      }
    });
  }

 private:
  template <class Each>
  void visit(const Extents& origin, const Each& each) const {
    for (std::uint64_t number = 0; number < volume_of(sublattice_.local); ++number) {
      const Extents at = plain::site_of(number, sublattice_.local);
      Site site = origin;
      for (std::size_t d = 0; d < site.size(); ++d) site[d] += at[d];
      each(at, site);
    }
  }
  void fill(const plain::Field& chi, const Extents& origin) {
    visit(origin, [&](const Extents& at, const Site& site) {
      Vector<float> own;
      const Vector<double>& given = chi[number_of(site, sublattice_.global)];
      for (std::size_t i = 0; i < colours; ++i) {
        own[i] = {static_cast<float>(given[i].re), static_cast<float>(given[i].im)};
      }
      solver_.set_direction(at, own);
    });
  }

  Decomposition lattice_;
  int rank_;
  Sublattice sublattice_;
  Solver<float> solver_;
};

class LongExtents : public testing::TestWithParam<Extents> {};

TEST_P(LongExtents, AreExactOnARankOfEveryDecomposition) {
  for (const int ranks : {1, 2, 4, 8, 16}) {
    const Decomposition lattice = grown(GetParam(), ranks, {.least = 4, .multiple = 2});
    const plain::Link link = some_links(lattice.global());
    const plain::Field chi = some_field(lattice.global());
    OneRank last(lattice, ranks - 1, link);
    for (const Half half : {Half::to_odd, Half::to_even}) {
      last.apply(half, chi);
      last.expect_applied(half, chi, link);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(StaggeredOperator, LongExtents,
                         testing::Values(Extents{10, 10, 10, 10}, Extents{12, 12, 12, 12},
                                         Extents{14, 14, 14, 14}, Extents{4, 10, 12, 14},
                                         Extents{14, 6, 10, 4}));

}  // namespace
}  // namespace weft::milc

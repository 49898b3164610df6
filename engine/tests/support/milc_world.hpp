// All ranks of a solver in one place, without a fabric: messages are handed over by hand.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "apps/milc/conjugate_gradient.hpp"
#include "apps/milc/solver.hpp"
#include "tests/support/plain_staggered.hpp"

namespace weft::milc {

/// Any links, given to a rank's solver as `smear` gives them.
template <class R>
LinksTo<R> links_of(const Sublattice& sublattice, const plain::Link& link) {
  return [sublattice, link](const Smeared<R>& to) {
    for (std::size_t direction = 0; direction < 4; ++direction) {
      for (const int hop : {1, 3}) {
        std::array<int, 4> low{};
        if (sublattice.is_split(direction)) low[direction] = -hop;
        std::array<int, 4> at = low;
        const auto extent = [&](std::size_t dimension) {
          return static_cast<int>(sublattice.local[dimension]);
        };
        for (at[3] = low[3]; at[3] < extent(3); ++at[3]) {
          for (at[2] = low[2]; at[2] < extent(2); ++at[2]) {
            for (at[1] = low[1]; at[1] < extent(1); ++at[1]) {
              for (at[0] = low[0]; at[0] < extent(0); ++at[0]) {
                Site site = sublattice.origin;
                for (std::size_t d = 0; d < 4; ++d)
                  site = plain::moved(site, d, at[d], sublattice.global);
                (hop == 1 ? to.fat : to.naik)(at, direction, as<R>(link(site, direction, hop)));
              }
            }
          }
        }
      }
    }
  };
}

template <class R>
class World {
 public:
  World(const Decomposition& lattice, const plain::Link& link, double mass, const How& how = {})
      : lattice_(lattice) {
    for (int rank = 0; rank < lattice.grid.size(); ++rank) {
      const Sublattice sublattice = sublattice_of(rank);
      ranks_.push_back(
          std::make_unique<Solver<R>>(sublattice, links_of<R>(sublattice, link), mass, how));
    }
  }

  [[nodiscard]] Sublattice sublattice_of(int rank) const {
    return {lattice_.global(), lattice_.origin(rank), lattice_.local};
  }
  Solver<R>& rank(std::size_t rank) { return *ranks_[rank]; }

  void set_direction(const plain::Field& chi) {
    visit([&](Solver<R>& solver, const Extents& at, const Site& site) {
      Vector<R> own;
      const Vector<double>& given = chi[number_of(site, lattice_.global())];
      for (std::size_t i = 0; i < 3; ++i) {
        own[i] = {static_cast<R>(given[i].re), static_cast<R>(given[i].im)};
      }
      solver.set_direction(at, own);
    });
  }
  /// What both halves gave: of the odd sites D chi, of the even ones D t - 4 m^2 chi.
  plain::Field applied() {
    plain::Field result(volume_of(lattice_.global()));
    visit([&](const Solver<R>& solver, const Extents& at, const Site& site) {
      const Vector<R> own = solver.applied(at);
      for (std::size_t i = 0; i < 3; ++i) {
        result[number_of(site, lattice_.global())][i] = {own[i].re, own[i].im};
      }
    });
    return result;
  }

  void apply(Half half) {
    using Message = std::vector<R>;
    std::vector<std::array<Message, faces>> sent(ranks_.size());
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      for (std::size_t face = 0; face < faces; ++face) {
        sent[rank][face].resize(ranks_[rank]->message_reals(face));
        ranks_[rank]->pack(half, face, sent[rank][face].data());
      }
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      typename Solver<R>::Messages messages{};
      for (std::size_t face = 0; face < faces; ++face) {
        const int sign = face % 2 == 0 ? 1 : -1;
        const int from = lattice_.grid.neighbour(static_cast<int>(rank), face / 2, sign);
        messages[face] = sent[static_cast<std::size_t>(from)][face ^ 1U].data();
      }
      ranks_[rank]->begin_local_legs(half);
      ranks_[rank]->local_legs(half, 0, ranks_[rank]->own_blocks());
      ranks_[rank]->end_local_legs();
      ranks_[rank]->remote_legs(half, messages);
    }
  }
  plain::Field twice(const plain::Field& chi) {
    set_direction(chi);
    apply(Half::to_odd);
    apply(Half::to_even);
    return applied();
  }

 private:
  template <class Each>
  void visit(const Each& each) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const Extents origin = lattice_.origin(static_cast<int>(rank));
      for (std::uint64_t number = 0; number < volume_of(lattice_.local); ++number) {
        const Extents at = plain::site_of(number, lattice_.local);
        Site site = origin;
        for (std::size_t dimension = 0; dimension < 4; ++dimension)
          site[dimension] += at[dimension];
        each(*ranks_[rank], at, site);
      }
    }
  }

  Decomposition lattice_;
  std::vector<std::unique_ptr<Solver<R>>> ranks_;
};

inline Decomposition one_rank(const Extents& local) {
  return {.grid = {}, .local = local};
}

inline plain::Field random_field(const Extents& global, std::uint64_t seed) {
  plain::Field field(volume_of(global));
  for (std::uint64_t site = 0; site < field.size(); ++site) field[site] = random_vector(seed, site);
  return field;
}

// Only the even sites of it: what the solver's first half is applied to.
inline plain::Field even_part(plain::Field field, const Extents& global) {
  for (std::uint64_t site = 0; site < field.size(); ++site) {
    if (plain::parity_of(plain::site_of(site, global)) == 1) field[site] = {};
  }
  return field;
}

inline Complex<double> product(const plain::Field& a, const plain::Field& b) {
  Complex<double> sum{};
  for (std::size_t site = 0; site < a.size(); ++site) {
    for (std::size_t i = 0; i < 3; ++i) sum = sum + conj(a[site][i]) * b[site][i];
  }
  return sum;
}

inline double norm(const plain::Field& a) {
  return std::sqrt(product(a, a).re);
}

inline plain::Field difference(plain::Field a, const plain::Field& b) {
  for (std::size_t site = 0; site < a.size(); ++site) plain::add(a[site], -1, b[site]);
  return a;
}

}  // namespace weft::milc

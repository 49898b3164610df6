// What a rank of the staggered solver has: its part of the lattice, its links, its fields.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "apps/gauge_files/gauge_file.hpp"
#include "contract/application.hpp"
#include "patterns/parts/milc_case.hpp"

namespace weft::milc {

/// A rank's share, in either precision.
struct AnyShare : Application {
  explicit AnyShare(bool single) : is_single(single) {}

  /// The true residual over the right-hand side, where it is a number, and the mean Re Tr of the
  /// plaquettes in space and with t.
  [[nodiscard]] Values answers() const override {
    Values values;
    if (std::isfinite(residual)) values.emplace(answers_of::residual, residual);
    if (mean_plaquettes) {
      values.emplace(answers_of::plaquette_space, mean_plaquettes->at(0));
      values.emplace(answers_of::plaquette_time, mean_plaquettes->at(1));
    }
    return values;
  }

  const bool is_single;
  /// Of the last solution; of the whole field.
  double residual = std::numeric_limits<double>::quiet_NaN();
  std::optional<std::array<double, 2>> mean_plaquettes;
};

template <class R, bool is_charged>
struct Share final : AnyShare {
  Share(const Case& spec, int own_rank, int size)
      : AnyShare(sizeof(R) == sizeof(float)),
        lattice(lattice_of(spec, size)),
        rank(own_rank),
        mass(number_of(spec.application, options::mass)),
        u0(number_of(spec.application, options::u0)) {
    const Sublattice sublattice{lattice.global(), lattice.origin(own_rank), lattice.local};
    for (std::size_t dimension = 0; dimension < most_dimensions; ++dimension) {
      if (lattice.grid.is_split(dimension)) {
        split[split_lanes++] = dimension;
        split[split_lanes++] = dimension;
      }
    }
    // In a simulation nothing is computed.
    if (is_charged) return;
    const ThinLinks<R> thin(sublattice, gauge_of(spec, sublattice));
    own_plaquettes = plaquettes(thin);
    const auto links = [&](const Smeared<R>& to) { smear<R>(thin, u0, to); };
    solver.emplace(sublattice, links, mass, how_of(spec));
    own_b2 = solver->set_source([&](const Site& site) {
      return random_vector(spec.seed, number_of(site, sublattice.global));
    });
    for (std::size_t face = 0; face < faces; ++face) {
      expected.resize(std::max(expected.size(), solver->message_reals(face)));
    }
  }

  /// Where a lane's messages go to, and come from.
  [[nodiscard]] std::size_t face_out(std::size_t lane) const noexcept {
    return face_of(split[lane], lane % 2 == 1);
  }
  [[nodiscard]] std::size_t face_in(std::size_t lane) const noexcept {
    return face_of(split[lane], lane % 2 == 0);
  }

  /// Every site gets a content of its own, that of the rank whose first site this is.
  void fill_as(const Extents& origin) noexcept {
    const Layout layout(lattice.local);
    for (std::uint32_t parity = 0; parity < 2; ++parity) {
      for (std::uint32_t block = 0; block < solver->blocks(); ++block) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
          const Extents at = layout.at({parity, block, lane});
          Site site = origin;
          for (std::size_t d = 0; d < most_dimensions; ++d) site[d] += at[d];
          solver->set_direction(at, content_of(number_of(site, lattice.global())));
        }
      }
    }
  }

  Decomposition lattice;
  int rank;
  double mass;
  double u0;
  std::array<std::size_t, faces> split{};
  std::size_t split_lanes = 0;
  std::optional<Solver<R>> solver;
  double own_b2 = 1;
  Plaquettes own_plaquettes;
  /// Of links from a file: what this rank's sites have in its checksum.
  std::optional<gauge_files::Sums> own_sums;
  /// And what the whole file has.
  gauge_files::Sums due_sums;
  /// Room for the content that a message must have.
  std::vector<R> expected;

 private:
  Gauge gauge_of(const Case& spec, const Sublattice& sublattice) {
    const std::string path = text_of(spec.application, options::gauge);
    if (path.empty()) return random_gauge(spec.seed, sublattice.global);
    const gauge_files::GaugeFile file(path);
    file.refuse_other_extents(sublattice.global);
    own_sums = file.share(sublattice.origin, sublattice.local);
    due_sums = gauge_files::sums_called(text_of(spec.application, options::gauge_checksums));
    return file.links();
  }
  static Vector<R> content_of(std::uint64_t site) noexcept {
    // So many whole numbers float has.
    constexpr std::uint64_t numbers = 1U << 24U;
    Vector<R> vector;
    std::uint64_t number = reals_of_site * site;
    for (Complex<R>& one : vector) {
      one.re = static_cast<R>(number++ % numbers);
      one.im = static_cast<R>(number++ % numbers);
    }
    return vector;
  }
};

}  // namespace weft::milc

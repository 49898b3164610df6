// A case of the staggered solver: what it may ask for, and why not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "apps/milc/conjugate_gradient.hpp"
#include "apps/milc/options.hpp"
#include "patterns/parts/faces.hpp"

namespace weft::milc {

inline constexpr LocalRule even_from_four{.least = 4, .multiple = 2};
/// Three layers of half the sites of a face, six numbers each.
inline constexpr std::size_t single_bytes = layers * reals_of_site * sizeof(float) / 2;
inline constexpr std::size_t double_bytes = layers * reals_of_site * sizeof(double) / 2;

inline bool is_single(std::size_t bytes) noexcept {
  return bytes == single_bytes;
}
inline Decomposition lattice_of(const Case& spec, int size) {
  return lattice_on(spec.lattice, size, even_from_four);
}
/// Why a case cannot be; empty when it can.
inline std::string refuse_case(const Case& spec, int size) {
  const Lattice& lattice = spec.lattice;
  if (lattice.dimensions != most_dimensions) {
    return "its lattice has four dimensions; choose --extents like 8 or 4x6x8x8";
  }
  if (lattice.depth != 1 || lattice.compute_ps_per_site != 0) {
    return "its faces and its arithmetic are the solver's; omit --depth and --compute";
  }
  if (lattice.sums == 0) return "its iterations have sums; choose --sums 2, or 1";
  if (lattice.threads > 1 + spec.spare_cpus.size()) {
    return "each of its ranks has " + std::to_string(1 + spec.spare_cpus.size()) + " of the cores" +
           " and is to have " + std::to_string(lattice.threads) +
           " threads; choose fewer --threads, or fewer ranks on a host";
  }
  if (spec.bytes != single_bytes && spec.bytes != double_bytes) {
    return "a site of a face is 36 bytes in single precision and 72 in double; choose --sizes 36, "
           "or 72";
  }
  return refuse_lattice(lattice, size, even_from_four);
}

inline How how_of(const Case& spec) {
  const bool is_short = number_of(spec.application, options::long_links) == rebuilt_reals;
  return {.long_links = is_short ? LongLinks::two_rows : LongLinks::three_rows,
          .team_cpus = std::span(spec.spare_cpus).first(spec.lattice.threads - 1)};
}

}  // namespace weft::milc

// The thin gauge field: an SU(3) matrix for every site and direction of the whole lattice.
#pragma once

#include <cstdint>
#include <functional>

#include "apps/milc/su3.hpp"
#include "apps/process_grid.hpp"

namespace weft::milc {

/// Global coordinates x, y, z, t: 0 to the lattice's extent.
using Site = Extents;

/// The number of a site, x fastest.
constexpr std::uint64_t number_of(const Site& site, const Extents& global) noexcept {
  return site[0] +
         std::uint64_t{global[0]} *
             (site[1] + std::uint64_t{global[1]} * (site[2] + std::uint64_t{global[2]} * site[3]));
}

/// The link of a site in direction 0 to 3: without staggered phases, periodic. Any rank may ask for
/// any link.
using Gauge = std::function<Matrix<double>(const Site& site, std::size_t direction)>;

/// Links drawn from SU(3) by its Haar measure, and for a site one of Gaussian colour vectors with
/// unit variance of each real number: a function of the seed and of where it is on the lattice,
/// whichever rank asks. Gaussian 3x3 by Box and Muller, Gram and Schmidt, divided by the cube root
/// of the determinant's phase.
Gauge random_gauge(std::uint64_t seed, const Extents& global);
Vector<double> random_vector(std::uint64_t seed, std::uint64_t site_number) noexcept;

/// 64 random bits of a place in the sequence of a seed: SplitMix64 of both (Steele, Lea and Flood,
/// Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
constexpr std::uint64_t bits_of(std::uint64_t seed, std::uint64_t place) noexcept {
  const auto mix = [](std::uint64_t bits) {
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBULL;
    return bits ^ (bits >> 31U);
  };
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;
  return mix(mix(seed + golden) + (place + 1) * golden);
}

}  // namespace weft::milc

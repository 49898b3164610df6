// How a lattice is divided among ranks: a grid of one to four dimensions, whose ends meet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft {

inline constexpr std::size_t most_dimensions = 4;

/// A number for each dimension, x first; 1 where a lattice has fewer.
using Extents = std::array<std::uint32_t, most_dimensions>;

constexpr std::uint64_t volume_of(const Extents& extents) noexcept {
  std::uint64_t volume = 1;
  for (const std::uint32_t extent : extents) volume *= extent;
  return volume;
}

/// So many ranks in each dimension, of which x runs fastest. Periodic in all.
struct ProcessGrid {
  Extents ranks{1, 1, 1, 1};

  [[nodiscard]] int size() const noexcept { return static_cast<int>(volume_of(ranks)); }
  [[nodiscard]] bool is_split(std::size_t dimension) const noexcept {
    return ranks.at(dimension) > 1;
  }
  /// How many dimensions have neighbours of other ranks.
  [[nodiscard]] std::size_t split_dimensions() const noexcept;
  [[nodiscard]] Extents coordinates(int rank) const noexcept;
  [[nodiscard]] int rank_at(const Extents& coordinates) const noexcept;
  /// The rank one step on (`sign` 1) or back (-1): itself where the dimension is not split, and the
  /// same one both ways where two ranks share it.
  [[nodiscard]] int neighbour(int rank, std::size_t dimension, int sign) const noexcept;

  friend bool operator==(const ProcessGrid&, const ProcessGrid&) = default;
};

/// The most even factors, the largest first: 2 ranks are 2,1,1,1, 16 are 2,2,2,2, 12 are 3,2,2,1.
/// A lattice of L^4 on each rank is then 2L,L,L,L to (2L)^4. Throws std::invalid_argument
/// for no ranks, and for other than one to four dimensions.
ProcessGrid even_grid(int ranks, std::size_t dimensions);

/// What the extents on a rank must be: so long at least, and a multiple of so many sites.
struct LocalRule {
  std::uint32_t least = 2;
  std::uint32_t multiple = 2;
};

/// A lattice on its ranks.
struct Decomposition {
  ProcessGrid grid;
  /// The extents on each rank, all alike.
  Extents local{1, 1, 1, 1};

  [[nodiscard]] Extents global() const noexcept;
  /// Global coordinates of a rank's first site.
  [[nodiscard]] Extents origin(int rank) const noexcept;
  /// The sites of one layer on a rank across a dimension: those that a face has.
  [[nodiscard]] std::uint64_t face_sites(std::size_t dimension) const noexcept;
};

/// One to four extents that each rank has: the lattice grows with the ranks (weak scaling). Throws
/// std::invalid_argument, with what to choose instead, for extents that break the rule.
Decomposition grown(std::span<const std::uint32_t> local, int ranks, const LocalRule& rule = {});

/// One to four extents of a lattice that the ranks divide (strong scaling): of the grids that the
/// rule allows that with the fewest sites on its faces; of several the most even, then the one that
/// splits the earlier dimensions. Throws std::invalid_argument where there is none.
Decomposition divided(std::span<const std::uint32_t> global, int ranks, const LocalRule& rule = {});

}  // namespace weft

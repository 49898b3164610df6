// The thin links of a rank's sites, and of those around them that its improved links need.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "apps/milc/gauge.hpp"

namespace weft::milc {

/// Where a rank's sites lie on the whole lattice, and in which dimensions others follow them.
struct Sublattice {
  Extents global{};
  Extents origin{};
  Extents local{};

  [[nodiscard]] bool is_split(std::size_t dimension) const noexcept {
    return local.at(dimension) < global.at(dimension);
  }
};

/// Local coordinates: of sites around a rank's own before the first, or behind the last.
using At = std::array<int, 4>;

constexpr At step(At at, std::size_t direction, int by) noexcept {
  at[direction] += by;
  return at;
}

/// Sites from `low` on, up to before `high`, in local coordinates.
struct SiteRange {
  At low{};
  At high{};

  [[nodiscard]] SiteRange wider(std::size_t dimension, bool is_split) const noexcept {
    SiteRange region = *this;
    // Of an undivided dimension all sites are there anyway.
    if (is_split) {
      --region.low[dimension];
      ++region.high[dimension];
    }
    return region;
  }
  template <class Each>
  void visit(const Each& each) const {
    At at{};
    for (at[3] = low[3]; at[3] < high[3]; ++at[3]) {
      for (at[2] = low[2]; at[2] < high[2]; ++at[2]) {
        for (at[1] = low[1]; at[1] < high[1]; ++at[1]) {
          for (at[0] = low[0]; at[0] < high[0]; ++at[0]) each(at);
        }
      }
    }
  }
};

/// A rank's sites and as many around them as paths of its links reach; an undivided dimension is
/// whole and meets its own end.
class Box {
 public:
  explicit Box(const Sublattice& sublattice) : sublattice_(sublattice) {
    constexpr int back = 3;
    constexpr int ahead = 2;
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      const int extent = static_cast<int>(sublattice.local[dimension]);
      const bool is_split = sublattice.is_split(dimension);
      low_[dimension] = is_split ? -back : 0;
      extents_[dimension] = is_split ? extent + back + ahead : extent;
    }
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(extents_[0] * extents_[1]) *
           static_cast<std::size_t>(extents_[2] * extents_[3]);
  }
  [[nodiscard]] std::size_t index(const At& at) const noexcept {
    std::size_t index = 0;
    for (std::size_t dimension = 4; dimension-- > 0;) {
      int place = at[dimension] - low_[dimension];
      if (place >= extents_[dimension]) place -= extents_[dimension];
      if (place < 0) place += extents_[dimension];
      index =
          index * static_cast<std::size_t>(extents_[dimension]) + static_cast<std::size_t>(place);
    }
    return index;
  }
  [[nodiscard]] SiteRange all() const noexcept {
    SiteRange region{low_, low_};
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      region.high[dimension] += extents_[dimension];
    }
    return region;
  }
  [[nodiscard]] SiteRange own() const noexcept {
    SiteRange region;
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      region.high[dimension] = static_cast<int>(sublattice_.local[dimension]);
    }
    return region;
  }
  /// The sites that have a link of a direction which a rank's own sites use: its own, and so many
  /// before them.
  [[nodiscard]] SiteRange used(std::size_t direction, int before) const noexcept {
    SiteRange region = own();
    if (sublattice_.is_split(direction)) region.low[direction] -= before;
    return region;
  }
  [[nodiscard]] Site site(const At& at) const noexcept {
    Site site{};
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      const auto extent = static_cast<int>(sublattice_.global[dimension]);
      const int place = static_cast<int>(sublattice_.origin[dimension]) + at[dimension] + extent;
      site[dimension] = static_cast<std::uint32_t>(place % extent);
    }
    return site;
  }

 private:
  Sublattice sublattice_;
  At low_{};
  At extents_{};
};

/// The links of a box, read once, site by site.
template <class R>
class ThinLinks {
 public:
  /// Throws std::bad_alloc, and what the gauge field throws.
  ThinLinks(const Sublattice& sublattice, const Gauge& gauge);

  [[nodiscard]] const Sublattice& sublattice() const noexcept { return sublattice_; }
  [[nodiscard]] const Box& box() const noexcept { return box_; }
  /// By a site's index in the box.
  [[nodiscard]] const std::vector<Matrix<R>>& in(std::size_t direction) const noexcept {
    return links_[direction];
  }

 private:
  Sublattice sublattice_;
  Box box_;
  std::array<std::vector<Matrix<R>>, 4> links_;
};

/// Sums over a rank's sites of Re Tr of the plaquettes: of the three planes in space, and of the
/// three with t.
struct Plaquettes {
  double space = 0;
  double time = 0;
};

/// MILC's figures, from 0 to 3, are these over three times the sites of the lattice.
template <class R>
Plaquettes plaquettes(const ThinLinks<R>& links) noexcept;

extern template class ThinLinks<float>;
extern template class ThinLinks<double>;
extern template Plaquettes plaquettes(const ThinLinks<float>&) noexcept;
extern template Plaquettes plaquettes(const ThinLinks<double>&) noexcept;

}  // namespace weft::milc

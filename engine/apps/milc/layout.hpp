// Where the sites of a rank lie in its memory: in blocks of eight, of one parity.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/milc/gauge.hpp"

namespace weft::milc {

/// Sites that lie side by side: component by component, a number of each.
inline constexpr std::size_t lanes = 8;
/// Real numbers of a site, and of a link.
inline constexpr std::size_t reals_of_site = 6;
inline constexpr std::size_t reals_of_link = 18;
/// Of a link of which two rows are kept.
inline constexpr std::size_t rebuilt_reals = 12;

/// A rank's sites are cut in two in y, z and t, and the eight parts are the lanes: a block is a
/// site of each. A step inside the parts is one to another block for all lanes alike, whatever the
/// extents; only a step from part to part changes lanes. Where half an extent is odd that step
/// would change parity too, so such parts are displaced by one in x, where no part ends.
class Layout {
 public:
  /// Extents are even, and 4 at least.
  explicit Layout(const Extents& local) noexcept;

  struct Place {
    std::uint32_t parity;
    std::uint32_t block;
    std::uint32_t lane;
  };

  [[nodiscard]] Place place(const Extents& at) const noexcept;
  [[nodiscard]] Extents at(const Place& place) const noexcept;
  /// Of each parity.
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] const Extents& local() const noexcept { return local_; }

 private:
  [[nodiscard]] std::uint32_t displacement(std::uint32_t lane) const noexcept;

  Extents local_;
  /// Of a part.
  Extents part_;
  std::size_t blocks_;
};

/// Where the first real number of a site is in a field of one parity; the others follow at
/// distances of `lanes`.
constexpr std::size_t first_real(const Layout::Place& place) noexcept {
  return place.block * reals_of_site * lanes + place.lane;
}

}  // namespace weft::milc

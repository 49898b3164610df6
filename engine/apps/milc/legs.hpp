// Which sites an operator's sites reach, as tables that are made once: legs inside the rank, those
// to other ranks, and what goes to these.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "apps/milc/fat_links.hpp"
#include "apps/milc/layout.hpp"

namespace weft::milc {

/// Of a site: one step and three in each direction, on and back.
inline constexpr std::size_t legs_of_site = 16;
/// A message has so many layers of a face: those that three steps reach, and one step the first.
inline constexpr std::uint32_t layers = 3;
inline constexpr std::size_t faces = 8;

/// Numbered so that a rank's links are read in the order in which they lie: 8 legs on, direction by
/// direction, one step and three, and in the same order 8 legs back.
struct LegName {
  std::size_t direction;
  std::uint32_t hop;
  bool is_back;
};
constexpr LegName leg_name(std::size_t leg) noexcept {
  return {leg % 8 / 2, leg % 2 == 0 ? 1U : 3U, leg >= 8};
}
/// The faces in the order of messages: of each direction the one ahead, then the one behind.
constexpr std::size_t face_of(std::size_t direction, bool is_back) noexcept {
  return 2 * direction + (is_back ? 1 : 0);
}

/// A leg of a block's eight sites inside the rank.
struct LocalLeg {
  /// Where the links begin, in rows of eight real numbers.
  std::uint32_t link = 0;
  /// The block that the lanes come from, as lane i ^ flip there; where `from_other` has that lane's
  /// bit it is the other block's.
  std::uint32_t source = 0;
  std::uint32_t other = 0;
  std::uint8_t flip : 3 = 0;
  /// Whether all lanes are those of one block in their order.
  std::uint8_t is_plain : 1 = 0;
  std::uint8_t from_other = 0;
  /// A bit for each lane whose leg stays inside the rank.
  std::uint8_t present = 0;
  /// Of links of two rows: a bit for each lane whose coefficient is less than 0.
  std::uint8_t negative = 0;
};

/// A leg of a block of which some lanes come from another rank: by the face, where in its message.
struct RemoteLeg {
  std::uint32_t block = 0;
  std::uint8_t face = 0;
  std::uint8_t leg = 0;
  /// Of each lane the first real number in the message; none for lanes inside the rank.
  std::array<std::int32_t, lanes> at{};
};
inline constexpr std::int32_t no_lane = -1;

/// For the sites of one parity.
struct Legs {
  /// 16 of each block.
  std::vector<LocalLeg> local;
  /// In the order of blocks.
  std::vector<RemoteLeg> remote;
  /// Of each face the first real numbers of the sites that go to the rank there: those of the
  /// nearest layer first, each in the order of its sites.
  std::array<std::vector<std::uint32_t>, faces> packed;
};

struct LegTables {
  std::array<Legs, 2> of_parity;
  /// Rows of links that lie by their own site, and behind them copies: of those that no block has
  /// together for the block that uses them, on the seams between parts and between ranks.
  std::size_t own_rows = 0;
  std::size_t all_rows = 0;
};

/// With so many real numbers of each link of three steps.
LegTables leg_tables(const Sublattice& sublattice, const Layout& layout, std::size_t long_reals);

/// The sites of one parity in a layer across a direction.
constexpr std::size_t sites_of_layer(const Extents& local, std::size_t direction) noexcept {
  return volume_of(local) / local[direction] / 2;
}

/// The row where the own link of a block's sites begins, if those of three steps have so many rows.
inline std::uint32_t own_row(const Layout& layout, const Layout::Place& place,
                             std::size_t direction, std::uint32_t hop,
                             std::size_t long_reals) noexcept {
  const std::size_t site = place.parity * layout.blocks() + place.block;
  return static_cast<std::uint32_t>((4 * site + direction) * (reals_of_link + long_reals) +
                                    (hop == 1 ? 0 : reals_of_link));
}

}  // namespace weft::milc

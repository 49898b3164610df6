// What each format of a gauge file says of its links: where they are, and how they are stored.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apps/gauge_files/bounded_file.hpp"
#include "apps/process_grid.hpp"

namespace weft::gauge_files {

/// A pair of checksums, each the XOR of what is rotated by its number modulo 29, and modulo 31.
struct Sums {
  std::uint32_t of_29 = 0;
  std::uint32_t of_31 = 0;

  friend bool operator==(const Sums&, const Sums&) = default;
};

/// As MILC's and SciDAC's logs have them: "37affb9c 2fc07bbf".
std::string in_words(const Sums& sums);
/// The other way round. Throws std::invalid_argument.
Sums sums_called(const std::string& words);

inline constexpr std::size_t links_of_site = 4;
inline constexpr std::size_t numbers_of_link = 18;

/// Links of a lattice, a site behind the other, x fastest; of each site those in x, y, z and t, row
/// by row, real and imaginary part.
struct LinkData {
  std::string_view format;
  Extents extents{};
  /// Of the first site, in the file.
  std::uint64_t begins_at = 0;
  bool is_double = false;
  std::endian order = std::endian::big;
  /// What the file says its checksums are: of its words (MILC), or of its sites (SciDAC).
  std::optional<Sums> of_words = std::nullopt;
  std::optional<Sums> of_sites = std::nullopt;

  [[nodiscard]] std::size_t number_bytes() const noexcept { return is_double ? 8 : 4; }
  [[nodiscard]] std::size_t site_bytes() const noexcept {
    return links_of_site * numbers_of_link * number_bytes();
  }
};

/// Each knows files of its format by their beginning, nothing for those of another. Throws
/// std::runtime_error where a file is of the format but no whole gauge field.
/// MILC, version 5: io_lat4.c of the MILC code.
std::optional<LinkData> milc_v5(const BoundedFile& file);
/// SciDAC: QIO of USQCD, in records of LIME.
std::optional<LinkData> scidac(const BoundedFile& file);
/// ILDG: Binary File Format for ILDG Configurations, revision 1.1, in records of LIME.
std::optional<LinkData> ildg(const BoundedFile& file);

/// Throws std::runtime_error for extents that no lattice has: from 1 to 4096, 2^32 sites at most.
void refuse_extents(const BoundedFile& file, const Extents& extents);

}  // namespace weft::gauge_files

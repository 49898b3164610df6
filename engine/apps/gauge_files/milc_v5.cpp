#include <algorithm>
#include <array>
#include <span>

#include "apps/gauge_files/formats.hpp"
#include "apps/gauge_files/numbers.hpp"

namespace weft::gauge_files {

namespace {

constexpr std::uint32_t milc_magic = 0x4e87;
// Of versions before, without checksums.
constexpr std::uint32_t old_milc_magic = 0xe7da;
// Words at which the header has its extents, the order of the sites and the checksums; a time stamp
// of 64 characters is between.
constexpr std::size_t extents_at = 1;
constexpr std::size_t order_at = 21;
constexpr std::size_t sums_at = 22;
constexpr std::size_t header_words = 24;

}  // namespace

std::optional<LinkData> milc_v5(const BoundedFile& file) {
  std::array<std::byte, 4 * header_words> header{};
  if (file.bytes() < 4) return std::nullopt;
  file.read(0, std::span(header).first(4));
  const auto word = [&](std::size_t at, std::endian order) {
    return word_of(std::span(header).subspan(4 * at).first<4>(), order);
  };
  std::optional<std::endian> order;
  for (const std::endian one : {std::endian::little, std::endian::big}) {
    if (word(0, one) == milc_magic) order = one;
    if (word(0, one) == old_milc_magic) {
      file.refuse("is a MILC file of before version 5, without checksums",
                  "convert it to version 5, SciDAC or ILDG and choose that with --gauge");
    }
  }
  if (!order) return std::nullopt;
  file.read(0, header);
  LinkData data{.format = "MILC v5", .begins_at = header.size(), .order = *order};
  for (std::size_t d = 0; d < data.extents.size(); ++d) {
    data.extents[d] = word(extents_at + d, *order);
  }
  refuse_extents(file, data.extents);
  if (word(order_at, *order) != 0) {
    file.refuse("has its sites in the order of the machine that wrote it",
                "write it in natural order (save_serial) and choose that with --gauge");
  }
  data.of_words = Sums{word(sums_at, *order), word(sums_at + 1, *order)};
  const std::uint64_t due = data.begins_at + volume_of(data.extents) * data.site_bytes();
  if (file.bytes() != due) {
    file.refuse("has " + std::to_string(file.bytes()) + " bytes where its lattice takes " +
                    std::to_string(due),
                "copy the whole file again, or choose another with --gauge");
  }
  return data;
}

}  // namespace weft::gauge_files

#include <algorithm>

#include "apps/gauge_files/scidac.hpp"

namespace weft::gauge_files {

namespace {

constexpr std::string_view format_record = "ildg-format";

std::uint32_t number_in(const Lime& lime, std::string_view tag) {
  const std::vector<std::uint32_t> numbers = lime.numbers(format_record, tag);
  if (numbers.size() != 1) {
    lime.file().refuse("has no " + std::string(tag) + " in its record " +
                       std::string(format_record));
  }
  return numbers[0];
}

}  // namespace

std::optional<LinkData> ildg(const BoundedFile& file) {
  if (!is_lime(file)) return std::nullopt;
  const Lime lime(file);
  if (lime.find(format_record) == nullptr) return std::nullopt;
  const std::string field = lime.field(format_record, "field");
  if (!field.empty() && field != "su3gauge") file.refuse("is no gauge field but " + field);
  LinkData data{.format = "ILDG"};
  constexpr std::array names{"lx", "ly", "lz", "lt"};
  for (std::size_t d = 0; d < names.size(); ++d) data.extents[d] = number_in(lime, names.at(d));
  refuse_extents(file, data.extents);
  const std::uint32_t bits = number_in(lime, "precision");
  if (bits != 32 && bits != 64) {
    file.refuse("has numbers of " + std::to_string(bits) +
                " bits where a gauge field has 32 or 64");
  }
  data.is_double = bits == 64;
  // SciDAC's records beside are optional, and have to agree.
  refuse_other_records(lime);
  if (const std::optional<Extents> other = extents_of(lime); other && *other != data.extents) {
    file.refuse("has two records that differ in the lattice");
  }
  data.of_sites = sums_of(lime);
  find_links(lime, "ildg-binary-data", data);
  return data;
}

}  // namespace weft::gauge_files

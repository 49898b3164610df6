#include "apps/gauge_files/scidac.hpp"

#include <algorithm>

#include "contract/wording.hpp"

namespace weft::gauge_files {

namespace {

constexpr std::string_view file_record = "scidac-private-file-xml";
constexpr std::string_view field_record = "scidac-private-record-xml";
constexpr std::string_view sums_record = "scidac-checksum";
constexpr std::string_view links_record = "scidac-binary-data";
constexpr int hexadecimal = 16;

// A field of the record of the links that has to be this, where it is there.
void refuse_other(const Lime& lime, std::string_view tag, std::string_view due) {
  const std::string found = lime.field(field_record, tag);
  if (found.empty() || found == due) return;
  lime.file().refuse("is no gauge field: its " + std::string(tag) + " is " + found +
                     " where a gauge field has " + std::string(due));
}

}  // namespace

void refuse_other_records(const Lime& lime) {
  const bool is_double = lime.field(field_record, "precision") == "D";
  refuse_other(lime, "datacount", "4");
  refuse_other(lime, "typesize", is_double ? "144" : "72");
  refuse_other(lime, "precision", is_double ? "D" : "F");
  refuse_other(lime, "colors", "3");
  // A field and no single number; the name has changed.
  refuse_other(lime, "globaldata", "0");
  refuse_other(lime, "recordtype", "0");
  if (const std::string volume = lime.field(file_record, "volfmt");
      !volume.empty() && volume != "0") {
    lime.file().refuse("is one of several parts of a field",
                       "write it as a single file and choose that with --gauge");
  }
}

std::optional<Extents> extents_of(const Lime& lime) {
  const std::vector<std::uint32_t> dims = lime.numbers(file_record, "dims");
  if (dims.empty()) return std::nullopt;
  Extents extents{};
  if (dims.size() != extents.size()) {
    lime.file().refuse("has a lattice of " + counted(dims.size(), "dimension"));
  }
  std::copy(dims.begin(), dims.end(), extents.begin());
  refuse_extents(lime.file(), extents);
  return extents;
}

std::optional<Sums> sums_of(const Lime& lime) {
  if (lime.find(sums_record) == nullptr) return std::nullopt;
  const std::vector<std::uint32_t> a = lime.numbers(sums_record, "suma", hexadecimal);
  const std::vector<std::uint32_t> b = lime.numbers(sums_record, "sumb", hexadecimal);
  if (a.size() != 1 || b.size() != 1) {
    lime.file().refuse("has a damaged record " + std::string(sums_record));
  }
  return Sums{a[0], b[0]};
}

void find_links(const Lime& lime, std::string_view type, LinkData& data) {
  const LimeRecord* const record = lime.find(type);
  if (record == nullptr) {
    lime.file().refuse("has no record " + std::string(type),
                       "copy the whole file again, or choose another with --gauge");
  }
  const std::uint64_t due = volume_of(data.extents) * data.site_bytes();
  if (record->bytes != due) {
    lime.file().refuse("has " + std::to_string(record->bytes) +
                       " bytes of links where its lattice" + " takes " + std::to_string(due));
  }
  data.begins_at = record->begins_at;
}

std::optional<LinkData> scidac(const BoundedFile& file) {
  if (!is_lime(file)) return std::nullopt;
  const Lime lime(file);
  const std::optional<Extents> extents = extents_of(lime);
  const std::string precision = lime.field(field_record, "precision");
  if (!extents || precision.empty() || lime.find("ildg-format") != nullptr) return std::nullopt;
  refuse_other_records(lime);
  LinkData data{.format = "SciDAC", .extents = *extents, .is_double = precision == "D"};
  data.of_sites = sums_of(lime);
  find_links(lime, links_record, data);
  return data;
}

}  // namespace weft::gauge_files

// What SciDAC's records say, in files of both kinds that have them.
#pragma once

#include <optional>

#include "apps/gauge_files/formats.hpp"
#include "apps/gauge_files/lime.hpp"

namespace weft::gauge_files {

/// Throws std::runtime_error where a private record says that it is no gauge field.
void refuse_other_records(const Lime& lime);
/// The extents of the file's private record; nothing where it has none.
std::optional<Extents> extents_of(const Lime& lime);
/// The checksums of the sites; nothing where they were not written.
std::optional<Sums> sums_of(const Lime& lime);
/// Where the links begin. Throws std::runtime_error where the record is not as long as they are.
void find_links(const Lime& lime, std::string_view type, LinkData& data);

}  // namespace weft::gauge_files

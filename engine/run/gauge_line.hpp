// What a program says of a gauge file.
#pragma once

#include <string>

namespace weft {

/// Its format, extents, precision and checksums, all checked (docs/engine-protocol.md); or the
/// reason why it cannot be used.
std::string gauge_line(const std::string& path);

}  // namespace weft

#include "run/gauge_line.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "apps/gauge_files/gauge_file.hpp"
#include "run/json_text.hpp"

namespace weft {

std::string gauge_line(const std::string& path) {
  try {
    const gauge_files::GaugeFile file(path);
    const gauge_files::LinkData& data = file.data();
    const gauge_files::Sums sums = file.check();
    return dump({{"kind", "gauge"},
                 {"reason", ""},
                 {"format", data.format},
                 {"extents", data.extents},
                 {"precision", data.is_double ? "double" : "single"},
                 {"checksums", {sums.of_29, sums.of_31}}});
  } catch (const std::runtime_error& error) {
    return dump({{"kind", "gauge"}, {"reason", error.what()}});
  }
}

}  // namespace weft

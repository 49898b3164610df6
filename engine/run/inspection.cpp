#include "run/inspection.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "run/json_text.hpp"

namespace weft {

std::string inspection_line(std::span<const Inspector> known, const std::string& asked) {
  const std::size_t dot = asked.find('.');
  const std::size_t equals = asked.find('=');
  if (dot == std::string::npos || equals == std::string::npos || equals < dot) {
    throw std::invalid_argument("--inspect takes TEST.OPTION=FILE, not '" + asked + "'");
  }
  const std::string test = asked.substr(0, dot);
  const auto* const end = known.data() + known.size();
  const auto* const one =
      std::find_if(known.data(), end, [&](const Inspector& each) { return each.test == test; });
  if (one == end) throw std::invalid_argument("no test " + test + " reads files; see --describe");
  try {
    const FileFacts facts =
        one->inspect(asked.substr(dot + 1, equals - dot - 1), asked.substr(equals + 1));
    return dump({{"kind", "inspection"},
                 {"reason", ""},
                 {"extents", facts.extents},
                 {"application", to_json(facts.values)}});
  } catch (const std::runtime_error& error) {
    return dump({{"kind", "inspection"}, {"reason", error.what()}});
  }
}

}  // namespace weft

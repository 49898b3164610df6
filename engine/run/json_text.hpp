// A JSON value as one line of text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace weft {

/// A library's text (a host name, a reason) may hold any byte; a line must stay JSON all the same.
inline std::string dump(const nlohmann::json& object) {
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace weft

// A JSON value as one line of text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "contract/values.hpp"

namespace weft {

/// A library's text (a host name, a reason) may hold any byte; a line must stay JSON all the same.
inline std::string dump(const nlohmann::json& object) {
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The pairs of an application as an object of numbers and texts.
inline nlohmann::json to_json(const Values& values) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [name, value] : values) {
    std::visit([&, &key = name](const auto& one) { object[key] = one; }, value);
  }
  return object;
}

}  // namespace weft

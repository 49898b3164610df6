// What a program says of a file that an application's option names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "contract/task.hpp"
#include "contract/values.hpp"

namespace weft {

/// A benchmark that reads files: throws std::runtime_error for one that it cannot take.
struct Inspector {
  std::string_view test;
  FileFacts (*inspect)(std::string_view option, const std::string& path) = nullptr;
};

/// Those of a list of patterns.
template <class... Patterns>
std::vector<Inspector> inspectors_of(const std::tuple<Patterns...>* /*list*/) {
  std::vector<Inspector> found;
  const auto take = [&]<class P>(const P* /*pattern*/) {
    if constexpr (requires { P::inspect; }) found.push_back({P::info.name, P::inspect});
  };
  (take(static_cast<const Patterns*>(nullptr)), ...);
  return found;
}

/// The answer to --inspect TEST.OPTION=FILE. Throws std::invalid_argument for what is none.
std::string inspection_line(std::span<const Inspector> known, const std::string& asked);

}  // namespace weft

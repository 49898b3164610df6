// What an application is given for a case, and what it answers: pairs that it alone understands.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weft {

using Value = std::variant<double, std::string>;
using Values = std::map<std::string, Value, std::less<>>;

/// An option of an application: a number in its range, or a text. A case that does not name it has
/// the usual one.
struct ApplicationOption {
  std::string_view name;
  std::string_view summary;
  bool is_text = false;
  double usual = 0;
  double least = 0;
  double most = 0;
  /// What a number is a multiple of; 0: of nothing.
  double step = 0;
  /// What each unit of a number has a site of a rank move in an iteration, and keep.
  std::uint32_t moved_bytes_per_site = 0;
  std::uint32_t set_bytes_per_site = 0;
};

/// Why an application cannot take these; empty when it can.
std::string refuse_values(const Values& given, std::span<const ApplicationOption> known);

/// The value of an option where it was not refused.
double number_of(const Values& given, const ApplicationOption& option);
std::string text_of(const Values& given, const ApplicationOption& option);

/// What an application says of a file that one of its options names: the lattice of it, and pairs.
struct FileFacts {
  std::vector<std::uint32_t> extents;
  Values values;
};

}  // namespace weft

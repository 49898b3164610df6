// Numbers in sentences: one of a thing, or several.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

/// The digits of a whole number with its thousands apart: "1,024".
inline std::string in_thousands(std::string digits) {
  constexpr std::size_t group = 3;
  for (std::size_t left = digits.size(); left > group;) {
    left -= group;
    digits.insert(left, 1, ',');
  }
  return digits;
}

/// So many of something: "1 rank", "0 ranks", "1,024 ranks". The noun is as of one.
template <class Number>
std::string counted(Number number, std::string_view noun) {
  const bool is_long = noun.ends_with("x") || noun.ends_with("ch") || noun.ends_with("sh");
  const std::string_view ending = number == 1 ? "" : is_long ? "es" : "s";
  return in_thousands(std::to_string(number)) + " " + std::string(noun) + std::string(ending);
}

/// The verb of so many, given as of several: "1 rank needs", "2 ranks need".
template <class Number>
std::string verb_of(Number number, std::string_view verb) {
  return std::string(verb) + (number == 1 ? "s" : "");
}

}  // namespace weft

#include "contract/values.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace weft {

namespace {

bool is_multiple(double number, double step) {
  return step == 0 || std::fmod(number, step) == 0;
}

std::string refuse_value(const Value& value, const ApplicationOption& option) {
  const auto* const number = std::get_if<double>(&value);
  std::ostringstream text;
  text << option.name << " must be ";
  if (option.is_text) {
    text << "a text";
    return number == nullptr ? "" : text.str();
  }
  if (number != nullptr && *number >= option.least && *number <= option.most &&
      is_multiple(*number, option.step)) {
    return "";
  }
  text << "a number from " << option.least << " to " << option.most;
  if (option.step > 0) text << ", a multiple of " << option.step;
  if (number != nullptr) text << ", not " << *number;
  return text.str();
}

}  // namespace

std::string refuse_values(const Values& given, std::span<const ApplicationOption> known) {
  for (const auto& [name, value] : given) {
    const auto* const option =
        std::find_if(known.data(), known.data() + known.size(),
                     [&name = name](const ApplicationOption& one) { return one.name == name; });
    if (option == known.data() + known.size()) {
      std::string typed = name;
      std::replace(typed.begin(), typed.end(), '_', '-');
      return "the test has no option " + name + "; omit --" + typed;
    }
    if (std::string reason = refuse_value(value, *option); !reason.empty()) return reason;
  }
  return "";
}

double number_of(const Values& given, const ApplicationOption& option) {
  const auto found = given.find(option.name);
  return found == given.end() ? option.usual : std::get<double>(found->second);
}

std::string text_of(const Values& given, const ApplicationOption& option) {
  const auto found = given.find(option.name);
  return found == given.end() ? "" : std::get<std::string>(found->second);
}

}  // namespace weft

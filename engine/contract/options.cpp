#include "contract/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "contract/wording.hpp"

namespace weft {

namespace {

int whole_number(std::string_view flag, std::string_view text, int low, int high) {
  int value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || value < low ||
      value > high) {
    throw std::invalid_argument(std::string(flag) + " takes a number from " + std::to_string(low) +
                                " to " + std::to_string(high) + ", not '" + std::string(text) +
                                "'");
  }
  return value;
}

std::vector<int> cpu_list(std::string_view text) {
  constexpr int highest_cpu = 1 << 16;
  std::vector<int> cpus;
  while (true) {
    const std::size_t comma = text.find(',');
    cpus.push_back(whole_number("--cpus", text.substr(0, comma), 0, highest_cpu));
    if (comma == std::string_view::npos) return cpus;
    text.remove_prefix(comma + 1);
  }
}

void set_option(LinkOptions& link, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    throw std::invalid_argument("--option takes NAME=VALUE, not '" + std::string(text) + "'");
  }
  link.set(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

Placement placement_called(std::string_view name) {
  if (name == "same-socket") return Placement::same_socket;
  if (name == "other-socket") return Placement::other_socket;
  if (name == "near-device") return Placement::near_device;
  throw std::invalid_argument("--placement takes same-socket, other-socket or near-device, not '" +
                              std::string(name) + "'");
}

void apply(Options& options, std::string_view flag, std::string_view value) {
  if (flag == "--cpus") options.cpus = cpu_list(value);
  if (flag == "--inspect") options.inspect = value;
  if (flag == "--refuse") options.refuses_on = whole_number("--refuse", value, 1, most_ranks);
  if (flag == "--mode") options.mode = value;
  if (flag == "--placement") options.placement = placement_called(value);
  if (flag == "--option") set_option(options.link, value);
}

}  // namespace

namespace {

std::vector<std::string> items_of(const std::string& list) {
  std::vector<std::string> items;
  std::size_t start = 0;
  while (true) {
    const std::size_t comma = list.find(',', start);
    items.push_back(list.substr(start, comma - start));
    if (comma == std::string::npos) return items;
    start = comma + 1;
  }
}

}  // namespace

void LinkOptions::set(std::string name, std::string value) {
  given_.emplace_back(std::move(name), std::move(value));
}

void LinkOptions::refuse_unknown(std::string_view transport, std::span<const Setting> known) const {
  for (const auto& option : given_) {
    const std::string& name = option.first;
    const bool is_known = std::any_of(known.begin(), known.end(),
                                      [&](const Setting& setting) { return setting.name == name; });
    if (is_known) continue;
    std::string names;
    for (const Setting& setting : known) names += " " + std::string(setting.name);
    throw std::invalid_argument(std::string(transport) + " has no option " + name +
                                (names.empty() ? "; it takes none" : "; it takes" + names));
  }
}

std::string LinkOptions::text(std::string_view name, std::string_view otherwise) const {
  std::string value(otherwise);
  for (const auto& [key, text] : given_) {
    if (key == name) value = text;
  }
  return value;
}

int LinkOptions::number(std::string_view name, int otherwise, int low, int high) const {
  const std::string given = text(name);
  return given.empty() ? otherwise : whole_number("option " + std::string(name), given, low, high);
}

std::size_t LinkOptions::longest_list() const {
  std::size_t longest = 1;
  for (const auto& option : given_) longest = std::max(longest, items_of(option.second).size());
  return longest;
}

LinkOptions LinkOptions::of_rail(std::size_t rail) const {
  LinkOptions chosen;
  for (const auto& [name, value] : given_) {
    const std::vector<std::string> items = items_of(value);
    if (items.size() != 1 && rail >= items.size()) {
      throw std::invalid_argument("option " + name + " has " + counted(items.size(), "item") +
                                  " where another has more; give each rail one, or all one");
    }
    chosen.set(name, items[items.size() == 1 ? 0 : rail]);
  }
  return chosen;
}

bool LinkOptions::flag(std::string_view name, bool otherwise) const {
  const std::string given = text(name);
  if (given.empty()) return otherwise;
  if (given == "yes" || given == "no") return given == "yes";
  throw std::invalid_argument("option " + std::string(name) + " takes yes or no, not '" + given +
                              "'");
}

Options parse_options(int argc, const char* const* argv) {
  Options options;
  const std::span<const char* const> given(argv + 1, static_cast<std::size_t>(argc - 1));
  for (std::size_t at = 0; at < given.size(); ++at) {
    const std::string_view flag = given[at];
    if (flag == "--describe") {
      options.describe = true;
      continue;
    }
    constexpr std::array flags{"--inspect", "--refuse",    "--cpus",
                               "--mode",    "--placement", "--option"};
    if (std::find(flags.begin(), flags.end(), flag) == flags.end()) {
      throw std::invalid_argument(
          "unknown option " + std::string(flag) +
          "; there are --describe, --inspect, --refuse, --cpus, --mode, --placement and --option");
    }
    if (++at == given.size()) throw std::invalid_argument(std::string(flag) + " needs a value");
    apply(options, flag, given[at]);
  }
  return options;
}

}  // namespace weft

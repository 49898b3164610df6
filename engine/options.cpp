#include "options.hpp"

#include <charconv>
#include <span>
#include <stdexcept>
#include <string_view>

namespace weft {

namespace {

int whole_number(std::string_view flag, std::string_view text, int high) {
  int value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || value < 0 ||
      value > high) {
    throw std::invalid_argument(std::string(flag) + " wants a number from 0 to " +
                                std::to_string(high) + ", not '" + std::string(text) + "'");
  }
  return value;
}

std::vector<int> cpu_list(std::string_view text) {
  constexpr int highest_cpu = 1 << 16;
  std::vector<int> cpus;
  while (true) {
    const std::size_t comma = text.find(',');
    cpus.push_back(whole_number("--cpus", text.substr(0, comma), highest_cpu));
    if (comma == std::string_view::npos) return cpus;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  constexpr int highest_port = 65535;
  Options options;
  const std::span<const char* const> words(argv + 1, static_cast<std::size_t>(argc - 1));
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view flag = words[at];
    if (flag == "--describe") {
      options.describe = true;
      continue;
    }
    if (flag != "--cpus" && flag != "--interface" && flag != "--port") {
      throw std::invalid_argument("unknown option " + std::string(flag) +
                                  "; there are --describe, --cpus, --interface and --port");
    }
    if (++at == words.size()) throw std::invalid_argument(std::string(flag) + " wants a value");
    if (flag == "--cpus") options.cpus = cpu_list(words[at]);
    if (flag == "--interface") options.link.interface = words[at];
    if (flag == "--port") options.link.port = whole_number(flag, words[at], highest_port);
  }
  return options;
}

}  // namespace weft

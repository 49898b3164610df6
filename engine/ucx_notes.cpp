#include "ucx_notes.hpp"

#include <array>
#include <sstream>
#include <string>
#include <vector>

namespace weft {

namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// lane[0]: 0:posix/memory.0 md[0] -> md[0]/posix/sysdev[255] am am_bw#0
std::string lane_of(const std::vector<std::string>& words) {
  const std::string& resource = words[2];
  const std::size_t start = resource.find(':') + 1;
  std::string lane = resource.substr(start, resource.rfind('.') - start);
  std::string uses;
  for (std::size_t at = 6; at < words.size(); ++at) uses += (uses.empty() ? "" : " ") + words[at];
  return uses.empty() ? lane : lane + " (" + uses + ")";
}

}  // namespace

Details ucx_notes(std::string_view printed) {
  constexpr std::array protocols{"tag_send:", "put[0]:", "get[0]:"};
  Details notes{{"lanes", ""}};
  std::istringstream stream{std::string(printed)};
  for (std::string line; std::getline(stream, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() >= 6 && words[1].starts_with("lane[")) {
      std::string& lanes = notes.front().second;
      lanes += (lanes.empty() ? "" : ", ") + lane_of(words);
    }
    for (const std::string_view protocol : protocols) {
      if (words.size() == 3 && words[1] == protocol) {
        notes.emplace_back(protocol.substr(0, protocol.find_first_of("[:")), words[2]);
      }
    }
  }
  return notes;
}

}  // namespace weft

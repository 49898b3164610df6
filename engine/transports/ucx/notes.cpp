#include "transports/ucx/notes.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "transports/parts/traffic_class.hpp"

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

// The device of "rc_verbs/rxe0:1 (am)".
std::string device_of(const std::string& lane) {
  const std::size_t start = lane.find('/');
  if (start == std::string::npos || lane.find("_verbs/") == std::string::npos) return "";
  return lane.substr(start + 1, lane.find(':', start) - start - 1);
}

// A variable's value if it is a number; UCX takes "auto" too.
std::string number_in(const char* variable) {
  const char* const value = std::getenv(variable);
  const std::string text = value == nullptr ? "" : value;
  return text.find_first_not_of("0123456789") == std::string::npos ? text : "";
}

enum class Gid : std::uint8_t { none, of_ipv4, other };

Gid kind_of_gid(const std::filesystem::path& device, const std::string& index) {
  std::ifstream file(device / "ports" / "1" / "gids" / index);
  std::string gid;
  file >> gid;
  if (gid.starts_with("0000:0000:0000:0000:0000:ffff:")) return Gid::of_ipv4;
  return gid.find_first_not_of("0:") == std::string::npos ? Gid::none : Gid::other;
}

/// Whether UCX takes an IPv4 GID of a device, as it does by itself where there is one.
bool takes_ipv4(const std::filesystem::path& device) {
  constexpr int most_gids = 16;
  if (const char* index = std::getenv("UCX_IB_GID_INDEX")) {
    return kind_of_gid(device, index) == Gid::of_ipv4;
  }
  for (int index = 0; index < most_gids; ++index) {
    if (kind_of_gid(device, std::to_string(index)) == Gid::of_ipv4) return true;
  }
  return false;
}

// Such as "rc_verbs/rxe0:1 (am)".
std::vector<std::string> rdma_lanes(const Details& notes) {
  std::vector<std::string> found;
  for (const auto& [name, value] : notes) {
    std::istringstream lanes(name == "lanes" ? value : "");
    for (std::string lane; std::getline(lanes, lane, ',');) {
      const bool is_of_kernel = lane.find("tcp/") != std::string::npos;
      const bool is_of_memory = lane.find("/memory") != std::string::npos;
      if (!is_of_kernel && !is_of_memory && !lane.empty()) found.push_back(lane);
    }
  }
  return found;
}

// UCX takes a GID of RoCE v2 by itself where the port has one.
bool has_roce_v2(const std::filesystem::path& folder, const std::string& lane) {
  const std::size_t start = lane.find('/') + 1;
  const std::size_t colon = lane.find(':', start);
  const std::string port = lane.substr(colon + 1, lane.find(' ', colon) - colon - 1);
  const std::filesystem::path types =
      folder / lane.substr(start, colon - start) / "ports" / port / "gid_attrs" / "types";
  const std::string index = number_in("UCX_IB_GID_INDEX");
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(types, none)) {
    if (!index.empty() && entry.path().filename() != index) continue;
    std::ifstream file(entry.path());
    std::string type;
    std::getline(file, type);
    if (type == "RoCE v2") return true;
  }
  return false;
}

// UCX_RC_VERBS_TRAFFIC_CLASS and others of single kinds of lanes.
bool has_class_of_its_own() {
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("UCX_") || text.starts_with("UCX_IB_")) continue;
    if (text.find("_TRAFFIC_CLASS=") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool goes_by_rdma(const Details& notes) {
  return !rdma_lanes(notes).empty();
}

Details ucx_classes(const Details& notes, const std::string& folder) {
  const std::vector<std::string> lanes = rdma_lanes(notes);
  if (lanes.empty()) return {{traffic_class_note, unknown_class}};
  const std::string chosen = number_in("UCX_IB_TRAFFIC_CLASS");
  const std::string level = number_in("UCX_IB_SL");
  const bool is_roce_v2 = std::all_of(lanes.begin(), lanes.end(), [&](const std::string& lane) {
    return has_roce_v2(std::filesystem::path(folder), lane);
  });
  const std::string usual = is_roce_v2 ? "106" : "0";
  const std::string all = chosen.empty() ? usual : chosen;
  return {{traffic_class_note, has_class_of_its_own() ? unknown_class : all},
          {service_level_note, level.empty() ? unknown_class : level}};
}

std::string soft_roce_hint(const Details& notes, const std::string& folder) {
  for (const auto& [name, value] : notes) {
    std::istringstream lanes(name == "lanes" ? value : "");
    for (std::string lane; std::getline(lanes, lane, ',');) {
      const std::string device = device_of(lane);
      const std::filesystem::path place = std::filesystem::path(folder) / device;
      // Only Soft-RoCE names the interface that it stands on there.
      if (device.empty() || !std::filesystem::exists(place / "parent")) continue;
      if (!takes_ipv4(place)) continue;
      const bool has_other = kind_of_gid(place, "0") == Gid::other;
      return "UCX connects by datagrams, and those of UCX 1.13 get no answer at an IPv4 GID of "
             "Soft-RoCE (" +
             device + "); " +
             (has_other ? "set UCX_IB_GID_INDEX=0, its IPv6 GID, or "
                        : "give its interface an IPv6 address and set UCX_IB_GID_INDEX to it, or ");
    }
  }
  return "";
}

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

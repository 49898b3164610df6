#include "host/cgroup.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string>

namespace weft {

namespace {

/// The files of a version's group.
struct Files {
  const char* limit;
  const char* used;
  const char* unused_files;
};
constexpr std::array versions{
    Files{"memory.max", "memory.current", "inactive_file"},
    Files{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}};

// "max" is no number.
std::optional<std::uint64_t> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

std::uint64_t number_called(const std::filesystem::path& path, const std::string& wanted) {
  std::ifstream file(path);
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value) {
    if (name == wanted) return value;
  }
  return 0;
}

std::uint64_t room_of(const std::filesystem::path& group) {
  for (const Files& version : versions) {
    const auto limit = number_in(group / version.limit);
    const auto used = number_in(group / version.used);
    if (!limit || !used) continue;
    const std::uint64_t taken =
        *used - std::min(*used, number_called(group / "memory.stat", version.unused_files));
    return *limit - std::min(*limit, taken);
  }
  return no_memory_limit;
}

}  // namespace

std::uint64_t memory_room_bytes(const std::filesystem::path& root) {
  std::ifstream groups(root / "proc/self/cgroup");
  std::uint64_t room = no_memory_limit;
  for (std::string line; std::getline(groups, line);) {
    // number:controllers:path, of which version 2 has no controllers.
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos || line.find("..") != std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && controllers != "memory") continue;
    const std::filesystem::path mount = root / "sys/fs/cgroup" / controllers;
    const std::filesystem::path name = line.substr(second + 1);
    // In a container the named folder is often out of sight; the mount's root is its own group.
    for (std::filesystem::path group = name.relative_path();; group = group.parent_path()) {
      room = std::min(room, room_of(mount / group));
      if (group.empty()) break;
    }
  }
  return room;
}

}  // namespace weft

// What the control groups of this process leave it of memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>

namespace weft {

inline constexpr std::uint64_t no_memory_limit = std::numeric_limits<std::uint64_t>::max();

/// Bytes that the tightest group has room for, versions 1 and 2 (src/weft/host/cgroup.py reads the
/// same); pages of files that were not used for long count as room. `no_memory_limit` where there
/// is none that can be read. `root` is where proc and sys lie.
std::uint64_t memory_room_bytes(const std::filesystem::path& root = "/");

}  // namespace weft

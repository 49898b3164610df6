// How long ranks wait for each other while they connect.
#pragma once

#include <chrono>
#include <string>

namespace weft {

inline constexpr int patience_s = 20;
inline constexpr int patience_of_a_rank_ms = 20;

/// How long so many ranks may take until one more of them is there: each takes its turn.
constexpr std::chrono::milliseconds patience_of(int ranks) {
  return std::chrono::seconds(patience_s) +
         std::chrono::milliseconds(patience_of_a_rank_ms) * ranks;
}

/// "20 s", for messages.
inline std::string seconds_of(std::chrono::milliseconds time) {
  return std::to_string(time.count() / 1000) + " s";
}

}  // namespace weft

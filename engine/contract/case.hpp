// A case: what to measure and how often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace weft {

struct Schedule {
  std::string kind = "one";
  std::uint32_t count = 1;
  std::uint32_t reuse_percent = 100;
};

/// One line of a rank's input.
struct Case {
  std::uint64_t id = 0;
  std::string test;
  std::size_t bytes = 0;
  std::uint32_t samples = 1;
  std::uint32_t warmup = 0;
  std::uint32_t ops_per_sample = 1;
  std::uint32_t queue_depth = 64;
  Schedule schedule;
  /// The pages of the messages' memory: small, huge, or empty for what the kernel gives.
  std::string pages;
  /// How a rank waits: a name of the description's waits; empty for the usual one.
  std::string wait;
  /// Where the case lies on the axis of its test.
  std::uint64_t point = 0;
  std::uint64_t seed = 1;
  bool verify = true;
  std::uint32_t deadline_s = 60;
};

}  // namespace weft

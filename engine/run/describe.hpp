// What a rank program says of itself: its description, and the first and the last line of a launch.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/details.hpp"
#include "contract/options.hpp"
#include "contract/task.hpp"
#include "host/binding.hpp"
#include "host/clock.hpp"
#include "run/counters_of_hosts.hpp"
#include "run/pattern_on.hpp"

namespace weft {

inline constexpr int protocol_version = 1;

/// What a list says of a pattern on a transport.
struct Support {
  PatternInfo info;
  std::span<const std::string_view> parts;
  Footprint footprint;
  bool supported = true;
  std::string_view reason;
};

/// What of the engine's patterns a transport can run.
template <TwoSided T, Clock Now, class... Patterns>
std::vector<Support> supported(const std::tuple<Patterns...>* list) {
  std::vector<Support> all;
  for (const PatternOn& one : patterns_on<T, Now>(list)) {
    all.push_back({one.info, one.parts, one.footprint, one.lack.empty(), one.lack});
  }
  return all;
}

/// What a transport says of itself in one of its modes.
struct Description {
  std::string_view transport;
  std::string_view mode;
  std::string_view mpi;
  std::string_view summary;
  std::string reason;
  std::span<const Setting> settings;
  std::vector<std::string_view> waits;
  std::span<const Support> patterns;
};

std::string to_line(const Location& location);
std::string describe_line(const Description& self);
std::string hello_line(std::string_view transport, const std::string& library,
                       std::span<const std::string> locations, const Calibration& clock,
                       const Details& details, const CountedKinds& counters = {});
/// What a simulation says of itself at its end: the bytes that the fabric's links carried, by name,
/// and the most memory that it had at once.
struct SimulationEnd {
  std::map<std::string, double> link_bytes;
  std::uint64_t peak_bytes = 0;
};
std::string bye_line(const Calibration& clock, const SimulationEnd& simulation = {});

}  // namespace weft

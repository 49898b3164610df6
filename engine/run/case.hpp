// The lines of the engine's protocol (docs/engine-protocol.md), parsed and written.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/case.hpp"
#include "contract/details.hpp"
#include "contract/options.hpp"
#include "contract/work.hpp"
#include "host/clock.hpp"
#include "host/place.hpp"

namespace weft {

inline constexpr int protocol_version = 1;

/// What a case may ask for at most; src/weft/plan/cases.py has the same bounds.
inline constexpr std::uint64_t most_samples = 1'000'000;
inline constexpr std::uint64_t most_point = 1'000'000;

/// Throws std::invalid_argument with a sentence that names the field.
Case parse_case(const std::string& line);

enum class Status : std::uint8_t { ok, failed, unsupported };

/// What came of a case on one rank, and on rank 0 of the whole batch.
struct Outcome {
  Status status = Status::ok;
  std::string reason;
  std::uint64_t verified_bytes = 0;
};

/// A series of ticks beside the samples, by name.
struct Part {
  std::string name;
  std::vector<Ticks> ticks;
};

/// The memory of the messages, and how much of it lies on huge pages.
struct PagesGot {
  std::uint64_t bytes = 0;
  std::uint64_t huge_bytes = 0;
};

/// What a rank has to say of a case: its outcome, the CPU time of its process over the timed pass,
/// its series, and the length of its tick.
struct Report {
  Outcome outcome;
  std::int64_t cpu_ns = 0;
  double tick_ns = 0;
  /// Of a stream's sender: how many of Q messages that were posted at once were in flight then, the
  /// median over the warm-up.
  std::optional<std::uint32_t> queue_held;
  std::vector<Part> parts;
};

struct Batch {
  std::uint64_t id = 0;
  Outcome outcome;
  std::uint32_t warmup = 0;
  std::uint32_t ops_per_sample = 1;
  std::int64_t elapsed_ns = 0;
  /// The timed pass on rank 0, and the CPU time that each rank's process spent in its own.
  std::int64_t timed_ns = 0;
  std::vector<std::int64_t> cpu_ns;
  /// Rank 0's: where its messages arrive, or lie if none do.
  PagesGot pages;
  /// The largest of the ranks that looked.
  std::optional<std::uint32_t> queue_held;
  std::vector<Ticks> ticks;
  std::vector<Part> parts;
  /// The link broke: no further case is answered.
  bool ended_launch = false;
};

struct Support {
  PatternInfo info;
  std::span<const std::string_view> parts;
  Footprint footprint;
  bool supported = true;
  std::string_view reason;
};

std::string to_line(const Batch& batch);
std::string to_line(const Report& report);
Report parse_report(const std::string& line);
std::string to_line(const Place& place);

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

std::string describe_line(const Description& self);
std::string hello_line(std::string_view transport, const std::string& library,
                       std::span<const std::string> places, const Calibration& clock,
                       const Details& details);
std::string bye_line(const Calibration& clock);

}  // namespace weft

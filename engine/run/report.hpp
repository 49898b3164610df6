// What a rank has to say of a case, and how it says it to rank 0: in bytes of a fixed length, with
// its series behind it only where rank 0 asks for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "contract/roles.hpp"
#include "host/counters.hpp"
#include "run/batch.hpp"

namespace weft {

/// A rank's outcome, the CPU time of its process over the timed pass, its series, and the length of
/// its tick.
struct Report {
  Outcome outcome;
  std::int64_t cpu_ns = 0;
  double tick_ns = 0;
  /// Of a stream's sender: how many of Q messages that were posted at once were in flight then, the
  /// median over the warm-up.
  std::optional<std::uint32_t> queue_held;
  /// Of this rank with ranks of higher numbers.
  PairCounts pairs = {};
  /// The pattern's, in its order, and behind them the samples of a rank other than 0 where those of
  /// every rank are wanted. On rank 0 the names of all of them.
  std::vector<Series> parts;
  /// Of a series at most, on all ranks alike: short ones go with the heads.
  std::uint64_t most_values = 0;
  /// Whether rank 0's samples are of all ranks together: its own times are the series `own_times`
  /// then, if it has any.
  bool is_of_all = false;
  /// Of the host's counters, if this rank reads them; at most `most_rises`.
  std::vector<CounterRise> rises;
  /// Whether each value is to reach the record, however many there are.
  bool keeps_all = false;
};

/// The most counters that a rank reports in one batch.
inline constexpr std::size_t most_rises = 16;

/// A reason is cut to so many bytes, to fewer where it goes with the head; and a rank has so many
/// series at most.
inline constexpr std::size_t most_reason_bytes = 4096;
inline constexpr std::size_t most_short_reason_bytes = 1024;
inline constexpr std::size_t most_series = 32;

/// The report of a rank without its reason and its series. Ranks run the same program, so their
/// memory has the same layout.
struct ReportHead {
  std::uint64_t verified_bytes = 0;
  std::int64_t cpu_ns = 0;
  double tick_ns = 0;
  /// In each series.
  std::uint64_t values = 0;
  /// A bit for each series that holds more than zeroes.
  std::uint32_t filled = 0;
  std::uint32_t reason_bytes = 0;
  std::uint32_t queue_held = 0;
  std::uint32_t pairs = 0;
  std::uint32_t pairs_between_hosts = 0;
  std::uint8_t has_queue_held = 0;
  std::uint8_t status = 0;
  std::uint16_t rises = 0;
  std::array<CounterRise, most_rises> rise{};

  /// Whether rank 0 may ask for more.
  [[nodiscard]] bool has_more() const { return filled != 0 || reason_bytes != 0; }
};
static_assert(std::is_trivially_copyable_v<ReportHead>);

ReportHead head_of(const Report& report);

/// Rank 0 holds so many bytes of the others at a time.
inline constexpr std::size_t window_bytes = std::size_t{1} << 25U;

/// The places of a report's series in the order of their names.
std::vector<std::size_t> series_by_name(const Report& report);

/// A rank's series that hold more than zeroes, by name, one behind the other.
std::vector<Ticks> filled_series(const Report& report, const ReportHead& head);

/// Series of more ranks than these that have more values together do not reach the record whole,
/// unless the case keeps all.
inline constexpr std::size_t few_ranks = 16;
inline constexpr std::uint64_t most_whole_values = std::uint64_t{1} << 18U;

/// How many bytes go with a rank's head: room for all of its series or for a reason, where the
/// series are short and reach the record whole; or none. The same on every rank.
std::size_t bytes_with_head(const Report& report, int ranks);

/// The head, and behind it what goes with it: the reason of a rank that has one, or else its
/// series.
std::vector<std::byte> head_with_more(const Report& report, ReportHead head, int ranks);

/// Why a head cannot be one, of a case with so many series of so many values; empty when it can.
std::string refuse_head(const ReportHead& head, std::size_t series, std::size_t values);

}  // namespace weft

// What came of a case: the answer to one line of input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/roles.hpp"
#include "contract/transport.hpp"
#include "contract/values.hpp"

namespace weft {

enum class Status : std::uint8_t { ok, failed, unsupported };

/// What came of a case on one rank, and on rank 0 of the whole batch.
struct Outcome {
  Status status = Status::ok;
  std::string reason;
  std::uint64_t verified_bytes = 0;
};

/// A series of ticks beside the samples, by name.
struct Series {
  std::string name;
  std::vector<Ticks> ticks;
};

/// The memory of the messages, and how much of it lies on huge pages.
struct PagesGot {
  std::uint64_t bytes = 0;
  std::uint64_t huge_bytes = 0;
};

/// How far a counter rose that a rank reads: by its place in the rank's list.
struct RankRise {
  int rank = 0;
  std::uint32_t counter = 0;
  std::uint32_t rise = 0;
};

/// The same in the kernel's words.
struct NamedRise {
  std::string host;
  std::string device;
  std::string name;
  std::string kind;
  std::uint32_t rise = 0;
};

struct Batch {
  std::uint64_t id = 0;
  Outcome outcome;
  std::uint32_t warmup = 0;
  std::uint32_t ops_per_sample = 1;
  /// Of an application: what rank 0 sends in an iteration, and in how many messages.
  std::uint64_t sent_bytes = 0;
  std::uint64_t sent_messages = 0;
  /// What an application found out on rank 0.
  Values application;
  std::int64_t elapsed_ns = 0;
  /// The timed pass on rank 0, and the CPU time that each rank's process spent in its own.
  std::int64_t timed_ns = 0;
  std::vector<std::int64_t> cpu_ns;
  /// Rank 0's: where its messages arrive, or lie if none do.
  PagesGot pages;
  /// The largest of the ranks that probed.
  std::optional<std::uint32_t> queue_held;
  /// Over all ranks.
  PairCounts pairs;
  /// Rank 0's samples; every other series is a part.
  std::vector<Ticks> ticks;
  std::vector<Series> parts;
  /// The errors and other events that the hosts counted since the batch before.
  std::vector<RankRise> rises;
  std::vector<NamedRise> counters;
  /// The link broke: no further case is answered.
  bool ended_launch = false;
};

/// A batch that failed or is unsupported has no figures.
inline void refuse(Batch& batch, Outcome outcome) {
  batch.ticks.clear();
  batch.parts.clear();
  batch.outcome = std::move(outcome);
}

/// The batch of a link that broke.
void say_broken(Batch& batch, const Fault& fault);

}  // namespace weft

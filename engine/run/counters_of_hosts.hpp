// The kernel's counters of every host of a launch: one rank per host reads them, between batches.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "host/counters.hpp"
#include "run/batch.hpp"

namespace weft {

/// The kinds of events that each device of each host counts.
using CountedKinds = std::map<std::string, std::map<std::string, std::set<std::string>>>;

class CountersOfHosts {
 public:
  /// Collective. `own` are the counters of this rank's host; the first rank of a host reads them.
  explicit CountersOfHosts(Bootstrap& boot, std::unique_ptr<HostCounters> own);

  /// On rank 0.
  [[nodiscard]] const CountedKinds& kinds() const { return kinds_; }
  /// On any rank, outside of any clock: the rises on its host since the last call, if it reads
  /// them.
  [[nodiscard]] std::vector<CounterRise> rises();
  /// On rank 0: these rises by their names.
  [[nodiscard]] std::vector<NamedRise> named(std::span<const RankRise> rises) const;

 private:
  std::unique_ptr<HostCounters> own_;
  /// By rank: the names of the counters that it reads.
  std::vector<std::vector<NamedRise>> names_;
  CountedKinds kinds_;
};

/// Whether this rank is the first of its host, which reads the counters. Collective at first.
bool reads_counters(Bootstrap& boot);

}  // namespace weft

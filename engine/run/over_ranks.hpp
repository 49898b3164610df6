// What is kept of the series of ranks where they are too many for each value: what the analyses use
// of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "contract/transport.hpp"

namespace weft {

/// The quantiles of a rank's series that are kept: so many of its values are below.
inline constexpr std::array<double, 7> quantile_shares{0, 0.25, 0.5, 0.75, 0.95, 0.99, 1};

/// A series of the ranks by its name, which is empty for their times.
struct SeriesOverRanks {
  std::string name;
  /// Of each rank, in the order of `OverRanks::ranks`.
  std::vector<double> quantiles;
  /// In each sample the mean over the ranks, and what the slowest rank has.
  std::vector<Ticks> mean;
  std::vector<Ticks> slowest;
};

struct OverRanks {
  std::vector<int> ranks;
  /// How many each rank's quantiles are of: the samples without the warm-up.
  std::uint64_t values = 0;
  std::vector<SeriesOverRanks> series;
  /// In each sample.
  std::vector<int> slowest_rank;
  /// Where rank 0's samples are of all ranks together, in each sample: the median over the ranks,
  /// and Jain's index of their rates in millionths.
  std::vector<Ticks> middle;
  std::vector<Ticks> fairness_ppm;
};

/// The quantiles of a series as numpy has them, to a quarter of a tick; zeroes of an empty one.
std::vector<double> quantiles_of(std::span<const Ticks> values);

/// Goes through the samples of all ranks, a few at a time, in their order.
class OverRanksSoFar {
 public:
  /// `takes_part` says of each rank whether it has times.
  OverRanksSoFar(const std::vector<bool>& takes_part, std::vector<std::string> names,
                 bool is_of_all);

  /// Of every rank, of each series in turn (their times are the last one), quantiles.
  void quantiles(std::span<const double> all);
  /// Of every rank, of each series in turn (their times are the last one), so many samples, as they
  /// came.
  void samples(std::span<const std::byte> all, std::size_t count);
  [[nodiscard]] OverRanks& found() { return found_; }

 private:
  void sample(std::span<const Ticks> all, std::size_t count, std::size_t at);
  [[nodiscard]] Ticks value(std::span<const Ticks> all, std::size_t count, std::size_t at, int rank,
                            std::size_t series) const;

  OverRanks found_;
  bool is_of_all_;
  std::vector<Ticks> times_;
};

}  // namespace weft

#include "run/over_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numeric>

namespace weft {

namespace {

// Of two in the middle the mean.
Ticks middle_of(std::vector<Ticks>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// Jain's index of rates: messages over times, of which no clock tells less than a tick.
Ticks fairness_ppm_of(std::span<const Ticks> times) {
  constexpr double millionths = 1e6;
  double sum = 0;
  double squares = 0;
  for (const Ticks time : times) {
    const double rate = 1 / static_cast<double>(std::max<Ticks>(time, 1));
    sum += rate;
    squares += rate * rate;
  }
  const auto ranks = static_cast<double>(times.size());
  return static_cast<Ticks>(std::llround(millionths * sum * sum / (ranks * squares)));
}

}  // namespace

std::vector<double> quantiles_of(std::span<const Ticks> values) {
  constexpr double parts_of_a_tick = 4;
  std::vector<double> found(quantile_shares.size(), 0);
  if (values.empty()) return found;
  std::vector<Ticks> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t at = 0; at < found.size(); ++at) {
    const double place = quantile_shares.at(at) * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double rest = place - static_cast<double>(below);
    const double value = static_cast<double>(sorted[below]) +
                         rest * static_cast<double>(sorted[above] - sorted[below]);
    found[at] = std::round(parts_of_a_tick * value) / parts_of_a_tick;
  }
  return found;
}

OverRanksSoFar::OverRanksSoFar(const std::vector<bool>& takes_part, std::vector<std::string> names,
                               bool is_of_all)
    : is_of_all_(is_of_all) {
  for (std::size_t rank = 0; rank < takes_part.size(); ++rank) {
    if (takes_part[rank]) found_.ranks.push_back(static_cast<int>(rank));
  }
  for (std::string& name : names) found_.series.push_back({std::move(name), {}, {}, {}});
  times_.resize(found_.ranks.size());
}

void OverRanksSoFar::quantiles(std::span<const double> all) {
  const std::size_t of_rank = found_.series.size() * quantile_shares.size();
  for (const int rank : found_.ranks) {
    std::span<const double> own = all.subspan(static_cast<std::size_t>(rank) * of_rank, of_rank);
    for (SeriesOverRanks& one : found_.series) {
      const auto mine = own.first(quantile_shares.size());
      one.quantiles.insert(one.quantiles.end(), mine.begin(), mine.end());
      own = own.subspan(mine.size());
    }
  }
}

Ticks OverRanksSoFar::value(std::span<const Ticks> all, std::size_t count, std::size_t at, int rank,
                            std::size_t series) const {
  return all[(static_cast<std::size_t>(rank) * found_.series.size() + series) * count + at];
}

// A few samples of every series are laid beside each other first: all wait for rank 0 meanwhile,
// and of a thousand ranks each value lies on a page of its own.
void OverRanksSoFar::samples(std::span<const std::byte> all, std::size_t count) {
  constexpr std::size_t at_once = 32;
  const std::size_t series = all.size() / sizeof(Ticks) / count;
  std::vector<Ticks> few(series * at_once);
  for (std::size_t first = 0; first < count; first += at_once) {
    const std::size_t these = std::min(at_once, count - first);
    for (std::size_t one = 0; one < series; ++one) {
      const auto own = all.subspan((one * count + first) * sizeof(Ticks), these * sizeof(Ticks));
      std::memcpy(&few[one * these], own.data(), own.size());
    }
    for (std::size_t at = 0; at < these; ++at) sample(few, these, at);
  }
}

void OverRanksSoFar::sample(std::span<const Ticks> all, std::size_t count, std::size_t at) {
  const auto ranks = static_cast<Ticks>(found_.ranks.size());
  const std::size_t of_times = found_.series.size() - 1;
  std::transform(found_.ranks.begin(), found_.ranks.end(), times_.begin(),
                 [&](int rank) { return value(all, count, at, rank, of_times); });
  const auto slowest = std::max_element(times_.begin(), times_.end()) - times_.begin();
  const int slowest_rank = found_.ranks[static_cast<std::size_t>(slowest)];
  found_.slowest_rank.push_back(slowest_rank);
  for (std::size_t series = 0; series < found_.series.size(); ++series) {
    const Ticks sum =
        std::transform_reduce(found_.ranks.begin(), found_.ranks.end(), Ticks{0}, std::plus<>(),
                              [&](int rank) { return value(all, count, at, rank, series); });
    found_.series[series].mean.push_back((sum + ranks / 2) / ranks);
    found_.series[series].slowest.push_back(value(all, count, at, slowest_rank, series));
  }
  if (!is_of_all_) return;
  found_.fairness_ppm.push_back(fairness_ppm_of(times_));
  found_.middle.push_back(middle_of(times_));
}

}  // namespace weft

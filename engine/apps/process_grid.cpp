#include "apps/process_grid.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "contract/wording.hpp"

namespace weft {

namespace {

// 8x8x16x4.
std::string in_words(std::span<const std::uint32_t> extents) {
  std::string text;
  for (const std::uint32_t extent : extents) {
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  }
  return text;
}

void refuse_dimensions(std::size_t dimensions) {
  if (dimensions >= 1 && dimensions <= most_dimensions) return;
  throw std::invalid_argument("a lattice has one to four dimensions, not " +
                              std::to_string(dimensions));
}

void refuse_ranks(int ranks) {
  if (ranks < 1) throw std::invalid_argument("a lattice needs a rank at least");
}

bool obeys(std::uint32_t extent, const LocalRule& rule) {
  return extent >= rule.least && extent % rule.multiple == 0;
}

std::string in_words(const LocalRule& rule) {
  const std::string which = rule.multiple == 1 ? "extents"
                            : rule.multiple == 2
                                ? "even extents"
                                : "extents that " + std::to_string(rule.multiple) + " divides";
  return which + " of at least " + std::to_string(rule.least) + " on each rank";
}

// Every way to write the ranks as a product of so many factors, in every order.
std::vector<ProcessGrid> grids_of(std::uint32_t ranks, std::size_t dimensions) {
  std::vector<ProcessGrid> grids(1);
  std::vector<std::uint32_t> left{ranks};
  for (std::size_t dimension = 0; dimension + 1 < dimensions; ++dimension) {
    std::vector<ProcessGrid> longer;
    std::vector<std::uint32_t> rest;
    for (std::size_t at = 0; at < grids.size(); ++at) {
      for (std::uint32_t factor = 1; factor <= left[at]; ++factor) {
        if (left[at] % factor != 0) continue;
        longer.push_back(grids[at]);
        longer.back().ranks.at(dimension) = factor;
        rest.push_back(left[at] / factor);
      }
    }
    grids = std::move(longer);
    left = std::move(rest);
  }
  for (std::size_t at = 0; at < grids.size(); ++at) grids[at].ranks.at(dimensions - 1) = left[at];
  return grids;
}

// Less is more even, and of as even ones that which splits the earlier dimensions.
std::tuple<Extents, Extents> unevenness(const ProcessGrid& grid) {
  Extents falling = grid.ranks;
  std::sort(falling.rbegin(), falling.rend());
  Extents late{};
  std::transform(grid.ranks.begin(), grid.ranks.end(), late.begin(),
                 [](std::uint32_t count) { return ~count; });
  return {falling, late};
}

std::uint64_t faces_of(const Decomposition& lattice) {
  std::uint64_t sites = 0;
  for (std::size_t dimension = 0; dimension < most_dimensions; ++dimension) {
    if (lattice.grid.is_split(dimension)) sites += lattice.face_sites(dimension);
  }
  return sites;
}

std::optional<Decomposition> divide(std::span<const std::uint32_t> global, const ProcessGrid& grid,
                                    const LocalRule& rule) {
  Decomposition lattice{.grid = grid};
  for (std::size_t dimension = 0; dimension < global.size(); ++dimension) {
    const std::uint32_t ranks = grid.ranks.at(dimension);
    if (global[dimension] % ranks != 0) return std::nullopt;
    lattice.local.at(dimension) = global[dimension] / ranks;
    if (!obeys(lattice.local.at(dimension), rule)) return std::nullopt;
  }
  return lattice;
}

}  // namespace

std::size_t ProcessGrid::split_dimensions() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(ranks.begin(), ranks.end(), [](std::uint32_t count) { return count > 1; }));
}

Extents ProcessGrid::coordinates(int rank) const noexcept {
  Extents at{};
  auto rest = static_cast<std::uint32_t>(rank);
  for (std::size_t dimension = 0; dimension < most_dimensions; ++dimension) {
    at.at(dimension) = rest % ranks.at(dimension);
    rest /= ranks.at(dimension);
  }
  return at;
}

int ProcessGrid::rank_at(const Extents& coordinates) const noexcept {
  std::uint32_t rank = 0;
  for (std::size_t dimension = most_dimensions; dimension-- > 0;) {
    rank = rank * ranks.at(dimension) + coordinates.at(dimension);
  }
  return static_cast<int>(rank);
}

int ProcessGrid::neighbour(int rank, std::size_t dimension, int sign) const noexcept {
  Extents at = coordinates(rank);
  const std::uint32_t count = ranks.at(dimension);
  at.at(dimension) = (at.at(dimension) + (sign > 0 ? 1 : count - 1)) % count;
  return rank_at(at);
}

ProcessGrid even_grid(int ranks, std::size_t dimensions) {
  refuse_ranks(ranks);
  refuse_dimensions(dimensions);
  const std::vector<ProcessGrid> grids = grids_of(static_cast<std::uint32_t>(ranks), dimensions);
  return *std::min_element(grids.begin(), grids.end(),
                           [](const ProcessGrid& one, const ProcessGrid& other) {
                             return unevenness(one) < unevenness(other);
                           });
}

Extents Decomposition::global() const noexcept {
  Extents whole{};
  std::transform(local.begin(), local.end(), grid.ranks.begin(), whole.begin(),
                 [](std::uint32_t extent, std::uint32_t count) { return extent * count; });
  return whole;
}

Extents Decomposition::origin(int rank) const noexcept {
  const Extents at = grid.coordinates(rank);
  Extents first{};
  std::transform(local.begin(), local.end(), at.begin(), first.begin(),
                 [](std::uint32_t extent, std::uint32_t step) { return extent * step; });
  return first;
}

std::uint64_t Decomposition::face_sites(std::size_t dimension) const noexcept {
  return volume_of(local) / local.at(dimension);
}

Decomposition grown(std::span<const std::uint32_t> local, int ranks, const LocalRule& rule) {
  Decomposition lattice{.grid = even_grid(ranks, local.size())};
  if (!std::all_of(local.begin(), local.end(),
                   [&](std::uint32_t extent) { return obeys(extent, rule); })) {
    throw std::invalid_argument("a lattice of " + in_words(local) + " on each rank has not " +
                                in_words(rule) + "; choose other --extents");
  }
  std::copy(local.begin(), local.end(), lattice.local.begin());
  return lattice;
}

Decomposition divided(std::span<const std::uint32_t> global, int ranks, const LocalRule& rule) {
  refuse_ranks(ranks);
  refuse_dimensions(global.size());
  std::optional<Decomposition> best;
  const auto cost = [](const Decomposition& one) {
    return std::tuple(faces_of(one), unevenness(one.grid));
  };
  for (const ProcessGrid& grid : grids_of(static_cast<std::uint32_t>(ranks), global.size())) {
    const std::optional<Decomposition> one = divide(global, grid, rule);
    if (one && (!best || cost(*one) < cost(*best))) best = one;
  }
  if (best) return *best;
  throw std::invalid_argument(counted(ranks, "rank") + " cannot divide a lattice of " +
                              in_words(global) + " into " + in_words(rule) +
                              "; choose another --lattice, or other --ranks");
}

}  // namespace weft

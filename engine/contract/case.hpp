// A case: what to measure and how often.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "contract/rank_hosts.hpp"
#include "contract/values.hpp"

namespace weft {

struct Schedule {
  std::string kind = "one";
  std::uint32_t count = 1;
  std::uint32_t reuse_percent = 100;
};

/// What an application's case is measured on: so many sites in each dimension, of each rank, or of
/// all ranks together (`is_global`), and what is done on them. No dimensions: the pattern's usual
/// ones, or none.
struct Lattice {
  std::array<std::uint32_t, 4> extents{1, 1, 1, 1};
  std::uint32_t dimensions = 0;
  bool is_global = false;
  /// How many layers of a face go to the neighbour.
  std::uint32_t depth = 1;
  /// Computing in each iteration, a rank's sites each so long.
  std::uint64_t compute_ps_per_site = 0;
  /// Whether it computes while messages are on their way, or after they came.
  bool overlaps = true;
  /// Sums over all ranks in each iteration.
  std::uint32_t sums = 0;
  /// That a rank computes with.
  std::uint32_t threads = 1;

  [[nodiscard]] std::uint64_t sites() const noexcept {
    return std::uint64_t{extents[0]} * extents[1] * extents[2] * extents[3];
  }
  /// None where there is no lattice.
  [[nodiscard]] std::uint64_t sites_of_rank(int ranks) const noexcept {
    if (dimensions == 0) return 0;
    return is_global ? sites() / static_cast<std::uint64_t>(ranks) : sites();
  }
  /// To each neighbour at most: one each way in every dimension.
  [[nodiscard]] std::uint32_t lanes() const noexcept { return std::max(2 * dimensions, 1U); }
};

/// One line of a rank's input.
struct Case {
  std::uint64_t id = 0;
  std::string test;
  /// Of a message; with a lattice of a site in a layer of its face.
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
  Lattice lattice;
  /// What its application is given beside the lattice.
  Values application;
  /// Where the case lies on the axis of its test.
  std::uint64_t point = 0;
  /// Of a stream between two ranks: rank 1 sends to rank 0 instead of rank 0 to rank 1.
  bool is_back = false;
  /// Of a pattern of pairs: how many of them run at once; 0: all.
  std::uint32_t at_once = 0;
  std::uint64_t seed = 1;
  bool verify = true;
  /// So many messages at most have contents of their own in the untimed pass.
  std::uint32_t most_checked = 256;
  /// Whether every sample of every rank is kept, however many there are.
  bool keeps_all = false;
  std::uint32_t deadline_s = 60;
  /// Not of the line: the ranks that share this one's host and so its memory, in their order; none:
  /// all of them.
  std::vector<int> ranks_here;
  /// Not of the line: the hosts of all ranks; none: all ranks share a host.
  std::shared_ptr<const RankHosts> hosts;
  /// Not of the line: CPUs of this host that are free for threads of this rank, on every rank as
  /// many.
  std::vector<int> spare_cpus;
};

/// The bytes of the case's longest message at most: with a lattice those of the largest face, where
/// ranks divide it of the undivided one.
inline std::size_t message_bytes_of(const Case& spec) noexcept {
  const Lattice& lattice = spec.lattice;
  if (lattice.dimensions == 0) return spec.bytes;
  const auto* const end = lattice.extents.begin() + lattice.dimensions;
  return spec.bytes * lattice.depth * lattice.sites() /
         *std::min_element(lattice.extents.begin(), end);
}

}  // namespace weft

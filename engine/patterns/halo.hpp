// Ranks exchange the faces of their part of a lattice, and compute meanwhile: an application's
// communication without its physics.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "patterns/parts/beside_work.hpp"
#include "patterns/parts/faces.hpp"

namespace weft {

/// An iteration sends a face of `depth` layers to the neighbour in each split dimension and
/// direction and waits for theirs; it computes for each of its sites while they are on their way,
/// or behind them, and may end with sums over all ranks. Receives are posted an iteration ahead, so
/// no face comes before its receive. A dimension that is not split costs nothing. Every rank times
/// itself; each part holds a read of the clock, of which those before the wait cost nothing where
/// messages are waited for: none is to be taken off.
struct Halo {
  static constexpr PatternInfo info{
      .name = "halo",
      .title = "Halo exchange",
      .summary = "the faces of a lattice exchanged with all neighbours, computing meanwhile",
      .figure = Figure::iteration,
      .ranks = 1,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .least_bytes = 1,
      .lattice = {.dimensions = 4, .extents = "4..14:2", .bytes = "36"},
  };
  static constexpr bool every_rank = true;
  static constexpr bool every_rank_times = true;
  static constexpr std::array parts{std::string_view{"post"}, std::string_view{"compute"},
                                    std::string_view{"wait"}, std::string_view{"sum"}};
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t /*queue_depth*/,
                                                  std::uint64_t /*point*/) noexcept {
    return 2;
  }

  static std::string lacks(const Case& spec, int size) {
    if (size == 1 && spec.lattice.compute_ps_per_site == 0) {
      return "one rank exchanges nothing; choose --compute, or more with --ranks";
    }
    if (spec.lattice.threads > 1) return "it has no threads; omit --threads";
    return refuse_lattice(spec.lattice, size, rule_of(spec));
  }
  static Role role(const Case& spec, int rank, int size) {
    const Decomposition lattice = lattice_on(spec.lattice, size, rule_of(spec));
    return role_with_faces(lattice, rank, [&](std::size_t dimension) {
      return lattice.face_sites(dimension) * spec.lattice.depth * spec.bytes;
    });
  }

  template <Clock Now, class Wait, TellsPeers T>
  static bool run(T& link, Task& task) noexcept {
    return task.lattice.overlaps ? iterate<true, Now, Wait>(link, task)
                                 : iterate<false, Now, Wait>(link, task);
  }

 private:
  static LocalRule rule_of(const Case& spec) { return {spec.lattice.depth, 1}; }

  template <bool overlaps, Clock Now, class Wait, TellsPeers T>
  static bool iterate(T& link, Task& task) noexcept {
    const std::uint64_t rounds = task.work == 0 ? 0 : rounds_for<Now>(task.work);
    std::array<double, summed_numbers> numbers{};
    count_ahead(task);
    std::size_t left = messages_of(task);
    SumsOf<T> sums(link, task);
    post_faces(link, task);
    sums.expect(task.lattice.sums);
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      std::array<Ticks, parts.size()> spent{};
      Laps<Now> laps;
      const Ticks start = laps.last();
      for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
        --left;
        if (left > 0) {
          post_faces(link, task);
          sums.expect(task.lattice.sums);
        }
        for (Lane& lane : task.lanes) link.post_send(lane.target, lane.out.next());
        laps.end(spent[0]);
        if constexpr (overlaps) {
          Now::compute(rounds);
          laps.end(spent[1]);
        }
        if (!await_faces<Wait>(link, task, left > 0, sums)) return false;
        laps.end(spent[2]);
        if constexpr (!overlaps) {
          Now::compute(rounds);
          laps.end(spent[1]);
        }
        for (std::uint32_t sum = 0; sum < task.lattice.sums; ++sum) {
          numbers.fill(task.rank + 1);
          if (!sums.template sum<Wait>(numbers, left > 0)) return false;
        }
        laps.end(spent[3]);
      }
      task.samples[at] = laps.last() - start;
      for (std::size_t part = 0; part < spent.size(); ++part) task.parts[part][at] = spent[part];
    }
    check_sum(task, numbers);
    return link.fault() == nullptr;
  }

  /// The sum of 1 to so many ranks.
  static void check_sum(Task& task, const std::array<double, summed_numbers>& numbers) noexcept {
    if (task.lattice.sums == 0) return;
    const double wanted = 0.5 * task.size * (task.size + 1);
    for (const double number : numbers) {
      if (number != wanted) task.wrong = "a wrong sum over the ranks";
    }
  }
};

}  // namespace weft

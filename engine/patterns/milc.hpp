// The solver of lattice QCD that clusters were judged by: a conjugate gradient on the improved
// staggered operator.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apps/milc/conjugate_gradient.hpp"
#include "patterns/parts/milc_ranks.hpp"

namespace weft {

/// MILC's improved (asqtad) staggered code, as Fermilab measured its clusters by (Holmgren,
/// Mackenzie and others, 2003): an operation is one iteration on a lattice of L^4 sites a rank,
/// single precision (36 bytes of a message for each site of a face) or double (72). Receives are
/// posted a half of the operator ahead; legs inside the rank are done while messages are on their
/// way. Links from a random SU(3) field of the case's seed, or from its gauge file. After so many
/// iterations the solution begins anew, outside the clock, so that no number gets small.
struct Milc {
  static constexpr PatternInfo info{
      .name = "milc",
      .title = "Improved staggered solver",
      .summary = "an iteration of MILC's conjugate gradient (asqtad), L^4 sites on each rank",
      .figure = Figure::iteration,
      .ranks = 1,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .least_bytes = 1,
      .lattice = {.dimensions = 4,
                  .extents = "4..14:2",
                  .bytes = "36",
                  .least_extent = 4,
                  .multiple = 2,
                  .sums = 2,
                  .flops_per_site = milc::flops_per_site,
                  .moved_bytes_per_site = 1344,
                  .set_bytes_per_site = 636,
                  .rest = "fields",
                  .options = milc::options::all,
                  .answers = milc::answers_of::all},
  };
  static constexpr bool every_rank = true;
  static constexpr bool every_rank_times = true;
  static constexpr std::array parts{std::string_view{"pack"}, std::string_view{"local"},
                                    std::string_view{"wait"}, std::string_view{"remote"},
                                    std::string_view{"sum"}};
  /// An exchange for either half of the operator.
  static constexpr std::uint32_t messages_per_operation = 2;
  /// Fields, links and, while they are made, the thin links around them, in double.
  static constexpr std::uint32_t bytes_per_site = 6000;
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t /*queue_depth*/,
                                                  std::uint64_t /*point*/) noexcept {
    return 2;
  }

  static std::string lacks(const Case& spec, int size) { return milc::refuse_case(spec, size); }
  static Role role(const Case& spec, int rank, int size) {
    const Decomposition lattice = milc::lattice_of(spec, size);
    return role_with_faces(lattice, rank, [&](std::size_t dimension) {
      return lattice.face_sites(dimension) * spec.bytes;
    });
  }
  /// Its only option that names a file is `gauge`.
  static FileFacts inspect(std::string_view /*option*/, const std::string& path) {
    return gauge_files::facts_of(path);
  }
  template <Clock Now>
  static std::unique_ptr<Application> prepare(const Case& spec, int rank, int size,
                                              const Buffer& /*own*/) {
    return milc::is_single(spec.bytes)
               ? std::make_unique<milc::Share<float, ChargesWork<Now>>>(spec, rank, size)
               : std::unique_ptr<Application>(
                     std::make_unique<milc::Share<double, ChargesWork<Now>>>(spec, rank, size));
  }

  template <Clock Now, class Wait, TellsPeers T>
  static bool run(T& link, Task& task) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-static-cast-downcast): what prepare() made
    const auto* const share = static_cast<const milc::AnyShare*>(task.application);
    return share->is_single ? in<float, Now, Wait>(link, task) : in<double, Now, Wait>(link, task);
  }

 private:
  template <class R, Clock Now, class Wait, TellsPeers T>
  static bool in(T& link, Task& task) noexcept {
    milc::Ranks<R, Now, Wait, T> ranks(link, task);
    if (!(task.checks ? ranks.check_messages() : ranks.begin(messages_of(task)))) return false;
    const bool overlaps = task.lattice.overlaps;
    if (task.lattice.sums == 1) {
      return overlaps ? measure<milc::Way<true, true>, Now>(ranks, task)
                      : measure<milc::Way<true, false>, Now>(ranks, task);
    }
    return overlaps ? measure<milc::Way<false, true>, Now>(ranks, task)
                    : measure<milc::Way<false, false>, Now>(ranks, task);
  }

  template <class Way, Clock Now, class Ranks>
  static bool measure(Ranks& ranks, Task& task) noexcept {
    if (task.checks) return ranks.template solve<Way>();
    for (std::size_t at = 0; at < task.samples.size(); ++at) {
      std::array<Ticks, milc::kinds_of_work> spent{};
      for (std::uint32_t left = task.ops_per_sample; left > 0;) {
        // Begins anew where it must, before the clock starts.
        std::uint32_t now = ranks.iterations_until_restart(left);
        left -= now;
        Laps<Now> laps;
        const Ticks start = laps.last();
        for (; now > 0; --now) {
          if (!ranks.template iterate<Way>(laps, spent)) return false;
        }
        laps.end(spent[milc::other_work]);
        task.samples[at] += laps.last() - start;
      }
      for (std::size_t part = 0; part < parts.size(); ++part) task.parts[part][at] = spent[part];
    }
    return ranks.check_residual();
  }
};

}  // namespace weft

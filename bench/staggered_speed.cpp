// One core's iteration of the staggered solver, beside a plain loop over the same operator and a
// sweep that reads as many bytes as an iteration moves. Prints a line for each extent and round, in
// CPU time: L, sites, then seconds of an iteration, of a sweep, of the plain loop's operator, and
// of an iteration with two rows of each long link.
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <span>
#include <vector>

#include "apps/milc/conjugate_gradient.hpp"

namespace {

using namespace weft;        // NOLINT: a program of one file
using namespace weft::milc;  // NOLINT

constexpr int rounds = 11;
/// What an iteration moves for each site, as the benchmark declares, and what its links and fields
/// take.
constexpr std::size_t moved_bytes = 1344;
constexpr std::size_t set_bytes = 636;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Act>
double seconds_of(int times, const Act& act) {
  const double start = cpu_seconds();
  for (int time = 0; time < times; ++time) act();
  return (cpu_seconds() - start) / times;
}

/// A site after the other, neighbours by a table, links of both ways beside their site: as a good
/// plain loop is written.
class Plain {
 public:
  explicit Plain(std::uint32_t extent) : sites_(std::size_t{extent} * extent * extent * extent) {
    links_.assign(sites_ * 16 * 18, 0.1F);
    source_.assign(sites_ * 6, 1);
    result_.assign(sites_ * 6, 0);
    const Extents whole{extent, extent, extent, extent};
    for (std::size_t number = 0; number < sites_; ++number) {
      for (std::size_t leg = 0; leg < 16; ++leg) {
        std::size_t rest = number;
        Extents at{};
        for (std::uint32_t& one : at) {
          one = static_cast<std::uint32_t>(rest % extent);
          rest /= extent;
        }
        const LegName name = leg_name(leg);
        std::uint32_t& place = at.at(name.direction);
        place = (place + (name.is_back ? extent - name.hop : name.hop)) % extent;
        neighbours_.push_back(static_cast<std::uint32_t>(number_of(at, whole)));
      }
    }
  }

  void apply() {
    for (std::size_t site = 0; site < sites_; ++site) {
      std::array<float, 6> sum{};
      for (std::size_t leg = 0; leg < 16; ++leg) {
        const float* const u = &links_[(site * 16 + leg) * 18];
        const float* const c = &source_[neighbours_[site * 16 + leg] * std::size_t{6}];
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t j = 0; j < 3; ++j) {
            const float re = u[6 * i + 2 * j];
            const float im = u[6 * i + 2 * j + 1];
            sum[2 * i] += re * c[2 * j] - im * c[2 * j + 1];
            sum[2 * i + 1] += re * c[2 * j + 1] + im * c[2 * j];
          }
        }
      }
      std::copy(sum.begin(), sum.end(), &result_[6 * site]);
    }
  }

 private:
  std::size_t sites_;
  std::vector<float> links_;
  std::vector<float> source_;
  std::vector<float> result_;
  std::vector<std::uint32_t> neighbours_;
};

// In whole registers that cross no line, four sums at once: a loop over numbers is half as fast.
using Register = float __attribute__((vector_size(64)));

float sweep(std::span<const Register> lines) {
  std::array<Register, 4> sums{};
  for (std::size_t at = 0; at + sums.size() <= lines.size(); at += sums.size()) {
    for (std::size_t chain = 0; chain < sums.size(); ++chain) sums[chain] += lines[at + chain];
  }
  const Register sum = sums[0] + sums[1] + sums[2] + sums[3];
  return sum[0];
}

/// A solver on one rank, and what its iterations take.
class Iterations {
 public:
  Iterations(std::uint32_t extent, LongLinks long_links)
      : whole_{{extent, extent, extent, extent}, {}, {extent, extent, extent, extent}},
        solver_(whole_,
                [&](const Smeared<float>& to) {
                  smear<float>({whole_, random_gauge(1, whole_.global)}, 1, to);
                },
                0.1, {.long_links = long_links}),
        b2_(solver_.set_source(
            [&](const Site& site) { return random_vector(1, number_of(site, whole_.global)); })) {}

  double seconds(int times) {
    Progress progress{b2_, b2_};
    solver_.restart();
    int done = 0;
    return seconds_of(times, [&] {
      if (++done % 50 == 0) {
        solver_.restart();
        progress = {b2_, b2_};
      }
      (void)iterate(
          solver_, progress,
          [&](Half half) {
            solver_.local_legs(half, 0, solver_.blocks());
            return true;
          },
          [](std::span<double>) { return true; });
    });
  }

 private:
  Sublattice whole_;
  Solver<float> solver_;
  double b2_;
};

void measure(std::uint32_t extent) {
  const std::size_t sites = std::size_t{extent} * extent * extent * extent;
  Iterations three_rows(extent, LongLinks::three_rows);
  Iterations two_rows(extent, LongLinks::two_rows);
  const std::vector<Register> lines(sites * set_bytes / sizeof(Register));
  Plain plain(extent);
  const int times = std::max(1, static_cast<int>(400'000 / sites));
  volatile float sink = 0;
  for (int round = 0; round < rounds; ++round) {
    const double iteration = three_rows.seconds(times);
    const double set = seconds_of(2 * times, [&] { sink = sink + sweep(lines); });
    const double loop = seconds_of(std::max(1, times / 4), [&] { plain.apply(); });
    const double shorter = two_rows.seconds(times);
    std::printf("%u %zu %.9g %.9g %.9g %.9g\n", extent, sites, iteration,
                set * moved_bytes / set_bytes, loop, shorter);
  }
}

}  // namespace

int main() {
  for (std::uint32_t extent = 4; extent <= 14; extent += 2) measure(extent);
}

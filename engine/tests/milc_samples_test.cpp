// The sample files of the MILC code (binary_samples of milc-qcd/milc_qcd) where WEFT_MILC_SAMPLES
// names a folder with them: its fields, its sources and its solutions.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "apps/gauge_files/gauge_file.hpp"
#include "apps/gauge_files/lime.hpp"
#include "apps/gauge_files/numbers.hpp"
#include "tests/milc_world.hpp"

namespace weft::milc {
namespace {

using plain::Field;

constexpr double u0 = 0.502;
constexpr double mass = 0.1;
const Extents global{8, 8, 8, 8};
const Part whole{global, {}, global};

class MilcSamples : public testing::Test {
 protected:
  void SetUp() override {
    const char* const folder = std::getenv("WEFT_MILC_SAMPLES");
    if (folder == nullptr) {
      GTEST_SKIP() << "WEFT_MILC_SAMPLES names no folder with MILC's binary_samples";
    }
    folder_ = folder;
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] Gauge gauge(const std::string& name) const {
    return gauge_files::GaugeFile(path(name)).links();
  }
  /// A colour vector of each site.
  [[nodiscard]] Field field(const std::string& name) const {
    const gauge_files::BoundedFile file(path(name));
    const gauge_files::LimeRecord* const record =
        gauge_files::Lime(file).find("scidac-binary-data");
    std::vector<std::byte> bytes(24 * volume_of(global));
    file.read(record->begins_at, bytes);
    Field chi(volume_of(global));
    std::span<const std::byte> left = bytes;
    const auto next = [&] {
      const float number = gauge_files::number_of_bytes<float>(left.first<4>(), std::endian::big);
      left = left.subspan(4);
      return double{number};
    };
    for (Vector<double>& site : chi) {
      for (Complex<double>& one : site) {
        one.re = next();
        one.im = next();
      }
    }
    return chi;
  }

 private:
  std::string folder_;
};

plain::Link improved(const Gauge& gauge) {
  auto links = std::make_shared<std::vector<std::array<Matrix<double>, 8>>>(volume_of(global));
  const auto keep = [&](std::size_t hop) {
    return [links, hop](const At& at, std::size_t direction, const Matrix<double>& link) {
      Site site{};
      for (std::size_t d = 0; d < 4; ++d) site[d] = static_cast<std::uint32_t>(at[d]);
      links->at(number_of(site, global)).at(2 * direction + hop) = link;
    };
  };
  smear<double>({whole, gauge}, u0, {keep(0), keep(1)});
  return [links](const Site& site, std::size_t direction, int hop) {
    return links->at(number_of(site, global)).at(2 * direction + (hop == 1 ? 0 : 1));
  };
}

double norm2_on(const Field& chi, std::uint32_t parity) {
  double sum = 0;
  for (std::uint64_t number = 0; number < chi.size(); ++number) {
    if (plain::parity_of(plain::site_of(number, global)) != parity) continue;
    for (const Complex<double>& one : chi[number]) sum += one.re * one.re + one.im * one.im;
  }
  return sum;
}
double norm2(const Field& chi) {
  return norm2_on(chi, 0) + norm2_on(chi, 1);
}

// (2m + s D) chi.
Field m_of(const plain::Link& link, const Field& chi, double sign) {
  Field result(chi.size());
  const Field d = plain::applied(global, link, chi);
  for (std::size_t site = 0; site < chi.size(); ++site) {
    plain::add(result[site], 2 * mass, chi[site]);
    plain::add(result[site], sign, d[site]);
  }
  return result;
}

double relative(const Field& due, const Field& found) {
  Field rest = due;
  for (std::size_t site = 0; site < due.size(); ++site) plain::add(rest[site], -1, found[site]);
  return std::sqrt(norm2(rest) / norm2(due));
}

// What x -> x + 1 makes of a field's place: odd sites become even, and D stays itself but for signs
// that do not change lengths.
Site shifted(const Site& site) {
  return plain::moved(site, 0, 1, global);
}

struct Solved {
  int iterations = 0;
  double x2 = 0;
  double residual = 0;
};

Solved solve(const Gauge& gauge, const Source& source) {
  const ThinLinks<double> thin(whole, gauge);
  Solver<double> solver(
      whole, [&](const Smeared<double>& to) { smear<double>(thin, u0, to); }, mass);
  const double b2 = solver.set_source(source);
  solver.restart();
  Progress progress{b2, b2};
  const auto apply = [&](Half half) {
    solver.local_legs(half, 0, solver.blocks());
    return true;
  };
  Solved solved;
  for (; progress.r2 / b2 >= 1e-18; ++solved.iterations) {
    if (!iterate(solver, progress, apply, [](std::span<double>) { return true; })) break;
  }
  solver.apply_to_solution();
  (void)apply(Half::to_odd);
  (void)apply(Half::to_even);
  solved.residual = std::sqrt(solver.residual() / b2);
  solved.x2 = solver.solution_norm();
  return solved;
}

TEST_F(MilcSamples, HaveThePlaquettesThatMilcPrints) {
  const std::map<std::string, std::array<double, 2>> known{
      {"lat.sample.l8", {2.62039787107, 2.62144737541}},
      {"lat.sample.l4444", {1.794675156, 1.774425798}},
      {"lat.sample.l4444.scidac", {1.794675156, 1.774425798}},
      {"lat.sample.l4444.ildg", {1.794675156, 1.774425798}}};
  for (const auto& [name, due] : known) {
    const gauge_files::GaugeFile file(path(name));
    const Extents extents = file.data().extents;
    const Plaquettes sums = plaquettes(ThinLinks<float>({extents, {}, extents}, file.links()));
    const double planes = 3 * static_cast<double>(volume_of(extents));
    std::printf("%s: %.12g %.12g\n", name.c_str(), sums.space / planes, sums.time / planes);
    EXPECT_NEAR(sums.space / planes, due[0], 5e-10) << name;
    EXPECT_NEAR(sums.time / planes, due[1], 5e-10) << name;
  }
}

TEST_F(MilcSamples, OfOneFieldHaveOneChecksum) {
  for (const std::string name :
       {"lat.sample.l4444", "lat.sample.l4444.scidac", "lat.sample.l4444.ildg"}) {
    const gauge_files::GaugeFile file(path(name));
    EXPECT_EQ(gauge_files::in_words(file.check()), "37affb9c 2fc07bbf") << name;
  }
}

TEST_F(MilcSamples, HaveTheSolutionsOfItsOwnSolver) {
  const plain::Link link = improved(gauge("lat.sample.l8"));
  const Field source = field("ksvector.src.sample.l8");
  const Field one = m_of(link, field("ksvector.ans.Minv.sample.l8"), 1);
  const Field both = m_of(link, m_of(link, field("ksvector.ans.MdaggerMinv.sample.l8"), 1), -1);
  std::printf("MdaggerMinv %.3g, Minv %.3g\n", relative(source, both), relative(source, one));
  EXPECT_LT(relative(source, both), 4.9e-8);
  EXPECT_LT(relative(source, one), 7.6e-8);
}

TEST_F(MilcSamples, AreSolvedInAsManyIterationsOnEitherParity) {
  const Gauge links = gauge("lat.sample.l8");
  const Field source = field("ksvector.src.sample.l8");
  EXPECT_NEAR(norm2_on(source, 0), 3398941.454, 1e-3);
  EXPECT_NEAR(norm2_on(source, 1), 3504609.272, 1e-3);
  const auto at = [&](const Site& site) { return source[number_of(site, global)]; };
  const Solved even = solve(links, at);
  const Solved odd = solve(
      [&](const Site& site, std::size_t direction) { return links(shifted(site), direction); },
      [&](const Site& site) {
        const bool is_other = (site[1] + site[2]) % 2 == 1;
        Vector<double> turned{};
        plain::add(turned, is_other ? -1 : 1, at(shifted(site)));
        return turned;
      });
  std::printf("even %d iterations, |x|^2 %.9g, residual %.3g; odd %d, %.9g, %.3g\n",
              even.iterations, even.x2, even.residual, odd.iterations, odd.x2, odd.residual);
  EXPECT_EQ(even.iterations, 60);
  EXPECT_EQ(odd.iterations, 60);
  EXPECT_NEAR(even.x2, 14.6492025, 1e-7);
  EXPECT_NEAR(odd.x2, 15.1337102, 1e-7);
  EXPECT_LT(even.residual, 2e-9);
  EXPECT_LT(odd.residual, 2e-9);
}

}  // namespace
}  // namespace weft::milc

// The sample files of the MILC code (binary_samples of milc-qcd/milc_qcd) where WEFT_MILC_SAMPLES
// names a folder with them: its fields, its sources and its solutions.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "apps/gauge_files/gauge_file.hpp"
#include "apps/gauge_files/lime.hpp"
#include "apps/gauge_files/numbers.hpp"
#include "tests/support/milc_solved.hpp"
#include "tests/support/milc_world.hpp"

namespace weft::milc {
namespace {

using plain::Field;

constexpr double u0 = 0.502;
constexpr double mass = 0.1;
const Extents global{8, 8, 8, 8};
const Sublattice whole{global, {}, global};

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
      const auto number = gauge_files::number_of_bytes<float>(left.first<4>(), std::endian::big);
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

// Read once: a sum over paths asks for each link many times.
Gauge kept(const Gauge& gauge) {
  std::vector<std::array<Matrix<double>, 4>> all(volume_of(global));
  for (std::uint64_t number = 0; number < all.size(); ++number) {
    for (std::size_t d = 0; d < 4; ++d) all[number][d] = gauge(plain::site_of(number, global), d);
  }
  return [all](const Site& site, std::size_t d) { return all[number_of(site, global)].at(d); };
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
  return norm(difference(due, found)) / norm(due);
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

// How far MILC's answers, which are kept in single precision, are from solving the equation.
struct Distances {
  double both = 0;
  double one = 0;
};

// The solver's fat links take what goes there and back along a link for one, which links of single
// precision are to 4e-8 only: on these the sum of all paths is another operator by as much, and on
// unitary ones the same.
TEST_F(MilcSamples, HaveTheSolutionsOfItsOwnSolver) {
  const Field source = field("ksvector.src.sample.l8");
  const Field minv = field("ksvector.ans.Minv.sample.l8");
  const Field mdagger_minv = field("ksvector.ans.MdaggerMinv.sample.l8");
  const auto expect = [&](const plain::Link& link, const Distances& due) {
    const Field one = m_of(link, minv, 1);
    const Field both = m_of(link, m_of(link, mdagger_minv, 1), -1);
    std::printf("MdaggerMinv %.4g, Minv %.4g\n", relative(source, both), relative(source, one));
    EXPECT_NEAR(relative(source, both), due.both, 5e-11);
    EXPECT_NEAR(relative(source, one), due.one, 5e-11);
  };
  const Gauge stored = gauge("lat.sample.l8");
  const Distances of_unitary{5.058e-8, 7.660e-8};
  expect(improved(stored), {4.162e-8, 7.456e-8});
  expect(plain::improved(kept(stored), global, u0), {4.937e-8, 7.578e-8});
  expect(improved(solved::unitary(stored)), of_unitary);
  expect(plain::improved(kept(solved::unitary(stored)), global, u0), of_unitary);
}

TEST_F(MilcSamples, AreSolvedInAsManyIterationsOnEitherParity) {
  const Field source = field("ksvector.src.sample.l8");
  const auto at = [&](const Site& site) { return source[number_of(site, global)]; };
  const solved::Equation equation{global, gauge("lat.sample.l8"), at, u0, mass};
  const solved::Answer even = solved::on_even_sites(equation, 1e-18);
  const solved::Answer odd = solved::on_odd_sites(equation, 1e-18);
  std::printf("even %d iterations, |x|^2 %.9g, residual %.3g; odd %d, %.9g, %.3g\n",
              even.iterations, even.x2, even.residual, odd.iterations, odd.x2, odd.residual);
  EXPECT_NEAR(even.b2, 3398941.454, 1e-3);
  EXPECT_NEAR(odd.b2, 3504609.272, 1e-3);
  EXPECT_EQ(even.iterations, 60);
  EXPECT_EQ(odd.iterations, 60);
  EXPECT_NEAR(even.x2, 14.6492025, 1e-7);
  EXPECT_NEAR(odd.x2, 15.1337102, 1e-7);
  EXPECT_LT(even.residual, 2e-9);
  EXPECT_LT(odd.residual, 2e-9);
}

}  // namespace
}  // namespace weft::milc

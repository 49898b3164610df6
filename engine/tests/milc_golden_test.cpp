// A gauge file that is made here, and what MILC itself says of it: its checksums, plaquettes, the
// lengths of its solutions and how many iterations they take.
//
// Computed on 2026-11-22 by check_ks_invert of milc-qcd/milc_qcd (1e11e12; gcc 12, double
// precision, asqtad, one process) from this very file, with u0 0.8, mass 0.2, "invert MdaggerM" and
// this source in place of its random one.
#include <gtest/gtest.h>

#include "apps/gauge_files/gauge_file.hpp"
#include "tests/support/gauge_writer.hpp"
#include "tests/support/milc_solved.hpp"

namespace weft::milc {
namespace {

const Extents global{6, 4, 4, 8};

// An SU(2) matrix among two of the colours, by a quaternion of whole numbers.
Matrix<double> turn_of(std::uint64_t bits, std::size_t i, std::size_t j) {
  const auto number = [&](unsigned at) { return static_cast<double>(bits >> (8 * at) & 15U) - 7; };
  const double length =
      std::sqrt(144 + number(0) * number(0) + number(1) * number(1) + number(2) * number(2));
  const double a = 12 / length;
  const double b = number(0) / length;
  const double c = number(1) / length;
  const double d = number(2) / length;
  Matrix<double> turn = Matrix<double>::one();
  turn.rows[i][i] = {a, d};
  turn.rows[i][j] = {c, b};
  turn.rows[j][i] = {-c, b};
  turn.rows[j][j] = {a, -d};
  return turn;
}

// Rough, but not as far from one as random links. In steps of 2^-28, so that the file's bits do not
// depend on how a compiler rounds, and what is zero is +0.
Matrix<double> link_of(const Site& site, std::size_t direction) {
  const std::uint64_t place = 3 * (4 * number_of(site, global) + direction);
  Matrix<double> link = turn_of(bits_of(2003, place), 0, 1) *
                        turn_of(bits_of(2003, place + 1), 0, 2) *
                        turn_of(bits_of(2003, place + 2), 1, 2);
  const auto rounded = [](double number) { return (std::round(0x1p28 * number) + 0.0) * 0x1p-28; };
  for (auto& row : link.rows) {
    for (Complex<double>& one : row) one = {rounded(one.re), rounded(one.im)};
  }
  return link;
}

Vector<double> source_of(const Site& site) {
  Vector<double> source;
  for (std::size_t i = 0; i < colours; ++i) {
    const std::uint64_t bits = bits_of(2004, colours * number_of(site, global) + i);
    source[i] = {static_cast<double>(bits % 9) - 4, static_cast<double>(bits / 9 % 9) - 4};
  }
  return source;
}

class GoldenFile : public testing::Test {
 protected:
  [[nodiscard]] const gauge_files::GaugeFile& gauge_file() const { return gauge_file_; }
  [[nodiscard]] solved::Equation equation() const {
    solved::Equation equation{.global = global, .links = {}, .source = source_of};
    equation.links = solved::unitary(gauge_file_.links());
    equation.u0 = 0.8;
    equation.mass = 0.2;
    return equation;
  }

 private:
  written::InMemory memory_{written::milc_v5(link_of, global, std::endian::little)};
  gauge_files::GaugeFile gauge_file_{memory_.path()};
};

TEST_F(GoldenFile, HasTheChecksumsAndPlaquettesThatMilcPrints) {
  const std::optional<gauge_files::Sums> words = gauge_file().data().of_words;
  ASSERT_TRUE(words);
  EXPECT_EQ(gauge_files::in_words(*words), "8e9da045 4d5056fc");
  // Of the sites, as SciDAC counts them: by zlib in Python.
  EXPECT_EQ(gauge_files::in_words(gauge_file().check()), "1c62a0cf 2f9d3776");
  const Plaquettes sums = plaquettes(ThinLinks<double>({global, {}, global}, gauge_file().links()));
  const double planes = 3 * static_cast<double>(volume_of(global));
  EXPECT_NEAR(sums.space / planes, 7.3796918018491575e-01, 1e-12);
  EXPECT_NEAR(sums.time / planes, 7.3812651203449420e-01, 1e-12);
}

// MILC counts the true residuals before and after as iterations: 121 and 122 in its words.
TEST_F(GoldenFile, HasMilcsSolutionInAsManyIterations) {
  const solved::Answer even = solved::on_even_sites(equation(), 1e-18);
  EXPECT_EQ(even.b2, 15425);
  EXPECT_EQ(even.iterations, 119);
  EXPECT_NEAR(even.x2, 19252.0975809443, 1e-6);
  EXPECT_LT(even.residual, 2e-9);
  const solved::Answer odd = solved::on_odd_sites(equation(), 1e-18);
  EXPECT_EQ(odd.b2, 15035);
  EXPECT_EQ(odd.iterations, 120);
  EXPECT_NEAR(odd.x2, 24127.3456245537, 1e-6);
  EXPECT_LT(odd.residual, 2e-9);
}

}  // namespace
}  // namespace weft::milc

#include "apps/milc/gauge.hpp"

#include <cmath>
#include <numbers>

namespace weft::milc {

namespace {

using Row = std::array<Complex<double>, colours>;

// Two independent Gaussian numbers of unit variance.
Complex<double> gaussian(std::uint64_t seed, std::uint64_t place) noexcept {
  constexpr double scale = 0x1p-53;
  // Never 0, whose logarithm there is not.
  const double radius = (static_cast<double>(bits_of(seed, 2 * place) >> 11U) + 0.5) * scale;
  const double angle = static_cast<double>(bits_of(seed, 2 * place + 1) >> 11U) * scale;
  const double length = std::sqrt(-2 * std::log(radius));
  const double turn = 2 * std::numbers::pi * angle;
  return {length * std::cos(turn), length * std::sin(turn)};
}

void normalise(Row& row) noexcept {
  double norm = 0;
  for (const Complex<double>& one : row) norm += one.re * one.re + one.im * one.im;
  for (Complex<double>& one : row) one = (1 / std::sqrt(norm)) * one;
}

void remove_part_along(Row& row, const Row& other) noexcept {
  Complex<double> along{};
  for (std::size_t i = 0; i < colours; ++i) along = along + conj(other[i]) * row[i];
  for (std::size_t i = 0; i < colours; ++i) row[i] = row[i] - along * other[i];
}

Matrix<double> random_link(std::uint64_t seed, std::uint64_t place) noexcept {
  Matrix<double> link;
  std::uint64_t drawn = 9 * place;
  for (Row& row : link.rows) {
    for (Complex<double>& one : row) one = gaussian(seed, drawn++);
  }
  auto& [first, second, third] = link.rows;
  normalise(first);
  remove_part_along(second, first);
  normalise(second);
  remove_part_along(third, first);
  remove_part_along(third, second);
  normalise(third);
  const Complex<double> phase = determinant(link);
  const double turn = -std::atan2(phase.im, phase.re) / static_cast<double>(colours);
  const Complex<double> back{std::cos(turn), std::sin(turn)};
  for (Row& row : link.rows) {
    for (Complex<double>& one : row) one = back * one;
  }
  return link;
}

}  // namespace

Gauge random_gauge(std::uint64_t seed, const Extents& global) {
  return [seed, global](const Site& site, std::size_t direction) {
    return random_link(seed, 4 * number_of(site, global) + direction);
  };
}

Vector<double> random_vector(std::uint64_t seed, std::uint64_t site_number) noexcept {
  // Another sequence than the links'.
  const std::uint64_t own = bits_of(seed, 1ULL << 63U);
  Vector<double> vector;
  for (std::size_t i = 0; i < colours; ++i) vector[i] = gaussian(own, colours * site_number + i);
  return vector;
}

}  // namespace weft::milc

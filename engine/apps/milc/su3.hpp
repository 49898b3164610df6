// Complex 3x3 matrices and 3-vectors, as links and sites of a lattice have them.
#pragma once

#include <array>
#include <cstddef>

namespace weft::milc {

inline constexpr std::size_t colours = 3;

/// Of the library's complex numbers the product looks for NaN each time.
template <class R>
struct Complex {
  R re{};
  R im{};

  friend constexpr Complex operator+(Complex a, Complex b) noexcept {
    return {a.re + b.re, a.im + b.im};
  }
  friend constexpr Complex operator-(Complex a, Complex b) noexcept {
    return {a.re - b.re, a.im - b.im};
  }
  friend constexpr Complex operator*(Complex a, Complex b) noexcept {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend constexpr Complex operator*(R a, Complex b) noexcept { return {a * b.re, a * b.im}; }
  friend constexpr bool operator==(const Complex&, const Complex&) = default;
};

template <class R>
constexpr Complex<R> conj(Complex<R> a) noexcept {
  return {a.re, -a.im};
}

template <class R>
using Vector = std::array<Complex<R>, colours>;

/// Of rows.
template <class R>
struct Matrix {
  std::array<std::array<Complex<R>, colours>, colours> rows{};

  static constexpr Matrix one() noexcept {
    Matrix unit;
    for (std::size_t i = 0; i < colours; ++i) unit.rows[i][i].re = 1;
    return unit;
  }
  friend constexpr bool operator==(const Matrix&, const Matrix&) = default;
};

template <class To, class R>
constexpr Matrix<To> as(const Matrix<R>& a) noexcept {
  Matrix<To> to;
  for (std::size_t i = 0; i < colours; ++i) {
    for (std::size_t j = 0; j < colours; ++j) {
      to.rows[i][j] = {static_cast<To>(a.rows[i][j].re), static_cast<To>(a.rows[i][j].im)};
    }
  }
  return to;
}

template <class R>
constexpr Matrix<R> adjoint(const Matrix<R>& a) noexcept {
  Matrix<R> to;
  for (std::size_t i = 0; i < colours; ++i) {
    for (std::size_t j = 0; j < colours; ++j) to.rows[i][j] = conj(a.rows[j][i]);
  }
  return to;
}

template <class R>
constexpr Matrix<R> operator*(const Matrix<R>& a, const Matrix<R>& b) noexcept {
  Matrix<R> product;
  for (std::size_t i = 0; i < colours; ++i) {
    for (std::size_t j = 0; j < colours; ++j) {
      Complex<R> sum = a.rows[i][0] * b.rows[0][j];
      for (std::size_t k = 1; k < colours; ++k) sum = sum + a.rows[i][k] * b.rows[k][j];
      product.rows[i][j] = sum;
    }
  }
  return product;
}

template <class R>
constexpr Matrix<R> operator*(R factor, const Matrix<R>& a) noexcept {
  Matrix<R> to;
  for (std::size_t i = 0; i < colours; ++i) {
    for (std::size_t j = 0; j < colours; ++j) to.rows[i][j] = factor * a.rows[i][j];
  }
  return to;
}

template <class R>
constexpr Matrix<R> operator+(const Matrix<R>& a, const Matrix<R>& b) noexcept {
  Matrix<R> to;
  for (std::size_t i = 0; i < colours; ++i) {
    for (std::size_t j = 0; j < colours; ++j) to.rows[i][j] = a.rows[i][j] + b.rows[i][j];
  }
  return to;
}

template <class R>
constexpr Complex<R> trace(const Matrix<R>& a) noexcept {
  return a.rows[0][0] + a.rows[1][1] + a.rows[2][2];
}

template <class R>
constexpr Complex<R> determinant(const Matrix<R>& a) noexcept {
  const auto& [x, y, z] = a.rows;
  return x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) +
         x[2] * (y[0] * z[1] - y[1] * z[0]);
}

}  // namespace weft::milc

// The conjugate gradient in the order of MILC's: the scalars of an iteration and its global sums.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "apps/milc/solver.hpp"

namespace weft::milc {

/// Per site of the whole lattice and iteration, as MILC counts for this action: for comparison, for
/// 1146 + 36 = 1182 are done (both halves of the operator, six vector operations).
inline constexpr std::uint32_t flops_per_site = 1187;
/// Both halves of the operator: 16 products of a matrix and a vector, 66 each, and 15 sums of 6.
inline constexpr std::uint32_t flops_of_operator_per_site = 1146;

/// The scalars from one iteration to the next.
struct Progress {
  /// The recursive |r|^2, and this rank's share of it.
  double r2 = 0;
  double own_r2 = 0;
};

/// One iteration, with two global sums of one number: `apply(half)` is a half of the operator with
/// its messages, `sum(numbers)` replaces the shares by the sums of all ranks; both are false once
/// the link has a fault.
template <class R, class Apply, class Sum>
[[nodiscard]] bool iterate(Solver<R>& solver, Progress& progress, const Apply& apply,
                           const Sum& sum) noexcept {
  if (!apply(Half::to_odd) || !apply(Half::to_even)) return false;
  std::array<double, 1> pq{solver.direction_product()};
  if (!sum(std::span<double>(pq))) return false;
  std::array<double, 1> r2{solver.advance(-progress.r2 / pq[0])};
  if (!sum(std::span<double>(r2))) return false;
  solver.turn(r2[0] / progress.r2);
  progress.r2 = r2[0];
  return true;
}

/// The same with one global sum of four numbers, as MILC with FEWSUMS: the next |r|^2 by recurrence
/// from <r,q> and <q,q>, and with the next sum anew from the residual itself.
template <class R, class Apply, class Sum>
[[nodiscard]] bool iterate_with_one_sum(Solver<R>& solver, Progress& progress, const Apply& apply,
                                        const Sum& sum) noexcept {
  if (!apply(Half::to_odd) || !apply(Half::to_even)) return false;
  const Dots own = solver.products();
  std::array<double, 4> all{own.pq, own.rq, own.qq, progress.own_r2};
  if (!sum(std::span<double>(all))) return false;
  const auto [pq, rq, qq, r2] = all;
  const double a = -r2 / pq;
  const double next = r2 + 2 * a * rq + a * a * qq;
  progress.own_r2 = solver.advance(a);
  solver.turn(next / r2);
  progress.r2 = next;
  return true;
}

}  // namespace weft::milc

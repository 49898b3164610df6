// How the ranks of the staggered solver exchange faces and sums with each other.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "apps/milc/conjugate_gradient.hpp"
#include "contract/options.hpp"
#include "patterns/parts/faces.hpp"
#include "patterns/parts/milc_share.hpp"

namespace weft::milc {

/// A solution begins anew long before the squares of its numbers get too small for single
/// precision: after so many iterations, of a large mass as many as it takes to a residual of about
/// 1e-12, by the rate of a conjugate gradient where the largest eigenvalue of -D^2 is 6 (it is
/// more: the mean is at least 8 (5/8)^2).
inline std::uint32_t iterations_of_solution(double mass) noexcept {
  constexpr double most = 50;
  const double root = std::sqrt(1 + 6 / (4 * mass * mass));
  const double needed = std::log(1e-12) / std::log((root - 1) / (root + 1));
  return static_cast<std::uint32_t>(std::clamp(needed, 1.0, most));
}

/// Of A = 4 m^2 - D^2 where all links are one: that of the wave that turns by a quarter a site.
inline double largest_eigenvalue(double mass, double u0) noexcept {
  const double u2 = 1 / (u0 * u0);
  const double f = 5.0 / 8 + 3 * u2 / 8 + u2 * u2 * u2 / 8 + u2 / 24;
  return 4 * mass * mass + 16 * f * f;
}

/// The work of an iteration, in the order of the benchmark's parts; what else there is, is steps
/// of the fields.
enum Work : std::uint8_t { pack_work, local_work, wait_work, remote_work, sum_work, other_work };
inline constexpr std::size_t kinds_of_work = 6;
using Spent = std::array<Ticks, kinds_of_work>;

/// How a case has the iterations done.
template <bool one_sum, bool overlap>
struct Way {
  static constexpr bool has_one_sum = one_sum;
  static constexpr bool overlaps = overlap;
  static constexpr std::uint32_t sums_of_iteration = one_sum ? 1 : 2;
};

template <class R, Clock Now, class Wait, TellsPeers T>
class Ranks {
 public:
  static constexpr bool is_charged = ChargesWork<Now>;

  Ranks(T& link, Task& task) noexcept
      : link_(&link),
        task_(&task),
        share_(static_cast<Share<R, is_charged>*>(task.application)),
        solver_(is_charged ? nullptr : &*share_->solver),
        sums_(link, task),
        most_iterations_(iterations_of_solution(share_->mass)) {
    count_ahead(task);
  }

  /// Ready for so many iterations, and so is every rank.
  [[nodiscard]] bool begin(std::size_t iterations) noexcept {
    expect(2 * iterations);
    std::array<double, 1> b2{share_->own_b2};
    if (!sum(b2)) return false;
    b2_ = b2[0];
    restart();
    return true;
  }
  /// How many of so many iterations can be done until the solution begins anew: at once if none.
  [[nodiscard]] std::uint32_t iterations_until_restart(std::uint32_t wanted) noexcept {
    if (done_ == most_iterations_) restart();
    const std::uint32_t now = std::min(wanted, most_iterations_ - done_);
    done_ += now;
    return now;
  }
  template <class Way>
  [[nodiscard]] bool iterate(Laps<Now>& laps, Spent& spent) noexcept {
    const auto apply = [&](Half half) {
      const std::uint32_t sums = half == Half::to_odd ? Way::sums_of_iteration : 0;
      return this->template apply<Way::overlaps>(half, laps, spent, sums);
    };
    const auto summed = [&](std::span<double> numbers) {
      laps.end(spent[other_work]);
      const bool is_whole = sum(numbers);
      laps.end(spent[sum_work]);
      return is_whole;
    };
    if constexpr (is_charged) {
      return charge_iteration<Way>(apply, summed);
    } else if constexpr (Way::has_one_sum) {
      return iterate_with_one_sum(*solver_, progress_, apply, summed);
    } else {
      return milc::iterate(*solver_, progress_, apply, summed);
    }
  }

  /// Each half's messages with a content of its own for every number: every bit that arrives.
  [[nodiscard]] bool check_messages() noexcept {
    if constexpr (!is_charged) {
      for (const Half half : {Half::to_odd, Half::to_even}) {
        share_->fill_as(share_->lattice.origin(share_->rank));
        expect(1);
        if (!in_step() || !apply_untimed(half)) return false;
        for (std::size_t lane = 0; lane < task_->lanes.size(); ++lane) check_message(half, lane);
      }
    }
    return true;
  }
  /// To a relative residual far above what the precision can tell, and whether it is the true one.
  template <class Way>
  [[nodiscard]] bool solve() noexcept {
    const std::uint32_t at_once = std::min(most_iterations_, 10U);
    constexpr std::uint32_t most_rounds = 500;
    if constexpr (is_charged) return true;
    if (!begin(0) || !check_field()) return false;
    Laps<Now> laps;
    Spent spent{};
    for (std::uint32_t round = 0; round < most_rounds && !is_solved(); ++round) {
      expect(std::size_t{2} * at_once);
      if (!in_step()) return false;
      for (std::uint32_t left = at_once; left > 0; --left) {
        if (!iterate<Way>(laps, spent)) return false;
      }
      if (!std::isfinite(progress_.r2)) break;
    }
    if (!is_solved())
      task_->wrong = "the solver did not converge; choose a larger --mass, or --sizes 72";
    return check_residual();
  }
  /// The true residual of the solution as it is: what the iterations say, but for rounding.
  [[nodiscard]] bool check_residual() noexcept {
    if constexpr (is_charged) return link_->fault() == nullptr;
    solver_->apply_to_solution();
    expect(2);
    if (!in_step() || !apply_untimed(Half::to_odd) || !apply_untimed(Half::to_even)) return false;
    solver_->apply_to_direction();
    const Plaquettes& own = share_->own_plaquettes;
    std::array<double, 4> all{solver_->residual(), solver_->solution_norm(), own.space, own.time};
    sums_.expect(1);
    if (!sum(all)) return false;
    const auto [r2, x2, space, time] = all;
    const double planes = 3 * static_cast<double>(volume_of(share_->lattice.global()));
    share_->mean_plaquettes = {space / planes, time / planes};
    const double residual = std::sqrt(r2 / b2_);
    const double said = std::sqrt(std::max(progress_.r2, 0.0) / b2_);
    share_->residual = residual;
    // Not so for what is no number.
    const double rounding = 10 * tolerance + rounding_of(std::sqrt(x2 / b2_));
    const bool is_right = std::abs(residual - said) <= rounding + 0.01 * said;
    if (!is_right && task_->wrong == nullptr) {
      task_->wrong = "the true residual is not what the iterations say: a message was damaged";
    }
    return link_->fault() == nullptr;
  }

 private:
  static constexpr double tolerance = sizeof(R) == sizeof(float) ? 1e-5 : 1e-10;
  using Pointers = std::array<std::byte*, faces>;

  /// The checksums of a file from what the ranks' sites have in them: an XOR is the parity of a
  /// sum, bit by bit, and two sums over as many ranks as can be typed fit a number.
  [[nodiscard]] bool check_field() noexcept {
    constexpr std::uint64_t ranks_bits = 26;
    constexpr std::uint64_t bits_of_number = 2;
    static_assert(std::uint64_t{1} << ranks_bits > most_ranks &&
                  ranks_bits * bits_of_number <= std::numeric_limits<double>::digits);
    constexpr std::uint64_t at_once = 4;
    if (!share_->own_sums) return true;
    const std::array<std::uint32_t, 2> own{share_->own_sums->of_29, share_->own_sums->of_31};
    std::array<std::uint32_t, 2> found{};
    for (std::uint64_t first = 0; first < 64; first += at_once * bits_of_number) {
      std::array<double, at_once> numbers{};
      for (std::uint64_t bit = 0; bit < at_once * bits_of_number; ++bit) {
        const std::uint64_t is_set = own[(first + bit) / 32] >> ((first + bit) % 32) & 1U;
        numbers[bit / bits_of_number] +=
            static_cast<double>(is_set << (bit % bits_of_number * ranks_bits));
      }
      sums_.expect(1);
      if (!sum(numbers)) return false;
      for (std::uint64_t bit = 0; bit < at_once * bits_of_number; ++bit) {
        const auto counts = static_cast<std::uint64_t>(numbers[bit / bits_of_number]);
        const std::uint64_t is_odd = counts >> (bit % bits_of_number * ranks_bits) & 1U;
        found[(first + bit) / 32] |= static_cast<std::uint32_t>(is_odd << ((first + bit) % 32));
      }
    }
    const gauge_files::Sums sums{found[0], found[1]};
    if (sums != share_->due_sums) {
      task_->wrong =
          "the gauge file is another one on some host, or changed; copy it to every host again";
    }
    return true;
  }
  /// Of A x and what was added to it, relative to b: a solution for a small mass is much longer
  /// than its source.
  [[nodiscard]] double rounding_of(double length) const noexcept {
    constexpr double few = 8;
    const double largest = largest_eigenvalue(share_->mass, share_->u0);
    return few * std::numeric_limits<R>::epsilon() * largest * length;
  }
  [[nodiscard]] bool is_solved() const noexcept {
    return progress_.r2 <= tolerance * tolerance * b2_;
  }
  void restart() noexcept {
    if constexpr (!is_charged) solver_->restart();
    progress_ = {b2_, share_->own_b2};
    done_ = 0;
  }
  /// A sum will follow, and then so many halves of the operator: the first one's receives.
  void expect(std::size_t halves) noexcept {
    sums_.expect(1);
    left_ = halves;
    if (left_ > 0) post();
  }
  void post() noexcept {
    for (std::size_t lane = 0; lane < task_->lanes.size(); ++lane) {
      const Buffer& in = task_->lanes[lane].in.next();
      next_[lane] = in.data;
      link_->post_recv(task_->lanes[lane].peer, in);
    }
  }
  [[nodiscard]] bool sum(std::span<double> numbers) noexcept {
    return sums_.template sum<Wait>(numbers, left_ > 0);
  }
  /// No rank goes on before all are here.
  [[nodiscard]] bool in_step() noexcept {
    std::array<double, 1> nothing{};
    return sum(nothing);
  }

  /// The same in time alone: what is neither operator nor message is charged by the iteration.
  template <class Way, class Apply, class Sum>
  [[nodiscard]] bool charge_iteration(const Apply& apply, const Sum& summed) noexcept {
    if (!apply(Half::to_odd) || !apply(Half::to_even)) return false;
    Now::charge_flops(sites() * (flops_per_site - flops_of_operator_per_site));
    std::array<double, 4> numbers{};
    for (std::uint32_t left = Way::sums_of_iteration; left > 0; --left) {
      if (!summed(std::span(numbers).first(Way::has_one_sum ? 4 : 1))) return false;
    }
    return true;
  }
  [[nodiscard]] double sites() const noexcept {
    return static_cast<double>(volume_of(share_->lattice.local));
  }
  /// Of half the operator: every leg has the same share, and over each face there go one of one
  /// step and three of three for each of its sites of a parity.
  [[nodiscard]] double flops_of_half() const noexcept {
    return sites() * flops_of_operator_per_site / 2;
  }
  [[nodiscard]] double flops_of_remote_legs() const noexcept {
    double legs = 0;
    for (std::size_t lane = 0; lane < share_->split_lanes; ++lane) {
      legs += 4.0 / 2 * static_cast<double>(share_->lattice.face_sites(share_->split[lane]));
    }
    return legs / static_cast<double>(legs_of_site) * flops_of_operator_per_site;
  }

  /// Half of the operator with its messages, those of the next one expected meanwhile, and so many
  /// sums behind that.
  template <bool overlaps>
  [[nodiscard]] bool apply(Half half, Laps<Now>& laps, Spent& spent, std::uint32_t sums) noexcept {
    laps.end(spent[other_work]);
    here_ = next_;
    --left_;
    if (left_ > 0) post();
    sums_.expect(sums);
    for (std::size_t lane = 0; lane < task_->lanes.size(); ++lane) send(half, lane);
    laps.end(spent[pack_work]);
    if constexpr (overlaps) {
      local_legs<overlaps>(half);
      laps.end(spent[local_work]);
    }
    if (!await_faces<Wait>(*link_, *task_, left_ > 0, sums_)) return false;
    laps.end(spent[wait_work]);
    if constexpr (!overlaps) {
      local_legs<overlaps>(half);
      laps.end(spent[local_work]);
    }
    remote_legs(half);
    laps.end(spent[remote_work]);
    return true;
  }
  [[nodiscard]] bool apply_untimed(Half half) noexcept {
    Laps<Now> laps;
    Spent spent{};
    return apply<false>(half, laps, spent, 0);
  }
  void send(Half half, std::size_t lane) noexcept {
    Lane& to = task_->lanes[lane];
    const Buffer& out = to.out.next();
    if constexpr (!is_charged) solver_->pack(half, share_->face_out(lane), numbers(out.data));
    link_->post_send(to.target, out);
  }
  template <bool overlaps>
  void local_legs(Half half) noexcept {
    // A library that moves messages only in its calls gets some between the pieces.
    constexpr std::size_t pieces = 8;
    if constexpr (!is_charged) solver_->begin_local_legs(half);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      if constexpr (is_charged) {
        Now::charge_flops((flops_of_half() - flops_of_remote_legs()) / pieces);
      } else {
        const std::size_t blocks = solver_->own_blocks();
        solver_->local_legs(half, blocks * piece / pieces, blocks * (piece + 1) / pieces);
      }
      if (overlaps && is_under_way()) link_->poll();
    }
    if constexpr (!is_charged) solver_->end_local_legs();
  }
  /// Whether any message of this half is.
  [[nodiscard]] bool is_under_way() const noexcept {
    const std::size_t ahead = (left_ > 0 ? task_->lanes.size() : 0) + sums_.expected();
    return link_->sends_in_flight() > 0 || link_->receives_in_flight() > ahead;
  }
  void remote_legs([[maybe_unused]] Half half) noexcept {
    if constexpr (is_charged) {
      Now::charge_flops(flops_of_remote_legs());
    } else {
      typename Solver<R>::Messages messages{};
      for (std::size_t lane = 0; lane < task_->lanes.size(); ++lane) {
        messages[share_->face_in(lane)] = numbers(here_[lane]);
      }
      solver_->remote_legs(half, messages);
    }
  }
  void check_message(Half half, std::size_t lane) noexcept {
    const int from = task_->lanes[lane].peer.rank;
    // The sender packs what this rank would for the same face, if it were the sender.
    const std::size_t face = share_->face_out(lane);
    share_->fill_as(share_->lattice.origin(from));
    solver_->pack(half, face, share_->expected.data());
    const std::size_t bytes = solver_->message_reals(face) * sizeof(R);
    task_->verified_bytes += bytes;
    if (std::memcmp(here_[lane], share_->expected.data(), bytes) != 0) {
      task_->wrong = "a face did not arrive as it was sent";
    }
  }

  static R* numbers(std::byte* message) noexcept {
    return reinterpret_cast<R*>(message);  // NOLINT: a message is bytes to the link
  }

  T* link_;
  Task* task_;
  Share<R, is_charged>* share_;
  Solver<R>* solver_;
  SumsOf<T> sums_;
  Progress progress_;
  double b2_ = 1;
  /// Of a solution, and those done since it began.
  std::uint32_t most_iterations_;
  std::uint32_t done_ = 0;
  /// Halves that are still to come.
  std::size_t left_ = 0;
  /// By lane: where the next half's messages arrive, and this one's.
  Pointers next_{};
  Pointers here_{};
};

}  // namespace weft::milc

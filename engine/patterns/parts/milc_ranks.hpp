// What a rank of the staggered solver has, and how it exchanges faces and sums with the others.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "apps/milc/conjugate_gradient.hpp"
#include "contract/application.hpp"
#include "patterns/parts/faces.hpp"
#include "patterns/parts/milc_case.hpp"

namespace weft::milc {

/// A rank's share, in either precision.
struct AnyShare : Application {
  explicit AnyShare(bool single) : is_single(single) {}
  const bool is_single;
};

template <class R, bool is_charged>
struct Share final : AnyShare {
  Share(const Case& test, int own_rank, int size)
      : AnyShare(sizeof(R) == sizeof(float)), lattice(lattice_of(test, size)), rank(own_rank) {
    const Part part{lattice.global(), lattice.origin(own_rank), lattice.local};
    for (std::size_t dimension = 0; dimension < most_dimensions; ++dimension) {
      if (lattice.grid.is_split(dimension)) {
        split[split_lanes++] = dimension;
        split[split_lanes++] = dimension;
      }
    }
    // In a simulation nothing is computed.
    if (is_charged) return;
    const Gauge gauge = random_gauge(test.seed, part.global);
    solver.emplace(
        part,
        [&](const Smeared<R>& to) {
          smear<R>({part, gauge}, tadpole, to);
        },
        mass, how_of(test));
    own_b2 = solver->set_source(
        [&](const Site& site) { return random_vector(test.seed, number_of(site, part.global)); });
    for (std::size_t face = 0; face < faces; ++face) {
      expected.resize(std::max(expected.size(), solver->message_reals(face)));
    }
  }

  /// Where a lane's messages go to, and come from.
  [[nodiscard]] std::size_t face_out(std::size_t lane) const noexcept {
    return face_of(split[lane], lane % 2 == 1);
  }
  [[nodiscard]] std::size_t face_in(std::size_t lane) const noexcept {
    return face_of(split[lane], lane % 2 == 0);
  }

  /// Every site gets a content of its own, that of the rank whose first site this is.
  void fill_as(const Extents& origin) noexcept {
    const Layout layout(lattice.local);
    for (std::uint32_t parity = 0; parity < 2; ++parity) {
      for (std::uint32_t block = 0; block < solver->blocks(); ++block) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
          const Extents at = layout.at({parity, block, lane});
          Site site = origin;
          for (std::size_t d = 0; d < most_dimensions; ++d) site[d] += at[d];
          solver->set_direction(at, content_of(number_of(site, lattice.global())));
        }
      }
    }
  }

  Decomposition lattice;
  int rank;
  std::array<std::size_t, faces> split{};
  std::size_t split_lanes = 0;
  std::optional<Solver<R>> solver;
  double own_b2 = 1;
  /// Room for the content that a message must have.
  std::vector<R> expected;

 private:
  static Vector<R> content_of(std::uint64_t site) noexcept {
    // So many whole numbers float has.
    constexpr std::uint64_t numbers = 1U << 24U;
    Vector<R> vector;
    std::uint64_t number = reals_of_site * site;
    for (Complex<R>& one : vector) {
      one.re = static_cast<R>(number++ % numbers);
      one.im = static_cast<R>(number++ % numbers);
    }
    return vector;
  }
};

/// The work of an iteration, in the order of the benchmark's parts; what else there is, is steps
/// of the fields.
enum Work : std::uint8_t { pack_work, local_work, wait_work, remote_work, sum_work, other_work };
inline constexpr std::size_t kinds_of_work = 6;
using Spent = std::array<Ticks, kinds_of_work>;

template <class R, bool has_one_sum, bool overlaps, Clock Now, class Wait, TellsPeers T>
class Ranks {
 public:
  static constexpr bool is_charged = ChargesWork<Now>;

  Ranks(T& link, Task& task) noexcept
      : link_(&link),
        task_(&task),
        share_(static_cast<Share<R, is_charged>*>(task.application)),
        solver_(is_charged ? nullptr : &*share_->solver),
        sums_(link, task) {
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
    if (done_ == most_iterations) restart();
    const std::uint32_t now = std::min(wanted, most_iterations - done_);
    done_ += now;
    return now;
  }
  [[nodiscard]] bool iterate(Laps<Now>& laps, Spent& spent) noexcept {
    const auto apply = [&](Half half) {
      return this->apply(half, laps, spent, half == Half::to_odd ? sums_of_iteration : 0);
    };
    const auto summed = [&](std::span<double> numbers) {
      laps.end(spent[other_work]);
      const bool is_whole = sum(numbers);
      laps.end(spent[sum_work]);
      return is_whole;
    };
    if constexpr (is_charged) {
      return charge_iteration(apply, summed);
    } else if constexpr (has_one_sum) {
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
  [[nodiscard]] bool solve() noexcept {
    constexpr std::uint32_t at_once = 10;
    constexpr std::uint32_t most_rounds = 500;
    if constexpr (is_charged) return true;
    if (!begin(0)) return false;
    Laps<Now> laps;
    Spent spent{};
    for (std::uint32_t round = 0; round < most_rounds && !is_solved(); ++round) {
      expect(std::size_t{2} * at_once);
      if (!in_step()) return false;
      for (std::uint32_t left = at_once; left > 0; --left) {
        if (!iterate(laps, spent)) return false;
      }
      if (!std::isfinite(progress_.r2)) break;
    }
    if (!is_solved())
      task_->wrong = "the solver did not converge; report this defect with the case";
    return look_at_residual();
  }
  /// The true residual of the solution as it is: what the iterations say, but for rounding.
  [[nodiscard]] bool look_at_residual() noexcept {
    if constexpr (is_charged) return link_->fault() == nullptr;
    solver_->apply_to_solution();
    expect(2);
    if (!in_step() || !apply_untimed(Half::to_odd) || !apply_untimed(Half::to_even)) return false;
    solver_->apply_to_direction();
    std::array<double, 1> r2{solver_->residual()};
    sums_.expect(1);
    if (!sum(r2)) return false;
    const double residual = std::sqrt(r2[0] / b2_);
    const double said = std::sqrt(std::max(progress_.r2, 0.0) / b2_);
    task_->residual = residual;
    // Not so for what is no number.
    const bool is_right = std::abs(residual - said) <= 10 * tolerance + 0.01 * said;
    if (!is_right && task_->wrong == nullptr) {
      task_->wrong = "the true residual is not what the iterations say: a message was damaged";
    }
    return link_->fault() == nullptr;
  }

 private:
  static constexpr std::uint32_t sums_of_iteration = has_one_sum ? 1 : 2;
  static constexpr double tolerance = sizeof(R) == sizeof(float) ? 1e-5 : 1e-10;
  using Pointers = std::array<std::byte*, faces>;

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
  template <class Apply, class Sum>
  [[nodiscard]] bool charge_iteration(const Apply& apply, const Sum& summed) noexcept {
    if (!apply(Half::to_odd) || !apply(Half::to_even)) return false;
    Now::charge_flops(sites() * (flops_per_site - flops_of_operator_per_site));
    std::array<double, 4> numbers{};
    for (std::uint32_t left = sums_of_iteration; left > 0; --left) {
      if (!summed(std::span(numbers).first(has_one_sum ? 4 : 1))) return false;
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
  [[nodiscard]] bool apply(Half half, Laps<Now>& laps, Spent& spent, std::uint32_t sums) noexcept {
    laps.end(spent[other_work]);
    here_ = next_;
    --left_;
    if (left_ > 0) post();
    sums_.expect(sums);
    for (std::size_t lane = 0; lane < task_->lanes.size(); ++lane) send(half, lane);
    laps.end(spent[pack_work]);
    if constexpr (overlaps) {
      local_legs(half);
      laps.end(spent[local_work]);
    }
    if (!await_faces<Wait>(*link_, *task_, left_ > 0, sums_)) return false;
    laps.end(spent[wait_work]);
    if constexpr (!overlaps) {
      local_legs(half);
      laps.end(spent[local_work]);
    }
    remote_legs(half);
    laps.end(spent[remote_work]);
    return true;
  }
  [[nodiscard]] bool apply_untimed(Half half) noexcept {
    Laps<Now> laps;
    Spent spent{};
    return apply(half, laps, spent, 0);
  }
  void send(Half half, std::size_t lane) noexcept {
    Lane& to = task_->lanes[lane];
    const Buffer& out = to.out.next();
    if constexpr (!is_charged) solver_->pack(half, share_->face_out(lane), numbers(out.data));
    link_->post_send(to.target, out);
  }
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
    const std::size_t ahead = (left_ > 0 ? task_->lanes.size() : 0) + sums_.words();
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
  /// Since the solution began.
  std::uint32_t done_ = 0;
  /// Halves that are still to come.
  std::size_t left_ = 0;
  /// By lane: where the next half's messages arrive, and this one's.
  Pointers next_{};
  Pointers here_{};
};

}  // namespace weft::milc

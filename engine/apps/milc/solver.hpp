// One rank's share of the conjugate gradient on the improved staggered operator: its links and
// fields, and the steps of an iteration. What is said to other ranks is the caller's.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "apps/milc/fat_links.hpp"
#include "apps/milc/fields.hpp"
#include "apps/milc/layout.hpp"
#include "apps/milc/legs.hpp"
#include "apps/milc/staggered.hpp"
#include "host/pages.hpp"
#include "host/team.hpp"

namespace weft::milc {

/// The improved links of a rank, given to whoever takes them (`smear` in fat_links.hpp).
template <class R>
using LinksTo = std::function<void(const Smeared<R>& to)>;
/// A colour vector of each site of the whole lattice.
using Source = std::function<Vector<double>(const Site& site)>;

/// The operator comes in two halves: from the even sites to the odd ones, and back.
enum class Half : std::uint8_t { to_odd, to_even };

/// Whether of the links of three steps all three rows are kept, or two and the third one is
/// computed from them whenever it is used: fewer bytes, more arithmetic.
enum class LongLinks : std::uint8_t { three_rows, two_rows };

/// What changes no result but its rounding.
struct How {
  LongLinks long_links = LongLinks::three_rows;
  Isa isa = best_isa();
  /// A thread on each of these, beside the caller's.
  std::span<const int> team_cpus{};
};

/// A = 4 m^2 - D^2 on the even sites, in MILC's normalisation (no factor 1/2 in D), and the fields
/// of a conjugate gradient. Everything is allocated here; the steps allocate nothing.
template <class R>
class Solver {
 public:
  /// The message to or from each face; null where the rank's own sites follow.
  using Messages = std::array<const R*, faces>;

  /// Throws std::bad_alloc. Extents of the part are even and 4 at least.
  Solver(const Sublattice& sublattice, const LinksTo<R>& links, double mass, const How& how = {});

  /// The right-hand side, on the even sites. Gives the share of |b|^2.
  double set_source(const Source& source);
  /// x = 0, r = p = b.
  void restart() noexcept;

  /// Which field the operator is applied to: the direction p, or the solution x.
  void apply_to_direction() noexcept { from_ = p_; }
  void apply_to_solution() noexcept { from_ = x_; }

  /// The numbers of a message: three layers of the face, of one parity.
  [[nodiscard]] std::size_t message_reals(std::size_t face) const noexcept {
    return tables_.of_parity[0].packed[face].size() * reals_of_site;
  }
  /// What a half sends over a face.
  void pack(Half half, std::size_t face, R* message) const noexcept;
  /// The legs inside the rank: the team begins its blocks, the caller does its own in pieces, from
  /// the first to `own_blocks()`, and at the end waits for the team.
  void begin_local_legs(Half half) noexcept;
  void local_legs(Half half, std::size_t first, std::size_t last) noexcept;
  void end_local_legs() const noexcept { team_.join(); }
  [[nodiscard]] std::size_t own_blocks() const noexcept { return blocks() / team_.size(); }
  /// Those to other ranks, from their messages.
  void remote_legs(Half half, const Messages& messages) noexcept;
  [[nodiscard]] std::size_t blocks() const noexcept { return layout_.blocks(); }

  /// Shares of the sums of p, q = -A p and r: of parts of the sites, in the parts' order, whoever
  /// of the team made them.
  [[nodiscard]] double direction_product() noexcept;
  [[nodiscard]] Dots products() noexcept;
  /// x += a p, r += a q; the share of |r|^2.
  [[nodiscard]] double advance(double a) noexcept;
  /// p = r + b p.
  void turn(double b) noexcept;
  /// After the operator was applied to the solution: the share of |b - A x|^2.
  [[nodiscard]] double residual() const noexcept;
  /// The share of |x|^2.
  [[nodiscard]] double solution_norm() const noexcept;

  [[nodiscard]] std::uint64_t sites() const noexcept { return volume_of(layout_.local()); }

  /// For tests and checks: a site of this rank by its local coordinates.
  [[nodiscard]] Vector<R> applied(const Extents& at) const noexcept;
  /// p, and with it what the first half is applied to; on odd sites what the second one is.
  void set_direction(const Extents& at, const Vector<R>& to) noexcept;

 private:
  // What the team does at once.
  enum class Step : std::uint8_t {
    clear,
    restart,
    local,
    remote,
    product,
    products,
    advance,
    turn
  };
  struct Member {
    Solver* solver;
    void operator()(std::size_t member) const noexcept { solver->work(member); }
  };
  static constexpr std::size_t most_chunks = 64;

  void together(Step step) noexcept;
  void work(std::size_t member) noexcept;
  void work_on_chunk(std::size_t chunk) noexcept;
  void clear(std::size_t member) noexcept;
  [[nodiscard]] Dots sum() const noexcept;
  [[nodiscard]] std::span<const RemoteLeg> remote_part(std::size_t member) const noexcept;
  void take_memory();
  void take_links(const LinksTo<R>& links);
  void put_link(const std::array<int, 4>& at, std::size_t direction, std::uint32_t hop,
                const Matrix<R>& link) noexcept;
  void put_rows(std::size_t row, std::uint32_t lane, std::size_t reals,
                const Matrix<R>& link) noexcept;
  void put_sign(LocalLeg& leg, std::uint32_t lane, const Matrix<R>& link) noexcept;
  [[nodiscard]] LocalLeg& local_leg(const Layout::Place& place, std::size_t leg) noexcept;
  [[nodiscard]] Vector<R> get(const R* field, const Extents& at) const noexcept;
  void put(R* field, const Extents& at, const Vector<R>& to) const noexcept;
  [[nodiscard]] OperatorOn<R> on(Half half) const noexcept;

  Sublattice sublattice_;
  Layout layout_;
  std::size_t long_reals_;
  LegTables tables_;
  R diagonal_;
  R inverse_{};
  Isa isa_;
  /// Of the blocks, for the steps of the fields: as many whatever the team is.
  std::size_t chunks_;
  std::array<Dots, most_chunks> dots_{};
  Step step_ = Step::clear;
  Half half_ = Half::to_odd;
  /// Of the step that is done.
  R factor_{};
  const Messages* messages_ = nullptr;
  std::optional<Region> memory_;
  R* links_ = nullptr;
  /// Even sites, and t the odd ones.
  R* b_ = nullptr;
  R* x_ = nullptr;
  R* r_ = nullptr;
  R* p_ = nullptr;
  R* q_ = nullptr;
  R* t_ = nullptr;
  const R* from_ = nullptr;
  /// Ends first: its threads work on what is above.
  Team<Member> team_;
};

extern template class Solver<float>;
extern template class Solver<double>;

}  // namespace weft::milc

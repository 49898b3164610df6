#include "apps/milc/solver.hpp"

#include <algorithm>
#include <cmath>

namespace weft::milc {

template <class R>
Solver<R>::Solver(const Sublattice& sublattice, const LinksTo<R>& links, double mass,
                  const How& how)
    : sublattice_(sublattice),
      layout_(sublattice.local),
      long_reals_(how.long_links == LongLinks::two_rows ? rebuilt_reals : reals_of_link),
      tables_(leg_tables(sublattice, layout_, long_reals_)),
      diagonal_(static_cast<R>(-4 * mass * mass)),
      isa_(how.isa),
      chunks_(std::clamp<std::size_t>(layout_.blocks() / 8, 1, most_chunks)),
      team_(how.team_cpus, Member{this}) {
  take_memory();
  take_links(links);
  apply_to_direction();
}

template <class R>
void Solver<R>::take_memory() {
  constexpr std::size_t line = 64;
  constexpr std::size_t fields = 6;
  const std::size_t link_reals = tables_.all_rows * lanes;
  // A line more than a field has, so that fields do not begin at the same place of a page.
  const std::size_t field_reals =
      layout_.blocks() * lanes * reals_of_site + (layout_.blocks() % 2 + 3) * line / sizeof(R) * 2;
  memory_.emplace((link_reals + fields * field_reals) * sizeof(R), Pages::usual);
  links_ = reinterpret_cast<R*>(memory_->data());  // NOLINT: memory without a type
  R* next = links_ + link_reals;
  for (R** field : {&b_, &x_, &r_, &p_, &q_, &t_}) {
    *field = next;
    next += field_reals;
  }
  together(Step::clear);
}

// The first to write is who will read it again and again: its pages are near that thread's core.
template <class R>
void Solver<R>::clear(std::size_t member) noexcept {
  const auto part = [&](R* first, std::size_t reals) {
    const std::size_t low = reals * member / team_.size();
    const std::size_t high = reals * (member + 1) / team_.size();
    std::fill(first + low, first + high, R{});
  };
  const std::size_t of_parity = tables_.own_rows * lanes / 2;
  part(links_, of_parity);
  part(links_ + of_parity, of_parity);
  part(links_ + 2 * of_parity, (tables_.all_rows - tables_.own_rows) * lanes);
  for (R* field : {b_, x_, r_, p_, q_, t_}) part(field, layout_.blocks() * lanes * reals_of_site);
}

template <class R>
void Solver<R>::take_links(const LinksTo<R>& links) {
  links({[&](const std::array<int, 4>& at, std::size_t direction, const Matrix<R>& link) {
           put_link(at, direction, 1, link);
         },
         [&](const std::array<int, 4>& at, std::size_t direction, const Matrix<R>& link) {
           put_link(at, direction, 3, link);
         }});
}

template <class R>
void Solver<R>::put_rows(std::size_t row, std::uint32_t lane, std::size_t reals,
                         const Matrix<R>& link) noexcept {
  R* to = links_ + row * lanes + lane;
  for (std::size_t i = 0; i < reals / reals_of_site; ++i) {
    for (const Complex<R>& one : link.rows[i]) {
      to[0] = one.re;
      to[lanes] = one.im;
      to += 2 * lanes;
    }
  }
}

template <class R>
void Solver<R>::put_link(const std::array<int, 4>& at, std::size_t direction, std::uint32_t hop,
                         const Matrix<R>& link) noexcept {
  const std::size_t reals = hop == 1 ? reals_of_link : long_reals_;
  const std::size_t leg = 2 * direction + (hop == 1 ? 0 : 1);
  Extents site{};
  bool is_own = true;
  for (std::size_t dimension = 0; dimension < 4; ++dimension) {
    is_own = is_own && at[dimension] >= 0;
    site[dimension] = static_cast<std::uint32_t>(std::max(at[dimension], 0));
  }
  if (is_own) {
    const Layout::Place place = layout_.place(site);
    LocalLeg& own = local_leg(place, leg);
    put_rows(own.link, place.lane, reals, link);
    if (reals == rebuilt_reals) put_sign(own, place.lane, link);
  }
  // The site that has a leg back over it, and perhaps a copy.
  const std::uint32_t extent = sublattice_.local[direction];
  const int end = at[direction] + static_cast<int>(hop);
  if (end >= static_cast<int>(extent) && sublattice_.is_split(direction)) return;
  site[direction] = static_cast<std::uint32_t>(end) % extent;
  const Layout::Place user = layout_.place(site);
  LocalLeg& back = local_leg(user, leg + 8);
  if (back.link >= tables_.own_rows) put_rows(back.link, user.lane, reals, link);
  if (reals == rebuilt_reals) put_sign(back, user.lane, link);
}

template <class R>
LocalLeg& Solver<R>::local_leg(const Layout::Place& place, std::size_t leg) noexcept {
  return tables_.of_parity[place.parity].local[place.block * legs_of_site + leg];
}

// A link of two rows is a number times an SU(3) matrix: its determinant is that number's cube,
// whose size is that of every link.
template <class R>
void Solver<R>::put_sign(LocalLeg& leg, std::uint32_t lane, const Matrix<R>& link) noexcept {
  const double cube = determinant(as<double>(link)).re;
  if (inverse_ == 0) inverse_ = static_cast<R>(1 / std::cbrt(std::abs(cube)));
  const auto bit = static_cast<std::uint8_t>(cube < 0 ? 1U << lane : 0U);
  leg.negative = static_cast<std::uint8_t>(leg.negative | bit);
}

template <class R>
Vector<R> Solver<R>::get(const R* field, const Extents& at) const noexcept {
  const R* from = field + first_real(layout_.place(at));
  Vector<R> vector;
  for (Complex<R>& one : vector) {
    one = {from[0], from[lanes]};
    from += 2 * lanes;
  }
  return vector;
}

template <class R>
void Solver<R>::put(R* field, const Extents& at, const Vector<R>& to) const noexcept {
  R* real = field + first_real(layout_.place(at));
  for (const Complex<R>& one : to) {
    real[0] = one.re;
    real[lanes] = one.im;
    real += 2 * lanes;
  }
}

template <class R>
double Solver<R>::set_source(const Source& source) {
  double norm = 0;
  for (std::uint32_t block = 0; block < layout_.blocks(); ++block) {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const Extents at = layout_.at({0, block, lane});
      Site site = sublattice_.origin;
      for (std::size_t dimension = 0; dimension < 4; ++dimension) site[dimension] += at[dimension];
      Vector<R> own;
      const Vector<double> given = source(site);
      for (std::size_t i = 0; i < colours; ++i) {
        own[i] = {static_cast<R>(given[i].re), static_cast<R>(given[i].im)};
        norm += double{own[i].re} * own[i].re + double{own[i].im} * own[i].im;
      }
      put(b_, at, own);
    }
  }
  return norm;
}

template <class R>
void Solver<R>::together(Step step) noexcept {
  step_ = step;
  team_.together();
}

template <class R>
void Solver<R>::work(std::size_t member) noexcept {
  const std::size_t members = team_.size();
  if (step_ == Step::clear) {
    clear(member);
  } else if (step_ == Step::local) {
    apply_local(isa_, on(half_), blocks() * member / members, blocks() * (member + 1) / members);
  } else if (step_ == Step::remote) {
    apply_remote(isa_, on(half_), remote_part(member), *messages_);
  } else {
    const std::size_t last = chunks_ * (member + 1) / members;
    for (std::size_t chunk = chunks_ * member / members; chunk < last; ++chunk) {
      work_on_chunk(chunk);
    }
  }
}

template <class R>
void Solver<R>::work_on_chunk(std::size_t chunk) noexcept {
  const std::size_t first = blocks() * chunk / chunks_;
  const std::size_t count = blocks() * (chunk + 1) / chunks_ - first;
  const std::size_t at = first * lanes * reals_of_site;
  const std::size_t reals = count * lanes * reals_of_site;
  Dots& dots = dots_[chunk];
  switch (step_) {
    case Step::restart:
      std::fill_n(x_ + at, reals, R{});
      std::copy_n(b_ + at, reals, r_ + at);
      std::copy_n(b_ + at, reals, p_ + at);
      break;
    case Step::product:
      dots.pq = dot(isa_, p_ + at, q_ + at, count);
      break;
    case Step::products:
      dots = milc::dots(isa_, p_ + at, q_ + at, r_ + at, count);
      break;
    case Step::advance:
      dots.rr = milc::advance(isa_, factor_, p_ + at, q_ + at, x_ + at, r_ + at, count);
      break;
    default:
      milc::turn(isa_, factor_, r_ + at, p_ + at, count);
  }
}

template <class R>
Dots Solver<R>::sum() const noexcept {
  Dots whole;
  for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
    whole.pq += dots_[chunk].pq;
    whole.rq += dots_[chunk].rq;
    whole.qq += dots_[chunk].qq;
    whole.rr += dots_[chunk].rr;
  }
  return whole;
}

template <class R>
void Solver<R>::restart() noexcept {
  together(Step::restart);
}

template <class R>
OperatorOn<R> Solver<R>::on(Half half) const noexcept {
  const LocalLeg* const legs = tables_.of_parity[half == Half::to_odd ? 1 : 0].local.data();
  if (half == Half::to_odd) return {links_, legs, from_, t_, nullptr, R{}, inverse_};
  return {links_, legs, t_, q_, from_, diagonal_, inverse_};
}

template <class R>
void Solver<R>::pack(Half half, std::size_t face, R* message) const noexcept {
  const R* const field = half == Half::to_odd ? from_ : t_;
  for (const std::uint32_t first : tables_.of_parity[half == Half::to_odd ? 0 : 1].packed[face]) {
    const R* const site = field + first;
    for (std::size_t real = 0; real < reals_of_site; ++real) message[real] = site[real * lanes];
    message += reals_of_site;
  }
}

template <class R>
void Solver<R>::begin_local_legs(Half half) noexcept {
  step_ = Step::local;
  half_ = half;
  team_.start();
}

template <class R>
void Solver<R>::local_legs(Half half, std::size_t first, std::size_t last) noexcept {
  apply_local(isa_, on(half), first, last);
}

template <class R>
void Solver<R>::remote_legs(Half half, const Messages& messages) noexcept {
  half_ = half;
  messages_ = &messages;
  together(Step::remote);
}

// All legs of a block are one member's.
template <class R>
std::span<const RemoteLeg> Solver<R>::remote_part(std::size_t member) const noexcept {
  const std::span<const RemoteLeg> all = tables_.of_parity[half_ == Half::to_odd ? 1 : 0].remote;
  const auto begin = [&](std::size_t of) {
    std::size_t at = all.size() * of / team_.size();
    while (at > 0 && at < all.size() && all[at].block == all[at - 1].block) ++at;
    return at;
  };
  return all.subspan(begin(member), begin(member + 1) - begin(member));
}

template <class R>
double Solver<R>::direction_product() noexcept {
  together(Step::product);
  return sum().pq;
}

template <class R>
Dots Solver<R>::products() noexcept {
  together(Step::products);
  return sum();
}

template <class R>
double Solver<R>::advance(double a) noexcept {
  factor_ = static_cast<R>(a);
  together(Step::advance);
  return sum().rr;
}

template <class R>
void Solver<R>::turn(double b) noexcept {
  factor_ = static_cast<R>(b);
  together(Step::turn);
}

template <class R>
double Solver<R>::residual() const noexcept {
  double norm = 0;
  for (std::size_t at = 0; at < blocks() * lanes * reals_of_site; ++at) {
    const double one = double{b_[at]} + double{q_[at]};
    norm += one * one;
  }
  return norm;
}

template <class R>
double Solver<R>::solution_norm() const noexcept {
  return dot(isa_, x_, x_, blocks());
}

template <class R>
Vector<R> Solver<R>::applied(const Extents& at) const noexcept {
  return get((at[0] + at[1] + at[2] + at[3]) % 2 == 0 ? q_ : t_, at);
}

template <class R>
void Solver<R>::set_direction(const Extents& at, const Vector<R>& to) noexcept {
  put((at[0] + at[1] + at[2] + at[3]) % 2 == 0 ? p_ : t_, at, to);
}

template class Solver<float>;
template class Solver<double>;

}  // namespace weft::milc

#include "apps/milc/fat_links.hpp"

#include <vector>

namespace weft::milc {

namespace {

template <class R>
class Smearing {
 public:
  Smearing(const ThinLinks<R>& thin, double u0)
      : sublattice_(thin.sublattice()), box_(thin.box()), links_(&thin), u0_(u0) {
    for (Field& field : staples_) field.resize(box_.size());
    sum_.resize(box_.size());
  }

  void fat(std::size_t direction, const typename Smeared<R>::Take& take) {
    const SiteRange whole = box_.used(direction, 1);
    const double tadpole = 1 / (u0_ * u0_);
    const double lepage = -tadpole * tadpole / 16;
    // Twice the staple in one dimension is Lepage's term and, there and back, the link itself.
    const auto direct = static_cast<R>(5.0 / 8 - 6 * lepage);
    whole.visit([&](const At& at) {
      const std::size_t site = box_.index(at);
      sum_[site] = direct * links_->in(direction)[site];
    });
    for (std::size_t nu = 0; nu < 4; ++nu) {
      if (nu == direction) continue;
      staple_in(direction, nu, links_->in(direction), staples_[0], widened(whole, direction));
      add(staples_[0], tadpole / 16, whole);
      staple_in(direction, nu, staples_[0], staples_[1], whole);
      add(staples_[1], lepage, whole);
      higher_staples(direction, nu, whole, tadpole * tadpole);
    }
    whole.visit(
        [&](const At& at) { take(at, direction, sign(at, direction, 1) * sum_[box_.index(at)]); });
  }

  void naik(std::size_t direction, const typename Smeared<R>::Take& take) const {
    const auto coefficient = static_cast<R>(-1 / (24 * u0_ * u0_));
    const Field& links = links_->in(direction);
    box_.used(direction, 3).visit([&](const At& at) {
      const Matrix<R> product = links[box_.index(at)] * links[box_.index(step(at, direction, 1))] *
                                links[box_.index(step(at, direction, 2))];
      take(at, direction, (sign(at, direction, 3) * coefficient) * product);
    });
  }

 private:
  using Field = std::vector<Matrix<R>>;

  // The staggered phase, and the other sign of what crosses the lattice's end in t.
  [[nodiscard]] R sign(const At& at, std::size_t direction, std::uint32_t hop) const noexcept {
    const Site site = box_.site(at);
    const bool crosses = direction == 3 && site[3] + hop >= sublattice_.global[3];
    return static_cast<R>(crosses ? -phase_of(site, direction) : phase_of(site, direction));
  }

  [[nodiscard]] SiteRange widened(SiteRange region, std::size_t but) const noexcept {
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      if (dimension != but) region = region.wider(dimension, sublattice_.is_split(dimension));
    }
    return region;
  }

  void higher_staples(std::size_t direction, std::size_t nu, const SiteRange& whole,
                      double tadpole) {
    for (std::size_t rho = 0; rho < 4; ++rho) {
      if (rho == direction || rho == nu) continue;
      const std::size_t sigma = 6 - direction - nu - rho;
      const SiteRange wider = whole.wider(sigma, sublattice_.is_split(sigma));
      staple_in(direction, rho, staples_[0], staples_[1], wider);
      add(staples_[1], tadpole / 64, whole);
      staple_in(direction, sigma, staples_[1], staples_[2], whole);
      add(staples_[2], tadpole / (384 * u0_ * u0_), whole);
    }
  }

  // Out by a step in nu, along, and back: both ways.
  void staple_in(std::size_t direction, std::size_t nu, const Field& along, Field& to,
                 const SiteRange& region) const {
    const Field& side = links_->in(nu);
    region.visit([&](const At& at) {
      const std::size_t site = box_.index(at);
      const std::size_t above = box_.index(step(at, nu, 1));
      const std::size_t below = box_.index(step(at, nu, -1));
      const std::size_t next = box_.index(step(at, direction, 1));
      const std::size_t next_below = box_.index(step(step(at, direction, 1), nu, -1));
      to[site] = side[site] * along[above] * adjoint(side[next]) +
                 adjoint(side[below]) * along[below] * side[next_below];
    });
  }

  void add(const Field& paths, double coefficient, const SiteRange& region) {
    region.visit([&](const At& at) {
      const std::size_t site = box_.index(at);
      sum_[site] = sum_[site] + static_cast<R>(coefficient) * paths[site];
    });
  }

  Sublattice sublattice_;
  Box box_;
  const ThinLinks<R>* links_;
  double u0_;
  std::array<Field, 3> staples_;
  Field sum_;
};

}  // namespace

template <class R>
void smear(const ThinLinks<R>& thin, double u0, const Smeared<R>& to) {
  Smearing<R> smearing(thin, u0);
  for (std::size_t direction = 0; direction < 4; ++direction) {
    smearing.fat(direction, to.fat);
    smearing.naik(direction, to.naik);
  }
}

template void smear(const ThinLinks<float>&, double, const Smeared<float>&);
template void smear(const ThinLinks<double>&, double, const Smeared<double>&);

}  // namespace weft::milc

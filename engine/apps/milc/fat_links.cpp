#include "apps/milc/fat_links.hpp"

#include <vector>

namespace weft::milc {

namespace {

using At = std::array<int, 4>;

constexpr At step(At at, std::size_t direction, int by) noexcept {
  at[direction] += by;
  return at;
}

// Sites from `low` on, up to before `high`, in local coordinates.
struct Region {
  At low{};
  At high{};

  [[nodiscard]] Region wider(std::size_t dimension, bool is_split) const noexcept {
    Region region = *this;
    // Of an undivided dimension all sites are there anyway.
    if (is_split) {
      --region.low[dimension];
      ++region.high[dimension];
    }
    return region;
  }
  template <class Each>
  void visit(const Each& each) const {
    At at{};
    for (at[3] = low[3]; at[3] < high[3]; ++at[3]) {
      for (at[2] = low[2]; at[2] < high[2]; ++at[2]) {
        for (at[1] = low[1]; at[1] < high[1]; ++at[1]) {
          for (at[0] = low[0]; at[0] < high[0]; ++at[0]) each(at);
        }
      }
    }
  }
};

// A rank's sites and as many around them as paths of its links reach; an undivided dimension is
// whole and meets its own end.
class Box {
 public:
  explicit Box(const Part& part) : part_(part) {
    constexpr int back = 3;
    constexpr int ahead = 2;
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      const int extent = static_cast<int>(part.local[dimension]);
      const bool is_split = part.is_split(dimension);
      low_[dimension] = is_split ? -back : 0;
      extents_[dimension] = is_split ? extent + back + ahead : extent;
    }
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(extents_[0] * extents_[1]) *
           static_cast<std::size_t>(extents_[2] * extents_[3]);
  }
  [[nodiscard]] std::size_t index(const At& at) const noexcept {
    std::size_t index = 0;
    for (std::size_t dimension = 4; dimension-- > 0;) {
      int place = at[dimension] - low_[dimension];
      if (place >= extents_[dimension]) place -= extents_[dimension];
      if (place < 0) place += extents_[dimension];
      index =
          index * static_cast<std::size_t>(extents_[dimension]) + static_cast<std::size_t>(place);
    }
    return index;
  }
  [[nodiscard]] Region all() const noexcept {
    Region region{low_, low_};
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      region.high[dimension] += extents_[dimension];
    }
    return region;
  }
  [[nodiscard]] Region own() const noexcept {
    Region region;
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      region.high[dimension] = static_cast<int>(part_.local[dimension]);
    }
    return region;
  }
  /// The sites that have a link of a direction which a rank's own sites use: its own, and so many
  /// before them.
  [[nodiscard]] Region used(std::size_t direction, int before) const noexcept {
    Region region = own();
    if (part_.is_split(direction)) region.low[direction] -= before;
    return region;
  }
  [[nodiscard]] Site site(const At& at) const noexcept {
    Site site{};
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      const auto extent = static_cast<int>(part_.global[dimension]);
      const int place = static_cast<int>(part_.origin[dimension]) + at[dimension] + extent;
      site[dimension] = static_cast<std::uint32_t>(place % extent);
    }
    return site;
  }

 private:
  Part part_;
  At low_{};
  At extents_{};
};

template <class R>
class Smearing {
 public:
  Smearing(const Part& part, const Gauge& gauge, double u0) : part_(part), box_(part), u0_(u0) {
    for (std::size_t direction = 0; direction < 4; ++direction) {
      links_[direction].resize(box_.size());
      box_.all().visit([&](const At& at) {
        links_[direction][box_.index(at)] = as<R>(gauge(box_.site(at), direction));
      });
    }
    for (Field& field : staples_) field.resize(box_.size());
    sum_.resize(box_.size());
  }

  void fat(std::size_t direction, const typename Smeared<R>::Take& take) {
    const Region whole = box_.used(direction, 1);
    const double tadpole = 1 / (u0_ * u0_);
    const double lepage = -tadpole * tadpole / 16;
    // Twice the staple in one dimension is Lepage's term and, there and back, the link itself.
    const auto direct = static_cast<R>(5.0 / 8 - 6 * lepage);
    whole.visit([&](const At& at) {
      const std::size_t site = box_.index(at);
      sum_[site] = direct * links_[direction][site];
    });
    for (std::size_t nu = 0; nu < 4; ++nu) {
      if (nu == direction) continue;
      staple_in(direction, nu, links_[direction], staples_[0], widened(whole, direction));
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
    const Field& links = links_[direction];
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
    const bool crosses = direction == 3 && site[3] + hop >= part_.global[3];
    return static_cast<R>(crosses ? -phase_of(site, direction) : phase_of(site, direction));
  }

  [[nodiscard]] Region widened(Region region, std::size_t but) const noexcept {
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      if (dimension != but) region = region.wider(dimension, part_.is_split(dimension));
    }
    return region;
  }

  void higher_staples(std::size_t direction, std::size_t nu, const Region& whole, double tadpole) {
    for (std::size_t rho = 0; rho < 4; ++rho) {
      if (rho == direction || rho == nu) continue;
      const std::size_t sigma = 6 - direction - nu - rho;
      const Region wider = whole.wider(sigma, part_.is_split(sigma));
      staple_in(direction, rho, staples_[0], staples_[1], wider);
      add(staples_[1], tadpole / 64, whole);
      staple_in(direction, sigma, staples_[1], staples_[2], whole);
      add(staples_[2], tadpole / (384 * u0_ * u0_), whole);
    }
  }

  // Out by a step in nu, along, and back: both ways.
  void staple_in(std::size_t direction, std::size_t nu, const Field& along, Field& to,
                 const Region& region) const {
    const Field& side = links_[nu];
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

  void add(const Field& paths, double coefficient, const Region& region) {
    region.visit([&](const At& at) {
      const std::size_t site = box_.index(at);
      sum_[site] = sum_[site] + static_cast<R>(coefficient) * paths[site];
    });
  }

  Part part_;
  Box box_;
  double u0_;
  std::array<Field, 4> links_;
  std::array<Field, 3> staples_;
  Field sum_;
};

}  // namespace

template <class R>
void smear(const Part& part, const Gauge& gauge, double u0, const Smeared<R>& to) {
  Smearing<R> smearing(part, gauge, u0);
  for (std::size_t direction = 0; direction < 4; ++direction) {
    smearing.fat(direction, to.fat);
    smearing.naik(direction, to.naik);
  }
}

template void smear<float>(const Part&, const Gauge&, double, const Smeared<float>&);
template void smear<double>(const Part&, const Gauge&, double, const Smeared<double>&);

}  // namespace weft::milc

#include "apps/milc/thin_links.hpp"

namespace weft::milc {

template <class R>
ThinLinks<R>::ThinLinks(const Sublattice& sublattice, const Gauge& gauge)
    : sublattice_(sublattice), box_(sublattice) {
  for (auto& links : links_) links.resize(box_.size());
  box_.all().visit([&](const At& at) {
    for (std::size_t direction = 0; direction < links_.size(); ++direction) {
      links_[direction][box_.index(at)] = as<R>(gauge(box_.site(at), direction));
    }
  });
}

template <class R>
Plaquettes plaquettes(const ThinLinks<R>& links) noexcept {
  Plaquettes sums;
  const Box& box = links.box();
  const auto link = [&](const At& at, std::size_t direction) {
    return as<double>(links.in(direction)[box.index(at)]);
  };
  box.own().visit([&](const At& at) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (std::size_t nu = 0; nu < mu; ++nu) {
        const Matrix<double> there = link(at, mu) * link(step(at, mu, 1), nu);
        const Matrix<double> back = link(at, nu) * link(step(at, nu, 1), mu);
        (mu == 3 ? sums.time : sums.space) += trace(there * adjoint(back)).re;
      }
    }
  });
  return sums;
}

template class ThinLinks<float>;
template class ThinLinks<double>;
template Plaquettes plaquettes(const ThinLinks<float>&) noexcept;
template Plaquettes plaquettes(const ThinLinks<double>&) noexcept;

}  // namespace weft::milc

#include "apps/milc/layout.hpp"

namespace weft::milc {

Layout::Layout(const Extents& local) noexcept
    : local_(local),
      part_{local[0], local[1] / 2, local[2] / 2, local[3] / 2},
      blocks_(volume_of(local) / 2 / lanes) {}

std::uint32_t Layout::displacement(std::uint32_t lane) const noexcept {
  std::uint32_t sum = 0;
  for (std::uint32_t bit = 0; bit < 3; ++bit) sum += (lane >> bit & 1U) * part_[bit + 1];
  return sum % 2;
}

Layout::Place Layout::place(const Extents& at) const noexcept {
  Place place{(at[0] + at[1] + at[2] + at[3]) % 2, 0, 0};
  std::uint32_t row = 0;
  for (std::uint32_t bit = 3; bit-- > 0;) {
    const std::uint32_t half = at[bit + 1] / part_[bit + 1];
    place.lane |= half << bit;
    row = row * part_[bit + 1] + at[bit + 1] % part_[bit + 1];
  }
  const std::uint32_t x = (at[0] + local_[0] - displacement(place.lane)) % local_[0];
  place.block = row * (local_[0] / 2) + x / 2;
  return place;
}

Extents Layout::at(const Place& place) const noexcept {
  Extents at{};
  const std::uint32_t half_row = local_[0] / 2;
  std::uint32_t row = place.block / half_row;
  std::uint32_t sum = place.parity;
  for (std::uint32_t bit = 0; bit < 3; ++bit) {
    const std::uint32_t inside = row % part_[bit + 1];
    row /= part_[bit + 1];
    sum += inside;
    at[bit + 1] = inside + (place.lane >> bit & 1U) * part_[bit + 1];
  }
  const std::uint32_t x = 2 * (place.block % half_row) + sum % 2;
  at[0] = (x + displacement(place.lane)) % local_[0];
  return at;
}

}  // namespace weft::milc

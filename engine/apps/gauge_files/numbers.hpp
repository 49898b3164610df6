// Numbers as files have them, in either order of bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::gauge_files {

template <class N>
N number_of_bytes(std::span<const std::byte, sizeof(N)> bytes, std::endian order) noexcept {
  std::array<std::byte, sizeof(N)> native{};
  std::copy(bytes.begin(), bytes.end(), native.begin());
  if (order != std::endian::native) std::reverse(native.begin(), native.end());
  return std::bit_cast<N>(native);
}

inline std::uint32_t word_of(std::span<const std::byte, 4> bytes, std::endian order) noexcept {
  return number_of_bytes<std::uint32_t>(bytes, order);
}

}  // namespace weft::gauge_files

// What a datagram says of its sender, in the 32 bits of its immediate data.
#pragma once

#include <cstdint>

namespace weft {

/// Datagrams that come by one queue pair from many peers have to tell whose they are.
struct Sender {
  /// Whose it is, and whether messages to it have to come into slots.
  std::uint32_t rank = 0;
  bool shares = false;
  /// The low bits of how many receives it has posted.
  std::uint16_t posted = 0;

  /// How many more that is than so many; 0 where it is an older number.
  [[nodiscard]] std::uint32_t more_than(std::uint32_t known) const noexcept {
    const auto more = static_cast<std::int16_t>(posted - static_cast<std::uint16_t>(known));
    return more > 0 ? static_cast<std::uint32_t>(more) : 0;
  }
};

inline constexpr unsigned sender_rank_shift = 17;
inline constexpr unsigned sender_shares_shift = 16;

constexpr std::uint32_t sender_bits(std::uint32_t rank, bool shares,
                                    std::uint32_t posted) noexcept {
  return rank << sender_rank_shift | static_cast<std::uint32_t>(shares) << sender_shares_shift |
         static_cast<std::uint16_t>(posted);
}
constexpr Sender sender_of(std::uint32_t data) noexcept {
  return {data >> sender_rank_shift, (data >> sender_shares_shift & 1U) != 0,
          static_cast<std::uint16_t>(data)};
}

}  // namespace weft

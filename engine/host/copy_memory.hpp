// A copy that leaves the caches alone on its way out, so that memory is what limits it.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace weft {

/// What the copy does to the caches, for the record of what was measured.
#if defined(__x86_64__)
inline constexpr bool copies_past_caches = true;
#else
inline constexpr bool copies_past_caches = false;
#endif

/// Copies `bytes` between memory that starts at a multiple of 16. On x86-64 by non-temporal stores
/// (MOVNTDQ; Intel SDM, volume 1, section 10.4.6.2): a line that is written whole is not read
/// first, so each byte crosses memory twice, once read and once written. Elsewhere by the C
/// library.
inline void copy_memory(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
#if defined(__x86_64__)
  constexpr std::size_t wide = sizeof(__m128i);
  constexpr std::size_t line = 4 * wide;
  std::size_t at = 0;
  for (; at + line <= bytes; at += line) {
    const void* source = from + at;
    void* target = to + at;
    const auto* in = static_cast<const __m128i*>(source);
    auto* out = static_cast<__m128i*>(target);
    const __m128i a = _mm_load_si128(in);
    const __m128i b = _mm_load_si128(in + 1);
    const __m128i c = _mm_load_si128(in + 2);
    const __m128i d = _mm_load_si128(in + 3);
    _mm_stream_si128(out, a);
    _mm_stream_si128(out + 1, b);
    _mm_stream_si128(out + 2, c);
    _mm_stream_si128(out + 3, d);
  }
  std::memcpy(to + at, from + at, bytes - at);
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace weft

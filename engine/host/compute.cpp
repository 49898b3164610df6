#include "host/compute.hpp"

namespace weft {

void compute_loop(std::uint64_t rounds) noexcept {
  std::uint64_t value = 88172645463325252ULL;
  for (; rounds > 0; --rounds) {
    value ^= value << 13U;
    value ^= value >> 7U;
    value ^= value << 17U;
    // The compiler must have the value in a register here, and may not know it afterwards: no step
    // can be omitted, and none can be put together with the next.
    asm volatile("" : "+r"(value));
  }
}

}  // namespace weft

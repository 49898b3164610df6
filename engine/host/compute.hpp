// Computing that keeps a processor busy and touches nothing else: what communication is hidden by.
#pragma once

#include <cstdint>

namespace weft {

/// So many steps of a generator of random numbers, each of which waits for the one before, all in
/// registers. It lies in a file of its own, so that no caller can see that its result is not used;
/// a test takes it apart and finds a loop that neither calls nor touches memory.
/// The steps are those of Marsaglia, Xorshift RNGs, Journal of Statistical Software, 2003.
void compute_loop(std::uint64_t rounds) noexcept;

}  // namespace weft

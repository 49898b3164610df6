// Addresses of this process that nothing had before: a library's cache of registrations knows
// memory by its addresses, also memory that is gone.
#pragma once

#include <cstddef>

namespace weft {

/// So many bytes of addresses without memory, from a multiple of `alignment` on (a power of two, a
/// page at least). Throws std::bad_alloc where there are none.
std::byte* new_addresses(std::size_t bytes, std::size_t alignment);

/// The memory of such addresses is given back; the addresses are for nobody any more. They cost
/// nothing: those of a process lie together and are one mapping for the kernel, which has few.
void retire_addresses(std::byte* start, std::size_t bytes) noexcept;

}  // namespace weft

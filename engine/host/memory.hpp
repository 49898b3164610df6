// Memory of messages: aligned allocation, content that proves itself, its verification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "contract/transport.hpp"

namespace weft {

/// Page-aligned memory with its pages present; at least one page. Throws std::bad_alloc.
/// Never at addresses that an earlier buffer of this process had.
Buffer map_memory(std::size_t bytes);
void unmap_memory(const Buffer& buffer);

/// Memory the kernel would give without swapping (MemAvailable), in bytes; 0 if it does not say.
std::uint64_t available_memory_bytes();

/// Free in the file system of memory that processes share (/dev/shm), in bytes; nothing if the host
/// has none. More may be mapped, but touching it ends a process by SIGBUS.
std::optional<std::uint64_t> free_shared_memory_bytes();

/// The most memory that this process had at once, as /proc tells it; 0 where it does not. That of
/// getrusage would hold what another program had before it became this one.
std::uint64_t peak_memory_bytes();

/// Names one message's content: it differs by sending rank, batch, and place in the order.
struct Content {
  std::uint32_t rank = 0;
  std::uint64_t batch = 0;
  std::uint64_t message = 0;
};

void fill(std::span<std::byte> memory, const Content& content);

/// From this length on a message is poisoned in parts: the first line of each block of 4 KiB, and
/// its last block. What was there before is another message's content or zero, so that fewer bytes
/// that did not come would show too.
inline constexpr std::size_t sparse_poison_bytes = std::size_t{16} << 20U;

/// Every byte different from what `content` would put there, so that an untouched byte shows.
void poison(std::span<std::byte> memory, const Content& content);

/// The offset of the first byte that is not as `fill` writes it; nothing if all are.
std::optional<std::size_t> first_difference(std::span<const std::byte> memory,
                                            const Content& content);

}  // namespace weft

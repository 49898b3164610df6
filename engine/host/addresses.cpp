#include "host/addresses.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <mutex>
#include <new>

namespace weft {

namespace {

constexpr int without_memory = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

// A stretch of addresses that the kernel gives nobody else. It belongs to the process as its
// addresses do, so there is one.
class Stretch {
 public:
  std::byte* take(std::size_t bytes, std::size_t alignment) {
    const std::scoped_lock hold(lock_);
    if (std::byte* const start = take_next(bytes, alignment)) return start;
    reserve(bytes + alignment);
    return take_next(bytes, alignment);
  }

 private:
  std::byte* take_next(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t beyond = std::bit_cast<std::uintptr_t>(next_) % alignment;
    const std::size_t gap = beyond == 0 ? 0 : alignment - beyond;
    if (left_ < gap + bytes) return nullptr;
    std::byte* const start = next_ + gap;
    next_ = start + bytes;
    left_ -= gap + bytes;
    return start;
  }
  // What is left of the last one stays unused. A user may have limited the addresses (ulimit -v).
  void reserve(std::size_t least) {
    constexpr std::size_t usual = std::size_t{1} << 42U;
    for (std::size_t bytes = std::max(usual, least);; bytes = std::max(bytes / 2, least)) {
      void* const memory = mmap(nullptr, bytes, PROT_NONE, without_memory, -1, 0);
      if (memory != MAP_FAILED) {
        next_ = static_cast<std::byte*>(memory);
        left_ = bytes;
        return;
      }
      if (bytes == least) throw std::bad_alloc();
    }
  }

  std::mutex lock_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace

std::byte* new_addresses(std::size_t bytes, std::size_t alignment) {
  static Stretch of_process;
  return of_process.take(bytes, alignment);
}

void retire_addresses(std::byte* start, std::size_t bytes) noexcept {
  (void)mmap(start, bytes, PROT_NONE, without_memory | MAP_FIXED, -1, 0);
}

}  // namespace weft

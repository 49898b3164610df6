#include "host/memory.hpp"

#include <sys/mman.h>
#include <sys/statvfs.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <string_view>

#include "host/addresses.hpp"
#include "host/cgroup.hpp"

namespace weft {

namespace {

constexpr std::size_t page_bytes = 4096;

std::size_t whole_pages(std::size_t bytes) {
  return std::max(page_bytes, (bytes + page_bytes - 1) / page_bytes * page_bytes);
}

constexpr std::size_t block_bytes = 4096;
constexpr std::size_t block_words = block_bytes / sizeof(std::uint64_t);
constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
using Block = std::array<std::uint64_t, block_words>;

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): one to one, so different values stay so.
constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

// SplitMix64's first words, no two of them alike.
constexpr Block make_base() {
  Block base{};
  for (std::size_t at = 0; at < base.size(); ++at) base.at(at) = mix((at + 1) * golden);
  return base;
}
constexpr Block base = make_base();

constexpr std::uint64_t seed_of(const Content& content) {
  return mix(mix(mix(content.rank + 1) ^ content.batch) + content.message);
}

// Each block is the base under a key of its own, which depends on the message and on the block's
// place. So a word differs from that of any other rank, batch or message at the same offset, from
// the others of its block, and from those at its place in other blocks; from any other word but by
// a chance of 2^-64. One XOR a word: this runs at the memory's speed.
Block block_of(std::uint64_t key) noexcept {
  Block block;  // NOLINT(*-member-init): written below
  for (std::size_t at = 0; at < block_words; ++at) block[at] = base[at] ^ key;
  return block;
}

// As far as a shorter one goes.
Block beginning_of(std::uint64_t key, std::size_t bytes) noexcept {
  Block block;  // NOLINT(*-member-init): written as far as it is read
  const std::size_t words = (bytes + sizeof key - 1) / sizeof key;
  for (std::size_t at = 0; at < words; ++at) block[at] = base[at] ^ key;
  return block;
}

/// Calls `act` with each block's offset, its wanted content and its length until it says false.
template <class Act>
void each_block(std::size_t bytes, const Content& content, std::uint64_t flip, const Act& act) {
  const std::uint64_t seed = seed_of(content);
  std::uint64_t place = 0;
  std::size_t offset = 0;
  for (; offset + block_bytes <= bytes; offset += block_bytes) {
    const Block block = block_of(mix(seed + ++place * golden) ^ flip);
    if (!act(offset, block, block_bytes)) return;
  }
  if (offset == bytes) return;
  const Block block = beginning_of(mix(seed + ++place * golden) ^ flip, bytes - offset);
  act(offset, block, bytes - offset);
}

// Past the caches where the processor can: a line that is only written need not be read first,
// which is four times as fast (bench/content_speed.cpp).
void write_past_caches(std::byte* target, const Block& block) noexcept {
#ifdef __SSE2__
  const auto* from =
      reinterpret_cast<const __m128i*>(block.data());  // NOLINT: the intrinsic's type
  auto* to = reinterpret_cast<__m128i*>(target);       // NOLINT
  for (std::size_t at = 0; at < block_bytes / sizeof(__m128i); ++at) {
    _mm_stream_si128(to + at, _mm_loadu_si128(from + at));
  }
#else
  std::memcpy(target, block.data(), block_bytes);
#endif
}

void order_writes_past_caches() noexcept {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

bool is_aligned(const std::byte* memory) {
  constexpr std::uintptr_t vector_bytes = 16;
  return reinterpret_cast<std::uintptr_t>(memory) % vector_bytes == 0;  // NOLINT: a number
}

// Short messages stay in the caches, where the ranks are to have them.
void write(std::span<std::byte> memory, const Content& content, std::uint64_t flip) {
  constexpr std::size_t long_bytes = 1U << 18U;
  const bool past_caches = memory.size() >= long_bytes && is_aligned(memory.data());
  each_block(memory.size(), content, flip,
             [&](std::size_t offset, const Block& block, std::size_t length) {
               if (past_caches && length == block_bytes) {
                 write_past_caches(&memory[offset], block);
               } else {
                 std::memcpy(&memory[offset], block.data(), length);
               }
               return true;
             });
  if (past_caches) order_writes_past_caches();
}

/// The number of kibibytes behind a key of a file of the kernel's; 0 where it has none.
std::uint64_t bytes_told(const char* path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(key)) return std::stoull(line.substr(key.size())) * 1024;
  }
  return 0;
}

}  // namespace

Buffer map_memory(std::size_t bytes) {
  std::byte* const start = new_addresses(whole_pages(bytes), page_bytes);
  void* memory = mmap(start, whole_pages(bytes), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_FIXED, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return {start, bytes, 0};
}

void unmap_memory(const Buffer& buffer) {
  if (buffer.data != nullptr) retire_addresses(buffer.data, whole_pages(buffer.bytes));
}

std::uint64_t available_memory_bytes() {
  return std::min(bytes_told("/proc/meminfo", "MemAvailable:"), memory_room_bytes());
}

std::optional<std::uint64_t> free_shared_memory_bytes() {
  struct statvfs found {};
  if (statvfs("/dev/shm", &found) != 0) return std::nullopt;
  return std::uint64_t{found.f_bavail} * found.f_frsize;
}

std::uint64_t peak_memory_bytes() {
  return bytes_told("/proc/self/status", "VmHWM:");
}

void fill(std::span<std::byte> memory, const Content& content) {
  write(memory, content, 0);
}

void poison(std::span<std::byte> memory, const Content& content) {
  if (memory.size() < sparse_poison_bytes) {
    write(memory, content, ~0ULL);
    return;
  }
  constexpr std::size_t line_bytes = 64;
  const std::uint64_t seed = seed_of(content);
  std::uint64_t place = 0;
  for (std::size_t offset = 0; offset < memory.size(); offset += block_bytes) {
    const std::size_t left = memory.size() - offset;
    const std::size_t length = left > block_bytes ? line_bytes : left;  // the last block is whole
    const Block block = beginning_of(~mix(seed + ++place * golden), length);
    std::memcpy(&memory[offset], block.data(), length);
  }
}

std::optional<std::size_t> first_difference(std::span<const std::byte> memory,
                                            const Content& content) {
  std::optional<std::size_t> found;
  each_block(memory.size(), content, 0,
             [&](std::size_t offset, const Block& block, std::size_t length) {
               if (std::memcmp(&memory[offset], block.data(), length) == 0) return true;
               const auto wanted = std::as_bytes(std::span(block)).first(length);
               const auto at = std::mismatch(wanted.begin(), wanted.end(), &memory[offset]).first;
               found = offset + static_cast<std::size_t>(at - wanted.begin());
               return false;
             });
  return found;
}

}  // namespace weft

#include "memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

namespace weft {

namespace {

constexpr std::size_t page_bytes = 4096;

std::size_t whole_pages(std::size_t bytes) {
  return std::max(page_bytes, (bytes + page_bytes - 1) / page_bytes * page_bytes);
}

// SplitMix64 (Steele, Lea, Flood 2014): every word depends on the seed and on its own index, so a
// message that lands shifted or in the wrong place differs almost everywhere.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

std::uint64_t seed_of(const Content& content) {
  return mix(mix(mix(content.rank + 1) ^ content.batch) + content.message);
}

std::uint64_t word_at(std::uint64_t seed, std::size_t index) {
  return mix(seed + (index + 1) * 0x9e3779b97f4a7c15ULL);
}

void write_words(std::span<std::byte> memory, const Content& content, std::uint64_t flip) {
  const std::uint64_t seed = seed_of(content);
  const std::size_t words = memory.size() / sizeof(std::uint64_t);
  for (std::size_t index = 0; index < words; ++index) {
    const std::uint64_t word = word_at(seed, index) ^ flip;
    std::memcpy(&memory[index * sizeof word], &word, sizeof word);
  }
  const std::uint64_t last = word_at(seed, words) ^ flip;
  const std::size_t done = words * sizeof last;
  if (done < memory.size()) std::memcpy(&memory[done], &last, memory.size() - done);
}

}  // namespace

Buffer map_memory(std::size_t bytes) {
  void* memory = mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<std::byte*>(memory), bytes, 0};
}

void unmap_memory(const Buffer& buffer) {
  if (buffer.data == nullptr) return;
  const std::size_t bytes = whole_pages(buffer.bytes);
  munmap(buffer.data, bytes);
  // What comes later must not get the same addresses: a cache of registrations would know them.
  (void)mmap(buffer.data, bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

std::uint64_t available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return 0;
}

void fill(std::span<std::byte> memory, const Content& content) {
  write_words(memory, content, 0);
}

void poison(std::span<std::byte> memory, const Content& content) {
  write_words(memory, content, ~0ULL);
}

std::optional<std::size_t> first_difference(std::span<const std::byte> memory,
                                            const Content& content) {
  const std::uint64_t seed = seed_of(content);
  std::array<std::byte, sizeof(std::uint64_t)> expected{};
  for (std::size_t start = 0; start < memory.size(); start += expected.size()) {
    const std::uint64_t word = word_at(seed, start / expected.size());
    std::memcpy(expected.data(), &word, sizeof word);
    const std::size_t length = std::min(expected.size(), memory.size() - start);
    if (std::memcmp(&memory[start], expected.data(), length) == 0) continue;
    const auto* found =
        std::mismatch(&memory[start], &memory[start] + length, expected.data()).first;
    return static_cast<std::size_t>(found - memory.data());
  }
  return std::nullopt;
}

}  // namespace weft

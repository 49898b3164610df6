// How fast the engine makes and compares content, beside the C library's plain calls, in memory far
// larger than a core's own caches. Prints lines of a name and GB/s, the best of several rounds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "host/memory.hpp"

namespace {

constexpr std::size_t bytes = std::size_t{256} << 20U;
constexpr int rounds = 5;

template <class Act>
void tell(const char* name, const Act& act) {
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    act();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, static_cast<double>(bytes) / took.count() / 1e9);
  }
  std::printf("%s %.3f\n", name, best);
}

}  // namespace

int main() {
  std::vector<std::byte> memory(bytes);
  std::vector<std::byte> other(bytes);
  const weft::Content content{1, 2, 3};
  bool same = true;
  tell("memset_gb_per_s", [&] { std::memset(memory.data(), 1, bytes); });
  tell("poison_gb_per_s", [&] { weft::poison(memory, content); });
  tell("fill_gb_per_s", [&] { weft::fill(memory, content); });
  tell("check_gb_per_s", [&] { same = same && !weft::first_difference(memory, content); });
  other = memory;
  tell("memcmp_gb_per_s",
       [&] { same = same && std::memcmp(memory.data(), other.data(), bytes) == 0; });
  return same ? 0 : 1;
}

#include "run_case.hpp"

#include <iomanip>
#include <sstream>

namespace weft {

std::string refuse_memory(const Case& test, int ranks) {
  const std::uint64_t available = available_memory_bytes();
  const std::uint64_t slots = slots_of(make_order(test.schedule, test.seed));
  // Two buffers a slot and, in the untimed pass, six messages each way of a size over 16 MiB.
  const std::uint64_t buffers = 2 * slots + (test.verify ? 12 : 0);
  // In floating point: sizes and counts are the caller's, their product may pass 64 bits.
  const double needed = static_cast<double>(buffers) * static_cast<double>(test.bytes) * ranks;
  if (available == 0 || needed <= static_cast<double>(available)) return {};
  constexpr double mebibyte = 1 << 20U;
  std::ostringstream text;
  text << std::fixed << std::setprecision(0) << "needs " << needed / mebibyte
       << " MiB of memory for its buffers where " << static_cast<double>(available) / mebibyte
       << " MiB are free; choose smaller sizes";
  return text.str();
}

}  // namespace weft

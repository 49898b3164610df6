#include "run/batch.hpp"

#include <map>
#include <stdexcept>

namespace weft {

std::uint8_t mark_period_of(const std::vector<std::uint32_t>& order) {
  std::map<std::uint32_t, std::size_t> last;
  std::vector<std::size_t> distances;
  for (std::size_t at = 0; at < 2 * order.size(); ++at) {
    const std::uint32_t slot = order[at % order.size()];
    if (const auto before = last.find(slot); before != last.end()) {
      distances.push_back(at - before->second);
    }
    last[slot] = at;
  }
  for (std::uint8_t period = 255; period > 2; --period) {
    const bool fits = std::none_of(distances.begin(), distances.end(),
                                   [&](std::size_t distance) { return distance % period == 0; });
    if (fits) return period;
  }
  throw std::invalid_argument(
      "the uses of these buffers cannot be marked apart; choose fewer buffers");
}

}  // namespace weft

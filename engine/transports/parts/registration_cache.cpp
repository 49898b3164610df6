#include "transports/parts/registration_cache.hpp"

#include <cstdlib>
#include <stdexcept>

namespace weft {

bool registers_sides(const LinkOptions& options, bool registers_ahead) {
  const std::string regions = options.text(regions_setting.name);
  if (!regions.empty() && regions != "side" && regions != "buffer") {
    throw std::invalid_argument("option regions takes side or buffer, not '" + regions + "'");
  }
  if (!regions.empty() && !registers_ahead) {
    throw std::invalid_argument(
        "option regions has no effect where nothing is registered in advance; add "
        "register_ahead=yes");
  }
  return regions != "buffer";
}

void switch_registration_cache(const LinkOptions& options, std::span<const CacheSwitch> switches) {
  if (options.flag(registration_cache_setting.name, true)) return;
  constexpr int overwrite = 1;
  // Nothing of the library runs yet: the environment is this thread's.
  for (const CacheSwitch& one : switches) setenv(one.variable, one.off, overwrite);
}

std::pair<std::string, std::string> registration_cache_note(std::span<const CacheSwitch> switches) {
  std::string reported;
  for (const CacheSwitch& one : switches) {
    const char* value = std::getenv(one.variable);
    if (value == nullptr) continue;
    reported += (reported.empty() ? "" : " ") + std::string(one.variable) + "=" + value;
  }
  return {"registration cache", reported.empty() ? "as the library has it" : reported};
}

}  // namespace weft

// What is registered at once, and a library's own cache of registered memory, which it reads from
// its environment when it starts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "contract/options.hpp"

namespace weft {

/// An environment variable, and the value with which the library keeps no registrations.
struct CacheSwitch {
  const char* variable;
  const char* off;
};

inline constexpr Setting registration_cache_setting{
    "registration_cache",
    "no: switch off the library's registration cache; default: as the library sets it", 0, 0,
    yes_or_no};

inline constexpr Setting regions_setting{
    "regions",
    "buffer: register the memory of each message by itself, which measures the card's cache of "
    "keys; default: side, all messages of a side at once",
    0, 0, "side,buffer"};

/// Whether the messages of a side are registered at once. Throws std::invalid_argument for a
/// setting that is neither, or that is made where nothing is registered in advance.
bool registers_sides(const LinkOptions& options, bool registers_ahead = true);

/// Turn the library's cache off where the user asks for that; to be called before the library
/// starts. Throws std::invalid_argument for a setting that is neither yes nor no.
void switch_registration_cache(const LinkOptions& options, std::span<const CacheSwitch> switches);

/// What the library is set to, for the record.
std::pair<std::string, std::string> registration_cache_note(std::span<const CacheSwitch> switches);

}  // namespace weft

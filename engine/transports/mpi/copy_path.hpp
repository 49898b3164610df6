// How MPI copies long messages between ranks of one host.
#pragma once

#include <string>

#include "bootstrap/bootstrap.hpp"

namespace weft {

/// Its name in the record.
inline constexpr const char* copy_path_note = "single copy";

/// The mechanism that copies a message once, as Open MPI reports it: "cma", "xpmem", "knem",
/// "emulated" or "none"; of each host, if they differ. Empty if no ranks share a host, or if the
/// library does not report it. Collective.
std::string copy_path(Bootstrap& boot);

}  // namespace weft

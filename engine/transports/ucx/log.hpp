// What the UCX library says: kept for our own errors, away from standard output.
#pragma once

#include <string>

namespace weft {

/// From here on UCX's messages no longer go to standard output, which carries the protocol. The
/// last warning or error is kept; with UCX_LOG_LEVEL set every message goes to standard error.
void take_ucx_log();

/// UCX's last warning or error, empty if there was none since the last call.
std::string ucx_last_words();

}  // namespace weft

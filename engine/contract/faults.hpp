// Why a call of a library failed, in words that do not blame a peer for what is none of its doing.
#pragma once

namespace weft {

/// Whether this number of errno says that a connection is gone.
bool is_connection_lost(int error) noexcept;

/// What a number of errno says, for Fault::cause.
const char* cause_of_errno(int error) noexcept;

}  // namespace weft

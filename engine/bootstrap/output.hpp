// What this process has written and its starter has not yet read.
#pragma once

#include <cstdint>

namespace weft {

/// Bytes in a pipe that nobody has read yet; 0 for any other kind of file.
int unread_bytes(int file) noexcept;

/// Returns once all that was written to a pipe has been read, or so much time has passed.
void wait_until_read(int file, std::int64_t most_ns) noexcept;

}  // namespace weft

#include "bootstrap/output.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>

#include <ctime>

namespace weft {

int unread_bytes(int file) noexcept {
  struct stat status {};
  // A terminal would answer with what was typed.
  if (fstat(file, &status) != 0 || !S_ISFIFO(status.st_mode)) return 0;
  int unread = 0;
  return ioctl(file, FIONREAD, &unread) == 0 ? unread : 0;
}

void wait_until_read(int file, std::int64_t most_ns) noexcept {
  constexpr std::int64_t pause_ns = 1'000'000;
  const timespec pause{0, pause_ns};
  for (std::int64_t waited_ns = 0; waited_ns < most_ns; waited_ns += pause_ns) {
    if (unread_bytes(file) == 0) return;
    nanosleep(&pause, nullptr);
  }
}

}  // namespace weft

#include "host/deadline.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace weft {

namespace {

// Only calls that are safe in a signal handler.
extern "C" void on_alarm(int /*signal*/) {
  constexpr std::string_view text =
      "rank: a case did not end within its deadline; a message was lost, a peer is gone or a "
      "thread of --threads stands still: run it alone, or with a longer --deadline\n";
  const ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
  (void)ignored;
  _exit(exit_link_fault);
}

}  // namespace

Deadline::Deadline(unsigned seconds) {
  std::signal(SIGALRM, on_alarm);
  alarm(seconds);
}

Deadline::~Deadline() {
  alarm(0);
}

}  // namespace weft

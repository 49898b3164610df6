#include "transports/ucx/log.hpp"

#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

extern "C" {
#include <ucs/debug/log_def.h>
}

namespace weft {

namespace {

// UCX's handler is a bare function: what it heard has no other place.
std::string& heard() {
  static std::string text;
  return text;
}

ucs_log_func_rc_t on_message(const char* /*file*/, unsigned /*line*/, const char* /*function*/,
                             ucs_log_level_t level, const ucs_log_component_config_t* /*component*/,
                             const char* format, va_list arguments) {
  constexpr std::size_t longest = 1024;
  std::array<char, longest> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  if (level <= UCS_LOG_LEVEL_WARN) heard() = text.data();
  if (std::getenv("UCX_LOG_LEVEL") != nullptr) {
    const std::string line = "UCX: " + std::string(text.data()) + '\n';
    const ssize_t ignored = write(STDERR_FILENO, line.data(), line.size());
    (void)ignored;
  }
  return UCS_LOG_FUNC_RC_STOP;
}

}  // namespace

void take_ucx_log() {
  ucs_log_push_handler(on_message);
}

std::string ucx_last_words() {
  return std::exchange(heard(), {});
}

}  // namespace weft

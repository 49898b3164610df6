#include "contract/faults.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "contract/transport.hpp"

namespace weft {

bool is_connection_lost(int error) noexcept {
  constexpr std::array lost{ECONNRESET, ECONNABORTED, ECONNREFUSED, ENOTCONN,     EPIPE,
                            ESHUTDOWN,  ETIMEDOUT,    EHOSTDOWN,    EHOSTUNREACH, ENETDOWN,
                            ENETRESET,  ENETUNREACH,  EIO};
  return std::find(lost.begin(), lost.end(), error) != lost.end();
}

const char* cause_of_errno(int error) noexcept {
  if (is_connection_lost(error)) return peer_is_gone;
  const char* text = strerrordesc_np(error);
  return text == nullptr ? "an error without a name in this system" : text;
}

}  // namespace weft

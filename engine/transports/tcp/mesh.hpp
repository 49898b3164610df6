// Connects every pair of ranks with a TCP socket that only ranks of this run can open.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "contract/options.hpp"

namespace weft {

inline constexpr Setting tcp_port_setting{"port", "first TCP port of the ranks; default: any", 0,
                                          65535};

struct TcpMesh {
  /// Of every host, where they differ.
  std::string interface;
  std::string address;
  /// A connected, nonblocking socket for each rank; -1 for this rank itself.
  std::vector<int> sockets;
};

/// Throws std::runtime_error with the cause and what to type: which ranks, and where, did not come
/// within `patience`. No socket listens afterwards.
TcpMesh connect_mesh(const LinkOptions& options, Bootstrap& boot,
                     std::chrono::milliseconds patience);

}  // namespace weft

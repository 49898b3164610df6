// TCP sockets between ranks that need each other, which only ranks of this run can open.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "contract/options.hpp"
#include "host/socket_address.hpp"
#include "transports/parts/known_peers.hpp"

namespace weft {

inline constexpr Setting tcp_port_setting{"port", "first TCP port of the ranks; default: any", 0,
                                          65535};

class TcpMesh {
 public:
  /// Chooses the interface. Collective. Throws std::runtime_error where there is none.
  TcpMesh(const LinkOptions& options, Bootstrap& boot, std::chrono::milliseconds patience);
  TcpMesh(const TcpMesh&) = delete;
  TcpMesh& operator=(const TcpMesh&) = delete;
  TcpMesh(TcpMesh&&) = delete;
  TcpMesh& operator=(TcpMesh&&) = delete;
  ~TcpMesh();

  /// Connects with those of the ranks that it is not connected with; they name this one at once.
  /// Throws CannotConnect with the cause and what to type: which ranks, and where, did not come
  /// within the patience. A socket listens in this call only.
  void connect(std::span<const int> ranks);

  /// Of every host, where they differ.
  [[nodiscard]] const std::string& interfaces() const { return interfaces_; }
  [[nodiscard]] std::string address() const;
  /// Of its connections, as the kernel has it: of TCP it sets the two bits of ECN itself.
  [[nodiscard]] std::string traffic_class() const;
  /// A connected, nonblocking socket; -1 where there is none.
  [[nodiscard]] int socket_of(int rank) const { return sockets_[static_cast<std::size_t>(rank)]; }

 private:
  Bootstrap* boot_;
  std::chrono::milliseconds patience_;
  int first_port_;
  int traffic_class_;
  std::string interface_;
  std::string interfaces_;
  /// Of this rank, without a port.
  SocketAddress own_;
  KnownPeers known_;
  std::vector<int> sockets_;
};

}  // namespace weft

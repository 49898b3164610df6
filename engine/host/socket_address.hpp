// An address of IPv4 or IPv6, as the sockets API takes it.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

namespace weft {

struct SocketAddress {
  sockaddr_storage storage{};

  SocketAddress() = default;
  /// A copy of what the sockets API gave; of another family than IPv4 and IPv6 it is empty.
  explicit SocketAddress(const sockaddr* given);

  [[nodiscard]] int family() const { return storage.ss_family; }
  [[nodiscard]] sockaddr* generic();
  [[nodiscard]] const sockaddr* generic() const;
  [[nodiscard]] socklen_t length() const;
  [[nodiscard]] std::uint16_t port() const;
  void set_port(std::uint16_t port);
  /// "10.0.0.7" or "fe80::1"; without its port.
  [[nodiscard]] std::string text() const;
  /// Of a link-local address the interface by which it is reached, which every host numbers itself.
  [[nodiscard]] bool is_link_local() const;
  void set_scope_of(const SocketAddress& own);
  /// Whatever the ports.
  [[nodiscard]] bool is_same_host(const SocketAddress& other) const;
};

}  // namespace weft

#include "host/socket_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <cstring>

namespace weft {

namespace {

// The sockets API has one type for all families.
// NOLINTBEGIN(*-reinterpret-cast)
const sockaddr_in& as_v4(const SocketAddress& address) {
  return *reinterpret_cast<const sockaddr_in*>(&address.storage);
}
const sockaddr_in6& as_v6(const SocketAddress& address) {
  return *reinterpret_cast<const sockaddr_in6*>(&address.storage);
}
sockaddr_in6& as_v6(SocketAddress& address) {
  return *reinterpret_cast<sockaddr_in6*>(&address.storage);
}
// NOLINTEND(*-reinterpret-cast)

}  // namespace

SocketAddress::SocketAddress(const sockaddr* given) {
  if (given == nullptr) return;
  if (given->sa_family == AF_INET) std::memcpy(&storage, given, sizeof(sockaddr_in));
  if (given->sa_family == AF_INET6) std::memcpy(&storage, given, sizeof(sockaddr_in6));
}

sockaddr* SocketAddress::generic() {
  return reinterpret_cast<sockaddr*>(&storage);  // NOLINT(*-reinterpret-cast)
}

const sockaddr* SocketAddress::generic() const {
  return reinterpret_cast<const sockaddr*>(&storage);  // NOLINT(*-reinterpret-cast)
}

socklen_t SocketAddress::length() const {
  return family() == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

// Both families have it at the same place.
std::uint16_t SocketAddress::port() const {
  return ntohs(as_v4(*this).sin_port);
}

void SocketAddress::set_port(std::uint16_t port) {
  as_v6(*this).sin6_port = htons(port);
}

std::string SocketAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (family() == AF_INET6) {
    inet_ntop(AF_INET6, &as_v6(*this).sin6_addr, text.data(), text.size());
  } else {
    inet_ntop(AF_INET, &as_v4(*this).sin_addr, text.data(), text.size());
  }
  return text.data();
}

bool SocketAddress::is_link_local() const {
  return family() == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&as_v6(*this).sin6_addr);
}

void SocketAddress::set_scope_of(const SocketAddress& own) {
  if (is_link_local() && own.is_link_local()) {
    as_v6(*this).sin6_scope_id = as_v6(own).sin6_scope_id;
  }
}

bool SocketAddress::is_same_host(const SocketAddress& other) const {
  if (family() != other.family()) return false;
  if (family() == AF_INET) {
    return as_v4(*this).sin_addr.s_addr == as_v4(other).sin_addr.s_addr;
  }
  return std::memcmp(&as_v6(*this).sin6_addr, &as_v6(other).sin6_addr, sizeof(in6_addr)) == 0;
}

}  // namespace weft

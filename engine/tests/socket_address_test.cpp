// Addresses of both families, as text and side by side.
#include "host/socket_address.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <tuple>

namespace weft {
namespace {

SocketAddress of_ipv4(const char* text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, text, &address.sin_addr);
  return SocketAddress(reinterpret_cast<const sockaddr*>(&address));
}

SocketAddress of_ipv6(const char* text, unsigned scope = 0) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_scope_id = scope;
  inet_pton(AF_INET6, text, &address.sin6_addr);
  return SocketAddress(reinterpret_cast<const sockaddr*>(&address));
}

unsigned scope_of(const SocketAddress& address) {
  return reinterpret_cast<const sockaddr_in6*>(address.generic())->sin6_scope_id;
}

TEST(SocketAddresses, HaveTheirTextPortAndLength) {
  for (auto [address, text, length] :
       {std::tuple{of_ipv4("10.0.0.7"), "10.0.0.7", sizeof(sockaddr_in)},
        {of_ipv6("fd01::1"), "fd01::1", sizeof(sockaddr_in6)}}) {
    address.set_port(4711);
    EXPECT_EQ(address.port(), 4711);
    EXPECT_EQ(address.text(), text);
    EXPECT_EQ(address.length(), length);
  }
}

TEST(SocketAddresses, AreOfTheSameHostWhateverTheirPorts) {
  SocketAddress one = of_ipv6("fd01::1");
  one.set_port(1);
  EXPECT_TRUE(one.is_same_host(of_ipv6("fd01::1")));
  EXPECT_FALSE(one.is_same_host(of_ipv6("fd01::2")));
  EXPECT_TRUE(of_ipv4("10.0.0.1").is_same_host(of_ipv4("10.0.0.1")));
  EXPECT_FALSE(of_ipv4("10.0.0.1").is_same_host(of_ipv4("10.0.1.1")));
  EXPECT_FALSE(of_ipv4("0.0.0.0").is_same_host(of_ipv6("::")));
}

TEST(SocketAddresses, OfALinkAreReachedByTheInterfaceOfThisHost) {
  const SocketAddress own = of_ipv6("fe80::1", 3);
  SocketAddress peer = of_ipv6("fe80::2", 7);
  peer.set_scope_of(own);
  EXPECT_EQ(scope_of(peer), 3U);
  SocketAddress elsewhere = of_ipv6("fd01::2", 0);
  elsewhere.set_scope_of(own);
  EXPECT_EQ(scope_of(elsewhere), 0U);
}

TEST(SocketAddresses, OfNoFamilyOrAnotherAreEmpty) {
  sockaddr other{};
  other.sa_family = AF_UNIX;
  EXPECT_EQ(SocketAddress(&other).family(), AF_UNSPEC);
  EXPECT_EQ(SocketAddress(nullptr).family(), AF_UNSPEC);
}

}  // namespace
}  // namespace weft

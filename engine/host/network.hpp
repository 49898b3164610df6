// The network by which the hosts of the ranks reach each other.
#pragma once

#include <string>

#include "bootstrap/bootstrap.hpp"
#include "host/socket_address.hpp"

namespace weft {

/// An interface of this host and its first IPv4 address or, without one, an IPv6 address: one that
/// other networks reach before a link-local one.
struct Interface {
  std::string name;
  SocketAddress address;
};

/// Throws std::runtime_error where there is none of this name, with those there are.
Interface interface_called(const std::string& name);

/// The interface by which the kernel reaches another host, as that one's name resolves here; for
/// an empty name the loopback. Throws std::runtime_error with the fix where no way leads there.
Interface interface_towards(const std::string& host);

/// The first RDMA device of this host, or where there is none the interface towards another host.
/// Throws std::runtime_error as that does.
std::string device_towards(const std::string& host);

/// The interfaces that this process's TCP connections with other addresses than the loopback's go
/// by: "eth0, ib0"; empty where it has none. Its connection with what started it is omitted.
std::string interfaces_in_use();

/// The text of the other ranks' hosts too, where they differ: "n1: eth0, n2: eth1". Collective.
std::string of_each_host(Bootstrap& boot, const std::string& mine);

}  // namespace weft

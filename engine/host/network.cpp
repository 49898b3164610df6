#include "host/network.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "host/hosts.hpp"

namespace weft {

namespace {

struct FreeInterfaces {
  void operator()(ifaddrs* list) const { freeifaddrs(list); }
};
using Interfaces = std::unique_ptr<ifaddrs, FreeInterfaces>;

struct FreeAnswer {
  void operator()(addrinfo* answer) const { freeaddrinfo(answer); }
};

constexpr const char* name_another = "name the interface yourself: weft run --interface eth0";

Interfaces interfaces() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) {
    throw std::runtime_error(std::string("cannot list the network interfaces: ") +
                             std::strerror(errno) + "; try another kernel");
  }
  return Interfaces(list);
}

bool is_up(const ifaddrs& entry) {
  return (entry.ifa_flags & IFF_UP) != 0U;
}

/// The rank of an address: an interface uses its highest one; 0: sockets cannot use it.
int worth_of(const SocketAddress& address) {
  if (address.family() == AF_INET) return 3;
  if (address.family() != AF_INET6) return 0;
  return address.is_link_local() ? 1 : 2;
}

/// The message for a host name without an address of one family, with the family that it has.
struct Resolved {
  std::vector<SocketAddress> addresses;
  std::string why_none;
};

// IPv4 first: networks of both have often no routes for IPv6.
Resolved resolve(const std::string& host) {
  Resolved found;
  for (const int family : {AF_INET, AF_INET6}) {
    addrinfo wanted{};
    wanted.ai_family = family;
    wanted.ai_socktype = SOCK_DGRAM;
    addrinfo* list = nullptr;
    const int status = getaddrinfo(host.c_str(), nullptr, &wanted, &list);
    const std::unique_ptr<addrinfo, FreeAnswer> answer(list);
    if (status == 0) found.addresses.emplace_back(answer->ai_addr);
    if (status != 0 && found.why_none.empty()) found.why_none = gai_strerror(status);
  }
  return found;
}

// A datagram socket that is connected has chosen its own address, and nothing was sent. Empty
// where no way leads there, with the cause in errno.
SocketAddress own_address_towards(SocketAddress there) {
  constexpr std::uint16_t any_but_0 = 9;
  there.set_port(any_but_0);
  const int file = socket(there.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0);
  SocketAddress here;
  socklen_t length = sizeof here.storage;
  const bool found = file >= 0 && connect(file, there.generic(), there.length()) == 0 &&
                     getsockname(file, here.generic(), &length) == 0;
  const int why = errno;
  if (file >= 0) close(file);
  errno = why;
  return found ? here : SocketAddress();
}

SocketAddress own_address_towards(const std::string& host) {
  const Resolved resolved = resolve(host);
  if (resolved.addresses.empty()) {
    throw std::runtime_error(host_name() + " does not know the address of " + host + " (" +
                             resolved.why_none + "); add it to /etc/hosts, or " + name_another);
  }
  std::string why;
  for (const SocketAddress& there : resolved.addresses) {
    const SocketAddress here = own_address_towards(there);
    if (here.family() != AF_UNSPEC) return here;
    if (why.empty()) why = std::strerror(errno);
  }
  throw std::runtime_error(host_name() + " has no way to " + host + ", which it takes for " +
                           resolved.addresses.front().text() + " (" + why +
                           "); correct its address, or " + name_another);
}

Interface interface_with(const SocketAddress& address) {
  const Interfaces list = interfaces();
  for (const ifaddrs* entry = list.get(); entry != nullptr; entry = entry->ifa_next) {
    const SocketAddress own(entry->ifa_addr);
    if (own.family() != AF_UNSPEC && own.is_same_host(address)) return {entry->ifa_name, own};
  }
  throw std::runtime_error("no interface has " + address.text() + " any more; " + name_another);
}

}  // namespace

Interface interface_called(const std::string& name) {
  const Interfaces list = interfaces();
  Interface chosen;
  int best = 0;
  std::set<std::string> names;
  for (const ifaddrs* entry = list.get(); entry != nullptr; entry = entry->ifa_next) {
    const SocketAddress address(entry->ifa_addr);
    const int worth = worth_of(address);
    if (worth == 0) continue;
    names.insert(entry->ifa_name);
    if (name != entry->ifa_name || worth <= best) continue;
    if (!is_up(*entry)) {
      throw std::runtime_error("interface " + name + " is down; run ip link set " + name + " up");
    }
    best = worth;
    chosen = {name, address};
  }
  if (best > 0) return chosen;
  std::string all;
  for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
  throw std::runtime_error("no interface " + name + " with an IP address here; there are: " + all);
}

Interface interface_towards(const std::string& host) {
  if (host.empty()) return interface_called("lo");
  return interface_with(own_address_towards(host));
}

std::string device_towards(const std::string& host) {
  std::set<std::string> devices;
  std::error_code none;
  for (const auto& device : std::filesystem::directory_iterator("/sys/class/infiniband", none)) {
    devices.insert(device.path().filename().string());
  }
  return devices.empty() ? interface_towards(host).name : *devices.begin();
}

namespace {

/// The ports at which the processes that started this rank listen for it, as they tell it by PMIx:
/// name;tcp4://127.0.0.1:36799.
std::set<std::uint16_t> ports_of_starter() {
  std::set<std::uint16_t> ports;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t colon = text.rfind(':');
    if (!text.starts_with("PMIX_SERVER_URI") || colon == std::string_view::npos) continue;
    std::uint16_t port = 0;
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), port);
    ports.insert(port);
  }
  return ports;
}

}  // namespace

std::string interfaces_in_use() {
  const Interfaces list = interfaces();
  const std::set<std::uint16_t> starters = ports_of_starter();
  std::set<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", none)) {
    const int file = std::stoi(entry.path().filename().string());
    SocketAddress here;
    SocketAddress there;
    socklen_t length = sizeof here.storage;
    if (getsockname(file, here.generic(), &length) != 0 || worth_of(here) == 0) continue;
    length = sizeof there.storage;
    if (getpeername(file, there.generic(), &length) != 0) continue;
    if (starters.contains(there.port())) continue;
    for (const ifaddrs* one = list.get(); one != nullptr; one = one->ifa_next) {
      const bool is_loopback = (one->ifa_flags & IFF_LOOPBACK) != 0U;
      if (!is_loopback && SocketAddress(one->ifa_addr).is_same_host(here)) {
        names.insert(one->ifa_name);
      }
    }
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string of_each_host(Bootstrap& boot, const std::string& mine) {
  std::set<std::string> hosts;
  std::set<std::string> texts;
  std::string all;
  const std::vector<std::string>& host_of = hosts_of(boot);
  const std::vector<std::string> said = boot.exchange(mine);
  for (std::size_t rank = 0; rank < said.size(); ++rank) {
    texts.insert(said[rank]);
    if (!hosts.insert(host_of[rank]).second) continue;
    all += (all.empty() ? "" : ", ") + host_of[rank] + ": " + said[rank];
  }
  return texts.size() == 1 ? mine : all;
}

}  // namespace weft

#include "host/network.hpp"

#include <arpa/inet.h>
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

sockaddr_in address_in(const ifaddrs& entry) {
  sockaddr_in address{};
  std::memcpy(&address, entry.ifa_addr, sizeof address);
  return address;
}

bool has_ipv4(const ifaddrs& entry) {
  return entry.ifa_addr != nullptr && entry.ifa_addr->sa_family == AF_INET;
}

std::string text_of(const sockaddr_in& address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  return text.data();
}

sockaddr* generic(sockaddr_in& address) {
  return reinterpret_cast<sockaddr*>(&address);  // NOLINT(*-reinterpret-cast): the sockets API
}

sockaddr_in resolve(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* list = nullptr;
  const int status = getaddrinfo(host.c_str(), nullptr, &wanted, &list);
  const std::unique_ptr<addrinfo, FreeAnswer> answer(list);
  if (status != 0) {
    throw std::runtime_error(host_name() + " does not know the address of " + host + " (" +
                             gai_strerror(status) + "); add it to /etc/hosts, or " + name_another);
  }
  sockaddr_in address{};
  std::memcpy(&address, answer->ai_addr, sizeof address);
  return address;
}

// A datagram socket that is connected has chosen its own address, and nothing was sent.
sockaddr_in own_address_towards(const std::string& host) {
  sockaddr_in there = resolve(host);
  there.sin_port = htons(9);  // any but 0
  const int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in here{};
  socklen_t length = sizeof here;
  const bool found = file >= 0 && connect(file, generic(there), sizeof there) == 0 &&
                     getsockname(file, generic(here), &length) == 0;
  const std::string why = std::strerror(errno);
  if (file >= 0) close(file);
  if (found) return here;
  throw std::runtime_error(host_name() + " has no way to " + host + ", which it takes for " +
                           text_of(there) + " (" + why + "); correct its address, or " +
                           name_another);
}

Interface interface_with(const sockaddr_in& address) {
  const Interfaces list = interfaces();
  for (const ifaddrs* entry = list.get(); entry != nullptr; entry = entry->ifa_next) {
    if (has_ipv4(*entry) && address_in(*entry).sin_addr.s_addr == address.sin_addr.s_addr) {
      return {entry->ifa_name, address};
    }
  }
  throw std::runtime_error("no interface has " + text_of(address) + " any more; " + name_another);
}

}  // namespace

Interface interface_called(const std::string& name) {
  const Interfaces list = interfaces();
  std::string names;
  for (const ifaddrs* entry = list.get(); entry != nullptr; entry = entry->ifa_next) {
    if (!has_ipv4(*entry)) continue;
    names += (names.empty() ? "" : ", ") + std::string(entry->ifa_name);
    if (name != entry->ifa_name) continue;
    if ((entry->ifa_flags & IFF_UP) == 0U) {
      throw std::runtime_error("interface " + name + " is down; type: ip link set " + name + " up");
    }
    return {name, address_in(*entry)};
  }
  throw std::runtime_error("no interface " + name +
                           " with an IPv4 address here; there are: " + names);
}

Interface interface_towards(const std::string& host) {
  if (host.empty()) return interface_called("lo");
  sockaddr_in address = own_address_towards(host);
  address.sin_port = 0;
  return interface_with(address);
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
    sockaddr_in here{};
    sockaddr_in there{};
    socklen_t length = sizeof here;
    if (getsockname(file, generic(here), &length) != 0 || here.sin_family != AF_INET) continue;
    length = sizeof there;
    if (getpeername(file, generic(there), &length) != 0) continue;
    if (starters.contains(ntohs(there.sin_port))) continue;
    for (const ifaddrs* one = list.get(); one != nullptr; one = one->ifa_next) {
      if (!has_ipv4(*one) || (one->ifa_flags & IFF_LOOPBACK) != 0U) continue;
      if (address_in(*one).sin_addr.s_addr == here.sin_addr.s_addr) names.insert(one->ifa_name);
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

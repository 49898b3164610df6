#include "host/hosts.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

namespace weft {

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::size_t local_rank(Bootstrap& boot) {
  const std::string host = host_name();
  const std::vector<std::string> hosts = boot.exchange(host);
  return static_cast<std::size_t>(std::count(hosts.begin(), hosts.begin() + boot.rank(), host));
}

std::size_t ranks_of_host(Bootstrap& boot) {
  const std::string host = host_name();
  const std::vector<std::string> hosts = boot.exchange(host);
  return static_cast<std::size_t>(std::count(hosts.begin(), hosts.end(), host));
}

std::string other_host(Bootstrap& boot) {
  const std::string mine = host_name();
  const std::vector<std::string> hosts = boot.exchange(mine);
  const auto other = std::find_if(hosts.begin(), hosts.end(),
                                  [&](const std::string& host) { return host != mine; });
  return other == hosts.end() ? "" : *other;
}

}  // namespace weft

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

const std::vector<std::string>& hosts_of(Bootstrap& boot) {
  return boot.hosts(host_name());
}

std::size_t local_rank(Bootstrap& boot) {
  const std::vector<std::string>& hosts = hosts_of(boot);
  const auto mine = hosts.begin() + boot.rank();
  return static_cast<std::size_t>(std::count(hosts.begin(), mine, *mine));
}

std::size_t ranks_of_host(Bootstrap& boot) {
  const std::vector<std::string>& hosts = hosts_of(boot);
  const std::string& mine = hosts[static_cast<std::size_t>(boot.rank())];
  return static_cast<std::size_t>(std::count(hosts.begin(), hosts.end(), mine));
}

std::string other_host(Bootstrap& boot) {
  const std::vector<std::string>& hosts = hosts_of(boot);
  const std::string& mine = hosts[static_cast<std::size_t>(boot.rank())];
  const auto other = std::find_if(hosts.begin(), hosts.end(),
                                  [&](const std::string& host) { return host != mine; });
  return other == hosts.end() ? "" : *other;
}

}  // namespace weft

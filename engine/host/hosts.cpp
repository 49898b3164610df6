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

std::vector<int> ranks_that_share(Bootstrap& boot) {
  const std::vector<std::string>& hosts = hosts_of(boot);
  const std::string& mine = hosts[static_cast<std::size_t>(boot.rank())];
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    if (hosts[rank] == mine) ranks.push_back(static_cast<int>(rank));
  }
  return ranks.size() == hosts.size() ? std::vector<int>{} : ranks;
}

std::string other_host(Bootstrap& boot) {
  const std::vector<std::string>& hosts = hosts_of(boot);
  const std::string& mine = hosts[static_cast<std::size_t>(boot.rank())];
  const auto other = std::find_if(hosts.begin(), hosts.end(),
                                  [&](const std::string& host) { return host != mine; });
  return other == hosts.end() ? "" : *other;
}

}  // namespace weft

// Which ranks of a launch share a host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace weft {

struct RankHosts {
  /// The host of each rank. Hosts are numbered in the order of their first ranks.
  std::vector<int> of_rank;
  /// All ranks, host by host.
  std::vector<int> in_order;

  [[nodiscard]] bool share(int one, int other) const {
    return of_rank[static_cast<std::size_t>(one)] == of_rank[static_cast<std::size_t>(other)];
  }
};

/// From the name of each rank's host.
inline RankHosts rank_hosts(std::span<const std::string> names) {
  RankHosts hosts;
  std::map<std::string, int> numbers;
  for (const std::string& name : names) {
    const auto number = static_cast<int>(numbers.size());
    hosts.of_rank.push_back(numbers.try_emplace(name, number).first->second);
  }
  hosts.in_order.resize(names.size());
  std::iota(hosts.in_order.begin(), hosts.in_order.end(), 0);
  std::stable_sort(hosts.in_order.begin(), hosts.in_order.end(), [&](int one, int other) {
    return hosts.of_rank[static_cast<std::size_t>(one)] <
           hosts.of_rank[static_cast<std::size_t>(other)];
  });
  return hosts;
}

}  // namespace weft

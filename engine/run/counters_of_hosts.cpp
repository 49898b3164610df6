#include "run/counters_of_hosts.hpp"

#include <sstream>
#include <utility>

#include "host/hosts.hpp"
#include "run/gather.hpp"
#include "run/report.hpp"

namespace weft {

bool reads_counters(Bootstrap& boot) {
  return local_rank(boot) == 0;
}

CountersOfHosts::CountersOfHosts(Bootstrap& boot, std::unique_ptr<HostCounters> own)
    : own_(std::move(own)) {
  std::string mine;
  if (own_ != nullptr) {
    for (const Counter& one : own_->counters()) {
      mine += one.device + '\t' + one.name + '\t' + std::string(one.kind) + '\n';
    }
  }
  const std::vector<std::string>& hosts = hosts_of(boot);
  const std::vector<std::string> texts = gather_texts(boot, mine);
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    std::istringstream lines(texts[rank]);
    std::vector<NamedRise> names;
    NamedRise one;
    one.host = hosts[rank];
    while (std::getline(lines, one.device, '\t') && std::getline(lines, one.name, '\t') &&
           std::getline(lines, one.kind)) {
      kinds_[one.host][one.device].insert(one.kind);
      names.push_back(one);
    }
    names_.push_back(std::move(names));
  }
}

std::vector<CounterRise> CountersOfHosts::rises() {
  return own_ == nullptr ? std::vector<CounterRise>{} : own_->rises(most_rises);
}

std::vector<NamedRise> CountersOfHosts::named(std::span<const RankRise> rises) const {
  std::vector<NamedRise> all;
  for (const RankRise& one : rises) {
    const std::vector<NamedRise>& names = names_.at(static_cast<std::size_t>(one.rank));
    // A host with more counters than it could name.
    if (one.counter >= names.size()) continue;
    all.push_back(names[one.counter]);
    all.back().rise = one.rise;
  }
  return all;
}

}  // namespace weft

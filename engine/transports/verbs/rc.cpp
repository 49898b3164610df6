#include "transports/verbs/rc.hpp"

#include <algorithm>

namespace weft {

namespace {

/// Both ends of a connection cut alike, so the shortest of all ranks' limits holds.
std::size_t longest_of_all(const LinkOptions& options, const VerbsPort& port, Bootstrap& boot) {
  constexpr int page = longest_setting.least;
  auto longest = static_cast<std::size_t>(options.number(longest_setting, longest_setting.most));
  for (const std::string& reported : boot.exchange(std::to_string(port.attributes.max_msg_sz))) {
    longest = std::min<std::size_t>(longest, std::stoull(reported));
  }
  return std::max<std::size_t>(longest / page * page, page);
}

}  // namespace

RcConnections::RcConnections(const LinkOptions& options, Bootstrap& boot)
    : core(options, boot),
      flushed(core.memory().allocate(1, IBV_ACCESS_LOCAL_WRITE)),
      last_put(static_cast<std::size_t>(boot.size())),
      messages(static_cast<std::size_t>(boot.size())),
      longest(longest_of_all(options, core.port(), boot)) {}

}  // namespace weft

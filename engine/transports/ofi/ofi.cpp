// libfabric: messages and transfers over the endpoints of a provider.
#include <string_view>

#include "program/rank.hpp"
#include "transports/ofi/connections.hpp"
#include "transports/ofi/endpoint.hpp"
#include "transports/ofi/link.hpp"

namespace weft {

/// The usual mode: completions are polled and cost no signal.
class OfiTagged final : public OfiLink<OfiEndpoint, OfiLearns::by_queue> {
 public:
  static constexpr std::string_view mode = "tagged";
  static constexpr std::string_view summary =
      "libfabric's tagged messages (fi_tsend), fi_write and fi_read";

  OfiTagged(const LinkOptions& options, Bootstrap& boot) : OfiLink(options, false, boot) {}
};

/// The same with a completion queue that can be waited for asleep.
class OfiWaiting final : public OfiLink<OfiEndpoint, OfiLearns::by_queue> {
 public:
  static constexpr std::string_view mode = "wait";
  static constexpr std::string_view summary = "ofi with blocking completion (fi_cq_sread)";

  OfiWaiting(const LinkOptions& options, Bootstrap& boot) : OfiLink(options, true, boot) {}
  void block() noexcept { sleep(); }
};

/// The same with completions that are counted and make no entries of a queue.
class OfiCounting final : public OfiLink<OfiEndpoint, OfiLearns::by_counters> {
 public:
  static constexpr std::string_view mode = "counter";
  static constexpr std::string_view summary = "ofi with completion counters (fi_cntr_read)";

  OfiCounting(const LinkOptions& options, Bootstrap& boot) : OfiLink(options, false, boot) {}
};

/// For providers whose endpoints are connected in pairs (tcp, verbs).
class OfiConnected final : public OfiLink<OfiConnections, OfiLearns::by_queue> {
 public:
  static constexpr std::string_view mode = "msg";
  static constexpr std::string_view summary =
      "libfabric over connected endpoints (FI_EP_MSG): fi_send, fi_write and fi_read";

  OfiConnected(const LinkOptions& options, Bootstrap& boot) : OfiLink(options, false, boot) {}
};

}  // namespace weft

int main(int argc, char** argv) {
  weft::tell_libfabric_of_the_ranks();
  return weft::rank_main<weft::OfiTagged, weft::OfiWaiting, weft::OfiCounting, weft::OfiConnected>(
      argc, argv);
}

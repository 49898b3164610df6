// The engine's ping-pong over UCX and a bare one of tagged messages over the same worker, turn
// about in one process: what the machine does to one it does to the other. An argument: turns.
#include <ucp/api/ucp.h>

#include <cstddef>

#include "contract/options.hpp"
#include "pair_turns.hpp"
#include "transports/ucx/tagged.hpp"

namespace {

using weft::CycleCounter;

// No rank's, which the engine's messages bear.
constexpr ucp_tag_t bare_tag = 0x40000000;

/// rank-ucx's usual mode, whose worker the bare loop uses too.
class Link final : public weft::UcxTagged {
 public:
  static constexpr std::string_view mode = "bench";
  static constexpr std::string_view summary = "for the bench";
  Link(const weft::LinkOptions& options, weft::Bootstrap& boot) : UcxTagged(options, 0, boot) {
    begin(*this);
  }
  void reserve(std::size_t depth, std::span<const int> ranks) { ready(*this, depth, ranks); }
  using UcxTagged::worker;
};

// As ucx_perftest waits: progress until a request says that it is done.
void finish(ucp_worker_h worker, void* request) {
  if (request == nullptr) return;
  while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(worker);
  ucp_request_free(request);
}

// A receive is posted before the message that it answers leaves, as the engine does.
weft::Ticks bare(Link& link, int rank, std::byte* out, std::byte* in) {
  ucp_worker_h worker = link.worker().handle();
  ucp_ep_h endpoint = link.worker().endpoint(1 - rank);
  const ucp_request_param_t plain{};
  const auto send = [&] {
    finish(worker, ucp_tag_send_nbx(endpoint, out, pair_message_bytes, bare_tag, &plain));
  };
  const weft::Ticks start = CycleCounter::now();
  for (std::uint32_t trip = 0; trip < pair_trips; ++trip) {
    void* const receive =
        ucp_tag_recv_nbx(worker, in, pair_message_bytes, bare_tag, ~ucp_tag_t{0}, &plain);
    if (rank == 0) send();
    finish(worker, receive);
    if (rank == 1) send();
  }
  return CycleCounter::now() - start;
}

}  // namespace

int main(int argc, char** argv) {
  weft::MpiBootstrap boot(&argc, &argv, weft::MpiUse::meeting);
  Link link(weft::LinkOptions{}, boot);
  take_pair_turns_over(link, boot, argc, argv, [&](int rank, std::byte* out, std::byte* in) {
    return bare(link, rank, out, in);
  });
  return 0;
}

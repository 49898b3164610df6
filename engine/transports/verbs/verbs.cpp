// RDMA verbs: queue pairs of an RDMA device, driven directly.
#include <arpa/inet.h>
#include <infiniband/verbs.h>

#include <array>
#include <bit>
#include <span>
#include <string_view>
#include <vector>

#include "program/rank.hpp"
#include "transports/parts/fixed_queue.hpp"
#include "transports/rails/rails.hpp"
#include "transports/verbs/core.hpp"
#include "transports/verbs/rc.hpp"

namespace weft {

/// Unreliable datagrams: a message is one packet, and one that finds no receive posted is lost. So
/// a sender only sends what a receive is known to wait for: each message carries, as its immediate
/// data, how many receives its sender posted so far, and a message of its own (a grant) says so
/// when the peer is about to run out.
class VerbsUd final {
 public:
  static constexpr std::string_view name = "verbs";
  static constexpr std::string_view mode = "ud";
  static constexpr bool sends_what_is_expected = true;
  static constexpr std::string_view summary =
      "RDMA verbs over unreliable datagrams, up to the MTU; flow control by credits";
  static constexpr std::span<const Setting> settings{verbs_settings};

  VerbsUd(const LinkOptions& options, Bootstrap& boot)
      : core_(options, boot, IBV_QPT_UD),
        header_(core_.memory().allocate(header_bytes, IBV_ACCESS_LOCAL_WRITE)),
        flows_(static_cast<std::size_t>(boot.size())) {
    for (Flow& flow : flows_) flow.waiting.reserve(1);
    core_.start([this](int rank) { begin(rank); });
  }

  [[nodiscard]] static std::string unusable() { return why_no_verbs(); }

  [[nodiscard]] bool adopts_at_once() const noexcept { return core_.registers_sides(); }
  [[nodiscard]] Buffer adopt(const Buffer& memory) {
    return core_.memory().adopt(memory, IBV_ACCESS_LOCAL_WRITE);
  }
  void disown(const Buffer& buffer) { core_.memory().disown(buffer); }
  void reserve(std::size_t depth, std::span<const int> ranks) {
    core_.reserve(depth, 1, ranks, [this](int rank) { begin(rank); });
    for (const int rank : ranks) flow_of({rank}).waiting.reserve(depth);
  }
  [[nodiscard]] static bool registers_ahead() noexcept { return true; }
  void make_room(std::size_t count) { core_.memory().make_room(count); }
  Buffer register_memory(const Buffer& memory) noexcept { return core_.register_memory(memory); }
  void deregister_memory(const Buffer& memory) noexcept { core_.deregister_memory(memory); }
  [[nodiscard]] std::string refuse_peers(std::size_t depth, std::span<const int> ranks) const {
    return core_.refuse_peers(depth, ranks);
  }
  [[nodiscard]] std::string refusal(std::size_t bytes, std::size_t depth) const {
    return core_.refusal(bytes, static_cast<std::size_t>(core_.port().mtu_bytes), depth);
  }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    Flow& flow = flow_of(peer);
    if (flow.waiting.empty() && flow.may_send()) {
      transmit(peer, buffer);
    } else if (flow.waiting.full()) {
      core_.latch(too_much_posted(ENOBUFS));
    } else {
      flow.waiting.push(buffer);
      ++waiting_;
    }
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    std::array<ibv_sge, 2> pieces{piece_of(header_), piece_of(buffer)};
    core_.post_receive(messages_to(peer), pieces.data(), buffer.bytes == 0 ? 1 : 2);
    ++receives_;
    ++flow_of(peer).posted;
    grant_if_due(peer);
  }
  void poll() noexcept { take(); }
  void block() noexcept {
    core_.block([this] { return take(); });
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return core_.sends() + waiting_; }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept { return receives_; }
  [[nodiscard]] std::uint32_t sends_in_flight(Peer peer) const noexcept {
    const Flow& flow = flows_[static_cast<std::size_t>(peer.rank)];
    return core_.sends_of(messages_to(peer)) + static_cast<std::uint32_t>(flow.waiting.size());
  }
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept {
    const Flow& flow = flows_[static_cast<std::size_t>(peer.rank)];
    return flow.posted - flow.arrived;
  }
  int take_ended() noexcept { return core_.take_ended(); }
  [[nodiscard]] const Fault* fault() const noexcept { return core_.fault(); }
  [[nodiscard]] Details details() const {
    Details reported = core_.details();
    reported.emplace_back("flow control", "receives told in immediate data, by weft");
    return reported;
  }

 private:
  // A receive's buffer begins with room for the packet's global header, which goes elsewhere.
  static constexpr std::size_t header_bytes = 40;
  static constexpr std::size_t pairs_per_peer = QueuePairRequest::per_peer;  // messages, grants
  static constexpr std::uint32_t grant_receives = 64;

  /// Numbers of messages since the queue pairs are there; they may pass 2^32 and begin again.
  struct Flow {
    std::uint32_t posted = 0;     // receives, here
    std::uint32_t arrived = 0;    // of those
    std::uint32_t announced = 0;  // how many of `posted` the peer knows of
    std::uint32_t granted = 0;    // receives that the peer posted, as far as it reported
    std::uint32_t sent = 0;
    FixedQueue<Buffer> waiting = {};

    [[nodiscard]] bool may_send() const noexcept { return granted != sent; }
    /// The peer knows of less than half of the receives that wait for it.
    [[nodiscard]] bool is_grant_due() const noexcept {
      return 2 * (announced - arrived) < posted - arrived;
    }
  };

  static std::size_t messages_to(Peer peer) noexcept {
    return static_cast<std::size_t>(peer.rank) * pairs_per_peer;
  }
  Flow& flow_of(Peer peer) noexcept { return flows_[static_cast<std::size_t>(peer.rank)]; }

  void begin(int rank) {
    Flow& flow = flow_of({rank});
    flow.posted = flow.arrived = flow.announced = flow.granted = flow.sent = 0;
    const std::size_t grants = static_cast<std::size_t>(rank) * pairs_per_peer + 1;
    for (std::uint32_t n = 0; n < grant_receives; ++n) expect_grant(grants);
  }

  void expect_grant(std::size_t pair) noexcept {
    ibv_sge piece = piece_of(header_);
    core_.post_receive(pair, &piece, 1);
  }

  void datagram(std::size_t pair, Flow& flow, const ibv_sge& data, Counted counted) noexcept {
    ibv_send_wr request{};
    request.opcode = IBV_WR_SEND_WITH_IMM;
    request.imm_data = htonl(flow.posted);
    request.wr.ud = {core_.queues().addresses[pair].get(), core_.queues().remote_pairs[pair],
                     core_.queues().datagram_key};
    flow.announced = flow.posted;
    core_.post(pair, request, data, counted);
  }
  void transmit(Peer peer, const Buffer& buffer) noexcept {
    Flow& flow = flow_of(peer);
    ++flow.sent;
    datagram(messages_to(peer), flow, piece_of(buffer), Counted::as_send);
  }
  void grant_if_due(Peer peer) noexcept {
    Flow& flow = flow_of(peer);
    if (flow.is_grant_due()) datagram(messages_to(peer) + 1, flow, {}, Counted::no);
  }

  int take() noexcept {
    return core_.poll([this](const ibv_wc& completion) { arrive(completion); });
  }
  void arrive(const ibv_wc& completion) noexcept {
    const std::size_t pair = std::bit_cast<Posted>(completion.wr_id).pair;
    const Peer peer{static_cast<int>(pair / pairs_per_peer)};
    Flow& flow = flow_of(peer);
    // Grants and messages may overtake each other: only a later number counts.
    const std::uint32_t granted = ntohl(completion.imm_data);
    if (static_cast<std::int32_t>(granted - flow.granted) > 0) flow.granted = granted;
    if (pair % pairs_per_peer == 0) {
      --receives_;
      ++flow.arrived;
      core_.note_ended(pair);
      grant_if_due(peer);
    } else {
      expect_grant(pair);
    }
    while (!flow.waiting.empty() && flow.may_send()) {
      const Buffer next = flow.waiting.front();
      flow.waiting.pop();
      --waiting_;
      transmit(peer, next);
    }
  }

  VerbsCore core_;
  Buffer header_;
  std::vector<Flow> flows_;
  std::uint32_t waiting_ = 0;
  std::uint32_t receives_ = 0;
};

}  // namespace weft

int main(int argc, char** argv) {
  using Rail = weft::VerbsRcRail;
  return weft::rank_main<weft::VerbsRc, weft::VerbsUd, weft::Rails<Rail, weft::Stripe>,
                         weft::Rails<Rail, weft::Turn>>(argc, argv);
}

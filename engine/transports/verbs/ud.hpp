// Unreliable datagrams of RDMA verbs: two queue pairs for all peers.
#pragma once

#include <arpa/inet.h>
#include <infiniband/verbs.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transports/parts/fixed_queue.hpp"
#include "transports/verbs/core.hpp"
#include "transports/verbs/datagrams.hpp"
#include "transports/verbs/sender.hpp"
#include "transports/verbs/settings.hpp"

namespace weft {

/// A message is one packet, and one that finds no receive posted is lost. So a sender only sends
/// what a receive is known to wait for: each message says how many receives its sender posted so
/// far, and a message of its own (a grant) says so when the peer is about to run out.
///
/// Messages leave by the first of two queue pairs and grants by the second. A rank that has one
/// peer in a case has its receives posted on the first, so that messages come where they belong. Of
/// several peers nobody knows whose message comes next: theirs come into slots on the second, which
/// all share, and are copied.
class VerbsUd final {
 public:
  static constexpr std::string_view name = "verbs";
  static constexpr std::string_view mode = "ud";
  static constexpr bool sends_what_is_expected = true;
  static constexpr std::string_view summary =
      "RDMA verbs over unreliable datagrams, up to the MTU; flow control by credits";
  static constexpr std::span<const Setting> settings{verbs_settings};

  VerbsUd(const LinkOptions& options, Bootstrap& boot)
      : core_(options, boot),
        my_rank_(static_cast<std::uint32_t>(boot.rank())),
        header_(core_.memory().allocate(header_bytes, IBV_ACCESS_LOCAL_WRITE)),
        slots_(core_.memory(), static_cast<std::size_t>(core_.port().mtu_bytes)),
        flows_(static_cast<std::size_t>(boot.size())) {
    for (Flow& flow : flows_) {
      flow.waiting.reserve(1);
      flow.expected.reserve(1);
    }
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
    for (const int rank : ranks) {
      flow_of({rank}).waiting.reserve(depth);
      flow_of({rank}).expected.reserve(depth);
    }
    shares_ = ranks.size() > 1;
    if (shares_) have_slots(depth * ranks.size());
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
    Flow& flow = flow_of(peer);
    if (shares_) {
      if (flow.expected.full()) return core_.latch(too_much_posted(ENOBUFS));
      flow.expected.push(buffer);
    } else {
      std::array<ibv_sge, 2> pieces{piece_of(header_), piece_of(buffer)};
      core_.post_receive_named(messages, no_slot, pieces.data(), buffer.bytes == 0 ? 1 : 2);
    }
    ++receives_;
    ++flow.posted;
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
    return core_.sends_of(way_to(peer, messages)) + static_cast<std::uint32_t>(flow.waiting.size());
  }
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept {
    const Flow& flow = flows_[static_cast<std::size_t>(peer.rank)];
    return flow.posted - flow.arrived;
  }
  int take_ended() noexcept { return core_.take_ended(); }
  [[nodiscard]] const Fault* fault() const noexcept { return core_.fault(); }
  [[nodiscard]] Details details() const {
    Details reported = core_.details();
    reported.emplace_back("flow control", "receives reported in immediate data, by weft");
    reported.emplace_back("queue pairs", "2 for all peers; messages of several are copied");
    return reported;
  }

 private:
  static constexpr std::size_t header_bytes = DatagramSlots::header_bytes;
  /// The queue pairs, and what a way to a peer is for.
  static constexpr std::size_t messages = 0;
  static constexpr std::size_t grants = 1;
  /// The name of a receive that is posted for its message; others have their slot's number.
  static constexpr std::uint64_t no_slot = std::numeric_limits<std::uint64_t>::max();

  /// Numbers of messages since the queue pairs are there; they may pass 2^32 and begin again.
  struct Flow {
    std::uint32_t posted = 0;     // receives, here
    std::uint32_t arrived = 0;    // of those
    std::uint32_t announced = 0;  // how many of `posted` the peer knows of
    std::uint32_t granted = 0;    // receives that the peer posted, as far as it reported
    std::uint32_t sent = 0;
    /// The peer's queue pair for messages.
    std::uint32_t there = 0;
    FixedQueue<Buffer> waiting = {};
    /// Where messages are copied to, if they come into slots.
    FixedQueue<Buffer> expected = {};

    [[nodiscard]] bool may_send() const noexcept { return granted != sent; }
    /// The peer knows of less than half of the receives that wait for it.
    [[nodiscard]] bool is_grant_due() const noexcept {
      return 2 * (announced - arrived) < posted - arrived;
    }
  };

  static std::size_t way_to(Peer peer, std::size_t kind) noexcept {
    return static_cast<std::size_t>(peer.rank) * ways_per_peer + kind;
  }
  Flow& flow_of(Peer peer) noexcept { return flows_[static_cast<std::size_t>(peer.rank)]; }
  [[nodiscard]] std::uint32_t pair_at(Peer peer, std::size_t kind) const noexcept {
    return core_.queues().remote_pairs[way_to(peer, kind)];
  }

  void begin(int rank) {
    // Where the queues are new their slots are to be posted again.
    if (openings_ != core_.openings()) {
      openings_ = core_.openings();
      peers_ = 0;
      slots_.forget_posted();
    }
    Flow& flow = flow_of({rank});
    flow.posted = flow.arrived = flow.announced = flow.granted = flow.sent = 0;
    ++peers_;
    have_slots(0);
  }
  /// Slots for so many messages, and for the grants of all peers that may send some.
  void have_slots(std::size_t for_messages) {
    const std::size_t wanted = for_messages + most_grants(core_.queues().depth) * peers_;
    slots_.have(wanted);
    while (slots_.posted() < wanted) post_slot(slots_.take_unposted());
  }
  void post_slot(std::uint64_t slot) noexcept {
    core_.post_receive_named(grants, slot, slots_.piece(slot), 1);
  }

  void datagram(Peer peer, std::size_t kind, std::uint32_t there, const ibv_sge& data,
                Counted counted) noexcept {
    Flow& flow = flow_of(peer);
    ibv_send_wr request{};
    request.opcode = IBV_WR_SEND_WITH_IMM;
    request.imm_data = htonl(sender_bits(my_rank_, shares_, flow.posted));
    request.wr.ud = {core_.queues().addresses[static_cast<std::size_t>(peer.rank)].get(), there,
                     core_.queues().datagram_key};
    flow.announced = flow.posted;
    core_.post(way_to(peer, kind), request, data, counted);
  }
  void transmit(Peer peer, const Buffer& buffer) noexcept {
    Flow& flow = flow_of(peer);
    ++flow.sent;
    datagram(peer, messages, flow.there, piece_of(buffer), Counted::as_send);
  }
  void grant_if_due(Peer peer) noexcept {
    if (flow_of(peer).is_grant_due()) {
      datagram(peer, grants, pair_at(peer, grants), {}, Counted::no);
    }
  }

  int take() noexcept {
    return core_.poll([this](const ibv_wc& completion) { arrive(completion); });
  }
  void arrive(const ibv_wc& completion) noexcept {
    const Sender said = sender_of(ntohl(completion.imm_data));
    const Peer peer{static_cast<int>(said.rank)};
    // Whoever knows the run's key may write anything.
    if (said.rank < flows_.size()) {
      Flow& flow = flow_of(peer);
      // Grants and messages may overtake each other: only a later number counts.
      if (const std::uint32_t more = said.more_than(flow.granted); more > 0) {
        flow.granted += more;
        flow.there = pair_at(peer, said.shares ? grants : messages);
      }
      if (completion.wr_id == no_slot) {
        message_came(peer);
      } else if (completion.src_qp != pair_at(peer, grants)) {
        take_out(completion, flow);
        message_came(peer);
      }
      send_waiting(peer);
    }
    if (completion.wr_id != no_slot) post_slot(completion.wr_id);
  }
  void take_out(const ibv_wc& completion, Flow& flow) noexcept {
    const std::size_t bytes = completion.byte_len - header_bytes;
    if (flow.expected.empty() || bytes > flow.expected.front().bytes) {
      return core_.latch(EMSGSIZE, "receiving a datagram");
    }
    const Buffer& buffer = flow.expected.front();
    if (bytes > 0) std::memcpy(buffer.data, slots_.content(completion.wr_id), bytes);
    flow.expected.pop();
  }
  void message_came(Peer peer) noexcept {
    --receives_;
    ++flow_of(peer).arrived;
    core_.note_ended(way_to(peer, messages));
    grant_if_due(peer);
  }
  void send_waiting(Peer peer) noexcept {
    Flow& flow = flow_of(peer);
    while (!flow.waiting.empty() && flow.may_send()) {
      const Buffer next = flow.waiting.front();
      flow.waiting.pop();
      --waiting_;
      transmit(peer, next);
    }
  }

  VerbsCore<true> core_;
  std::uint32_t my_rank_;
  Buffer header_;
  DatagramSlots slots_;
  std::vector<Flow> flows_;
  /// Whether the messages of the case come into slots.
  bool shares_ = false;
  int openings_ = 0;
  std::size_t peers_ = 0;
  std::uint32_t waiting_ = 0;
  std::uint32_t receives_ = 0;
};

}  // namespace weft

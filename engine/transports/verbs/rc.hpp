// Reliable connections of RDMA verbs: sends match receives in order, the device repeats what was
// lost. A message longer than the device takes goes in pieces, by a link of its own, so that the
// loop over usual messages does not ask how long they are.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "transports/rails/rails.hpp"
#include "transports/verbs/core.hpp"
#include "transports/verbs/settings.hpp"

namespace weft {

/// What the links over the same connections share.
struct RcConnections {
  /// Throws std::runtime_error.
  RcConnections(const LinkOptions& options, Bootstrap& boot);

  VerbsCore<false> core;
  Buffer flushed;
  /// By rank: where the last put went that no flush followed yet.
  std::vector<RemoteBuffer> last_put;
  /// By rank: its messages that receives are posted for.
  std::vector<std::uint32_t> messages;
  std::uint32_t receives = 0;
  /// What every rank's device takes as one message, and how many of these a message of the case
  /// has at most.
  std::size_t longest = 0;
  std::size_t pieces = 1;
};

/// A link over connections of its own, or over those of another link (a reference). `cuts`: longer
/// messages than the device takes go in pieces.
template <class Connections, bool cuts>
class RcLink final {
 public:
  static constexpr std::string_view name = "verbs";
  static constexpr std::string_view mode = "rc";
  static constexpr std::string_view summary =
      "RDMA verbs over reliable connections: send, write, write with immediate data, read";
  static constexpr std::span<const Setting> settings{verbs_settings};
  static constexpr std::string_view rail_setting = "device";
  /// The device serves puts and gets; the target's processor has no part in them.
  static constexpr bool puts_need_the_target = false;

  RcLink(const LinkOptions& options, Bootstrap& boot) requires(!std::is_reference_v<Connections>)
      : rc_(options, boot) {
    rc_.core.start(begin);
  }
  explicit RcLink(RcConnections& shared) requires(std::is_reference_v<Connections>) : rc_(shared) {}

  [[nodiscard]] static std::string unusable() { return why_no_verbs(); }

  [[nodiscard]] std::size_t longest_message() const noexcept { return rc_.longest; }
  /// The link for messages longer than that, over the same connections.
  [[nodiscard]] auto in_pieces() requires(!cuts) { return RcLink<RcConnections&, true>(rc_); }
  /// Called before `reserve` and `refusal`: how long the messages of the next case are.
  void expect_messages_of(std::size_t bytes) noexcept requires cuts {
    rc_.pieces = bytes <= rc_.longest ? 1 : (bytes + rc_.longest - 1) / rc_.longest;
  }

  [[nodiscard]] bool adopts_at_once() const noexcept { return rc_.core.registers_sides(); }
  [[nodiscard]] Buffer adopt(const Buffer& memory) {
    return rc_.core.memory().adopt(memory, IBV_ACCESS_LOCAL_WRITE);
  }
  void disown(const Buffer& buffer) { rc_.core.memory().disown(buffer); }
  void reserve(std::size_t depth, std::span<const int> ranks) {
    rc_.core.reserve(depth, pieces(), ranks, begin);
  }
  [[nodiscard]] static bool registers_ahead() noexcept { return true; }
  void make_room(std::size_t count) { rc_.core.memory().make_room(count); }
  Buffer register_memory(const Buffer& memory) noexcept { return rc_.core.register_memory(memory); }
  void deregister_memory(const Buffer& memory) noexcept { rc_.core.deregister_memory(memory); }
  [[nodiscard]] Opened expose(const Buffer& memory) {
    return expose_memory(rc_.core.memory(), memory);
  }
  void withdraw(const Buffer& local) { rc_.core.memory().disown(local); }
  [[nodiscard]] static RemoteBuffer reach(int /*rank*/, std::size_t bytes,
                                          const std::string& theirs) {
    return reach_memory(bytes, theirs);
  }
  /// A device writes a message's packets in their order, and a packet from its first byte on.
  [[nodiscard]] static std::string memory_polling_hazard() { return {}; }
  [[nodiscard]] std::string refuse_peers(std::size_t depth, std::span<const int> ranks) const {
    return rc_.core.refuse_peers(depth * pieces(), ranks);
  }
  [[nodiscard]] std::string refusal(std::size_t bytes, std::size_t depth) const {
    const std::size_t most = cuts ? std::numeric_limits<std::size_t>::max() : rc_.longest;
    return rc_.core.refusal(bytes, most, depth * pieces());
  }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    ibv_send_wr request{};
    request.opcode = IBV_WR_SEND;
    Buffer rest = buffer;
    if constexpr (cuts) {
      for (; rest.bytes > rc_.longest; pass(rest)) {
        rc_.core.post(messages_to(peer), request, piece_of(first(rest)), Counted::no);
      }
    }
    rc_.core.post(messages_to(peer), request, piece_of(rest), Counted::as_send);
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    Buffer rest = buffer;
    if constexpr (cuts) {
      for (; rest.bytes > rc_.longest; pass(rest)) {
        ibv_sge piece = piece_of(first(rest));
        rc_.core.post_receive(messages_to(peer), &piece, 1, false);
      }
    }
    ibv_sge piece = piece_of(rest);
    rc_.core.post_receive(messages_to(peer), &piece, rest.bytes == 0 ? 0 : 1);
    ++rc_.messages[static_cast<std::size_t>(peer.rank)];
    ++rc_.receives;
  }

  void put(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    transfer(IBV_WR_RDMA_WRITE, peer, local, remote);
    rc_.last_put[static_cast<std::size_t>(peer.rank)] = remote;
  }
  void get(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    transfer(IBV_WR_RDMA_READ, peer, local, remote);
  }
  void put_notify(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    transfer(IBV_WR_RDMA_WRITE_WITH_IMM, peer, local, remote);
    rc_.last_put[static_cast<std::size_t>(peer.rank)] = remote;
  }
  void expect_notice(Peer peer) noexcept {
    rc_.core.post_receive(transfers_to(peer), nullptr, 0);
    ++rc_.receives;
  }
  /// A write that is acknowledged has reached the peer's device; a read behind it on the same queue
  /// pair cannot end before it has reached the memory too.
  void flush(Peer peer) noexcept {
    RemoteBuffer& last = rc_.last_put[static_cast<std::size_t>(peer.rank)];
    if (last.key == 0 && last.address == 0) return;
    transfer(IBV_WR_RDMA_READ, peer, rc_.flushed, last);
    last = {};
  }

  void poll() noexcept { take(); }
  void block() noexcept {
    rc_.core.block([this] { return take(); });
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return rc_.core.sends(); }
  [[nodiscard]] std::uint32_t sends_in_flight(Peer peer) const noexcept {
    return rc_.core.sends_of(messages_to(peer));
  }
  [[nodiscard]] std::uint32_t transfers_in_flight() const noexcept { return rc_.core.transfers(); }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept { return rc_.receives; }
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept {
    return rc_.messages[static_cast<std::size_t>(peer.rank)];
  }
  int take_ended() noexcept { return rc_.core.take_ended(); }
  [[nodiscard]] const Fault* fault() const noexcept { return rc_.core.fault(); }
  [[nodiscard]] Details details() const {
    Details reported = rc_.core.details();
    reported.emplace_back("longest message",
                          std::to_string(rc_.longest) + ", longer ones in pieces");
    return reported;
  }

 private:
  /// Nothing has to be there before a peer's first message.
  static constexpr auto begin = [](int /*rank*/) {};

  // Notices take receives of a queue pair of their own: beside messages, one could take the
  // other's.
  static std::size_t messages_to(Peer peer) noexcept {
    return static_cast<std::size_t>(peer.rank) * ways_per_peer;
  }
  static std::size_t transfers_to(Peer peer) noexcept { return messages_to(peer) + 1; }

  [[nodiscard]] std::size_t pieces() const noexcept { return cuts ? rc_.pieces : 1; }
  [[nodiscard]] Buffer first(const Buffer& rest) const noexcept {
    return {rest.data, rc_.longest, rest.key};
  }
  void pass(Buffer& rest) const noexcept {
    rest.data += rc_.longest;
    rest.bytes -= rc_.longest;
  }

  void transfer(ibv_wr_opcode opcode, Peer peer, const Buffer& local,
                const RemoteBuffer& remote) noexcept {
    ibv_send_wr request{};
    request.wr.rdma = {remote.address, static_cast<std::uint32_t>(remote.key)};
    Buffer rest = local;
    if constexpr (cuts) {
      // Only the last piece of a put notifies.
      request.opcode = opcode == IBV_WR_RDMA_READ ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
      for (; rest.bytes > rc_.longest; pass(rest)) {
        rc_.core.post(transfers_to(peer), request, piece_of(first(rest)), Counted::no);
        request.wr.rdma.remote_addr += rc_.longest;
      }
    }
    request.opcode = opcode;
    rc_.core.post(transfers_to(peer), request, piece_of(rest), Counted::as_transfer);
  }
  int take() noexcept {
    return rc_.core.poll([this](const ibv_wc& arrived) {
      const auto posted = std::bit_cast<Posted>(arrived.wr_id);
      if (posted.way % ways_per_peer == 0) {
        rc_.messages[posted.way / ways_per_peer] -= posted.requests;
        rc_.core.note_ended(posted.way);
      }
      rc_.receives -= posted.requests;
    });
  }

  Connections rc_;
};

using VerbsRc = RcLink<RcConnections, false>;
/// A rail: there every message is looked at anyhow, to be cut or to take its turn.
using VerbsRcRail = RcLink<RcConnections, true>;

}  // namespace weft

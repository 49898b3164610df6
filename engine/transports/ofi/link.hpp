// What all modes of libfabric share, with what differs between them chosen when it is compiled.
//
// A provider that has no room now (FI_EAGAIN) is asked again by each poll, in the order of posting.
#pragma once

#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/faults.hpp"
#include "transports/ofi/fabric.hpp"
#include "transports/ofi/memory.hpp"
#include "transports/ofi/operation.hpp"
#include "transports/parts/connecting.hpp"
#include "transports/parts/first_contact.hpp"
#include "transports/parts/known_peers.hpp"

namespace weft {

/// What all modes share. `Reach`: the endpoints and the calls on them.
template <class Reach, OfiLearns learns>
class OfiLink {
 public:
  using DataPlane = OfiLink;
  static constexpr std::string_view name = "ofi";
  static constexpr std::string_view summary = "libfabric's messages and transfers";
  static constexpr auto settings = ofi_settings;

  OfiLink(const OfiLink&) = delete;
  OfiLink& operator=(const OfiLink&) = delete;
  OfiLink(OfiLink&&) = delete;
  OfiLink& operator=(OfiLink&&) = delete;

  static std::string unusable() { return OfiFabric::unusable(wants(false)); }
  [[nodiscard]] bool adopts_at_once() const noexcept { return memory_.registers_sides(); }
  [[nodiscard]] std::string refusal(std::size_t bytes, std::size_t /*depth*/) const {
    return fabric_.refusal(bytes);
  }
  void reserve(std::size_t depth, std::span<const int> ranks) {
    connect(ranks);
    make_room_for_messages(depth, std::max<std::size_t>(ranks.size(), 1));
  }
  [[nodiscard]] Buffer adopt(const Buffer& memory) { return memory_.adopt(memory); }
  void disown(const Buffer& buffer) { memory_.disown(buffer); }
  [[nodiscard]] bool registers_ahead() const noexcept { return memory_.registers_ahead(); }
  void make_room(std::size_t count) { memory_.make_room(count); }
  Buffer register_memory(const Buffer& memory) noexcept {
    int error = 0;
    const std::uint64_t key = memory_.enter(memory, message_access, error);
    if (error != 0) latch(error, "fi_mr_reg");
    return {memory.data, memory.bytes, key};
  }
  void deregister_memory(const Buffer& memory) noexcept {
    const int error = memory_.forget(memory.key);
    if (error != 0) latch(error, "closing a memory region");
  }
  [[nodiscard]] Opened expose(const Buffer& memory) { return memory_.expose(memory); }
  void withdraw(const Buffer& local) { memory_.disown(local); }
  [[nodiscard]] static RemoteBuffer reach(int /*rank*/, std::size_t bytes,
                                          const std::string& theirs) {
    return OfiMemory::reach(bytes, theirs);
  }
  [[nodiscard]] std::string memory_polling_hazard() const {
    if (trusts_last_byte_ || fabric_.writes_in_order()) return "";
    return "the provider does not promise FI_ORDER_DATA, that the last byte of a put comes last; "
           "--option ofi.trust_last_byte=yes assumes it";
  }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    if (buffer.bytes < inject_below_ && waiting_sends_.empty()) {
      const ssize_t status = reach_.inject(peer, buffer, my_tag_);
      if (status == 0) return ended_.note(peer.rank);
      if (status != -FI_EAGAIN) return latch(status, Reach::inject_call);
    }
    Item* operation = take(with(peer).sends, sends_, buffer);
    if (operation == nullptr) return;
    operation->own.target = reach_.target(peer);
    operation->own.tag = my_tag_;
    begin(waiting_sends_, operation, send, Reach::send_call);
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    Item* operation = take(with(peer).receives, receives_, buffer);
    if (operation == nullptr) return;
    if constexpr (Reach::connects) operation->own.target = reach_.target(peer);
    operation->own.tag = static_cast<std::uint64_t>(peer.rank);
    begin(waiting_receives_, operation, receive, Reach::receive_call);
  }

  void put(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    transfer(peer, local, remote, entry_wanted | reach_.delivery(), false);
    if constexpr (Reach::connects) last_put_[static_cast<std::size_t>(peer.rank)] = remote;
  }
  void get(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    transfer(peer, local, remote, entry_wanted, true);
  }
  // A put that ends when its data are in place leaves nothing to wait for. Where the provider does
  // not tell that, a read behind the last put does: the messages' order is asked for.
  void flush(Peer peer) noexcept {
    if constexpr (Reach::connects) {
      RemoteBuffer& last = last_put_[static_cast<std::size_t>(peer.rank)];
      if (reach_.delivery() != 0 || last.bytes == 0) return;
      transfer(peer, flushed_, last, entry_wanted, true);
      last = {};
    }
  }

  // A notice that came before it was expected is kept.
  void expect_notice(Peer peer) noexcept requires(learns == OfiLearns::by_queue) {
    OfiPeer<Target>& from = with(peer);
    if (from.early_notices > 0) {
      --from.early_notices;
      return;
    }
    ++from.expected_notices;
    ++receives_;
  }
  void put_notify(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept
      requires(learns == OfiLearns::by_queue) {
    transfer(peer, local, remote, entry_wanted | reach_.delivery() | FI_REMOTE_CQ_DATA, false);
    if constexpr (Reach::connects) last_put_[static_cast<std::size_t>(peer.rank)] = remote;
  }

  void poll() noexcept {
    if constexpr (tells_which) {
      std::array<fi_cq_data_entry, batch> entries;  // NOLINT(*-member-init): read as far as filled
      take_in(entries.data(), fi_cq_read(fabric_.completions(), entries.data(), entries.size()));
    } else {
      count();
    }
    if (!waiting_sends_.empty()) retry(waiting_sends_, send, Reach::send_call);
    if (!waiting_receives_.empty()) retry(waiting_receives_, receive, Reach::receive_call);
    if (!waiting_transfers_.empty()) retry(waiting_transfers_, move, "a transfer");
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return sends_; }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept { return receives_; }
  [[nodiscard]] std::uint32_t sends_in_flight(Peer peer) const noexcept
      requires(learns == OfiLearns::by_queue) {
    return peers_[static_cast<std::size_t>(peer.rank)].sends.count;
  }
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept
      requires(learns == OfiLearns::by_queue) {
    return peers_[static_cast<std::size_t>(peer.rank)].receives.count;
  }
  int take_ended() noexcept { return ended_.take(); }
  [[nodiscard]] std::uint32_t transfers_in_flight() const noexcept { return transfers_; }
  [[nodiscard]] const Fault* fault() const noexcept { return fault_.code == 0 ? nullptr : &fault_; }

  /// What was really used, for the record.
  [[nodiscard]] Details details() const {
    Details reported = fabric_.details();
    reported.emplace_back("inject_bytes",
                          std::to_string(inject_below_ == 0 ? 0 : inject_below_ - 1));
    reported.push_back(registration_cache_note(ofi_cache));
    reported.push_back(connecting_note(connecting_ns_));
    return reported;
  }
  static void before_start(const LinkOptions& options) {
    switch_registration_cache(options, ofi_cache);
  }

 protected:
  OfiLink(const LinkOptions& options, bool sleeps, Bootstrap& boot)
      : known_(boot.size()),
        fabric_(options, wants(sleeps), boot),
        reach_(fabric_),
        memory_(fabric_, reach_.for_memory(), options),
        peers_(ofi_peers<Target>(tells_which ? boot.size() : 1)),
        ended_(boot.size()),
        my_tag_(static_cast<std::uint64_t>(boot.rank())),
        inject_below_(tells_which ? fabric_.inject_below(options) : 0),
        trusts_last_byte_(options.flag("trust_last_byte", false)) {
    if constexpr (Reach::connects) {
      last_put_.resize(static_cast<std::size_t>(boot.size()));
      flushed_ = memory_.allocate(1);
    }
    connecting_ns_ =
        connecting_ns(fabric_.boot(), [&] { connect(first_neighbours(fabric_.boot())); });
  }
  ~OfiLink() = default;

  void sleep() noexcept {
    constexpr int longest_ms = 100;
    if (!waiting_sends_.empty() || !waiting_receives_.empty() || !waiting_transfers_.empty()) {
      return poll();
    }
    std::array<fi_cq_data_entry, batch> entries;  // NOLINT(*-member-init): read as far as filled
    take_in(entries.data(), fi_cq_sread(fabric_.completions(), entries.data(), entries.size(),
                                        nullptr, longest_ms));
  }

 private:
  using Target = typename Reach::Target;
  using Item = typename Reach::Item;
  using Queue = OperationQueue<OfiOwn<Target>>;
  using Backlog = OfiBacklog<Item>;
  static constexpr std::size_t batch = 16;
  static constexpr std::uint32_t probes_between = 64;
  /// A queue's entry tells which operation ended, a counter does not.
  static constexpr bool tells_which = learns == OfiLearns::by_queue;
  static constexpr std::uint64_t entry_wanted = tells_which ? FI_COMPLETION : 0;

  static constexpr OfiWants wants(bool sleeps) {
    return {.sleeps = sleeps, .counts = !tells_which, .connects = Reach::connects};
  }

  void connect(std::span<const int> ranks) {
    if constexpr (Reach::connects) make_room_for_peers(known_.count_with(ranks));
    const std::vector<int> unknown = known_.take_new(ranks);
    if (unknown.empty()) return;
    reach_.find(unknown);
    constexpr std::size_t of_contact = 2;
    make_room_for_messages(of_contact, unknown.size());
    make_first_contact(*this, fabric_.boot(), unknown, "choose another ofi.provider or ofi.domain");
  }
  // A completion queue does not grow: where any rank needs more of it, all have new ones, and each
  // connects again whom it needs next.
  void make_room_for_peers(std::size_t peers) {
    std::size_t most = fabric_.most_peers();
    while (!fabric_.boot().first_of(peers > most ? "more peers" : "").empty()) most *= 2;
    if (most == fabric_.most_peers()) return;
    reach_.disconnect();
    known_.forget_all();
    fabric_.open_completions(most);
  }
  // So many sends, receives and transfers each, and where a flush is one, as many of those.
  void make_room_for_messages(std::size_t depth, std::size_t peers) {
    constexpr std::size_t kinds = Reach::connects ? 4 : 3;
    memory_.make_room(2 * depth * peers);
    const std::size_t count = kinds * depth * peers;
    if (count <= operations_.count()) return;
    operations_.reserve(count, [](OfiOwn<Target>& /*own*/, std::size_t /*at*/) {});
    for (Backlog* waiting : {&waiting_sends_, &waiting_receives_, &waiting_transfers_}) {
      waiting->reserve(count);
    }
  }

  OfiPeer<Target>& with(Peer peer) noexcept {
    return peers_[tells_which ? static_cast<std::size_t>(peer.rank) : 0];
  }

  Item* take(Queue& queue, std::uint32_t& in_flight, const Buffer& buffer) noexcept {
    Item* operation = operations_.take(queue, in_flight);
    if (operation == nullptr) {
      if (fault_.code == 0) fault_ = too_much_posted(-FI_ENOSPC);
      return nullptr;
    }
    operation->buffer = buffer;
    return operation;
  }

  void transfer(Peer peer, const Buffer& local, const RemoteBuffer& remote, std::uint64_t flags,
                bool reads) noexcept {
    Item* operation = take(with(peer).transfers, transfers_, local);
    if (operation == nullptr) return;
    operation->own.target = reach_.target_of_transfers(peer);
    operation->own.tag = my_tag_;
    operation->own.remote = remote;
    // shm (libfabric 1.17) never completes an empty write whose delivery is asked for.
    operation->own.flags = local.bytes == 0 ? flags & ~FI_DELIVERY_COMPLETE : flags;
    operation->own.reads = reads;
    begin(waiting_transfers_, operation, move, "a transfer");
  }

  static constexpr auto send = [](const Reach& reach, const OfiMemory& memory,
                                  Item* operation) noexcept {
    return reach.send(operation, memory.descriptor(operation->buffer));
  };
  static constexpr auto receive = [](const Reach& reach, const OfiMemory& memory,
                                     Item* operation) noexcept {
    return reach.receive(operation, memory.descriptor(operation->buffer));
  };
  static constexpr auto move = [](const Reach& reach, const OfiMemory& memory,
                                  Item* operation) noexcept {
    return reach.move(operation, memory.descriptor(operation->buffer));
  };

  template <class Call>
  void begin(Backlog& waiting, Item* operation, Call call, const char* during) noexcept {
    const auto now = [&](Item* one) noexcept { return call(reach_, memory_, one); };
    if (const ssize_t status = waiting.begin(operation, now); status != 0) latch(status, during);
  }
  template <class Call>
  void retry(Backlog& waiting, Call call, const char* during) noexcept {
    const auto now = [&](Item* one) noexcept { return call(reach_, memory_, one); };
    if (const ssize_t status = waiting.retry(now); status != 0) latch(status, during);
  }

  void take_in(const fi_cq_data_entry* entries, ssize_t count) noexcept {
    if (count == -FI_EAGAIN || count == -FI_EINTR || count == -FI_ECANCELED) return;
    if (count < 0) return take_error(count);
    for (ssize_t at = 0; at < count; ++at) {
      const fi_cq_data_entry& entry = entries[at];
      if (is_notice(entry)) {
        take_notice(static_cast<int>(entry.data));
        if constexpr (Reach::connects) {
          if (!reach_.expect_again({static_cast<int>(entry.data)}, entry.op_context)) {
            latch(-FI_EAGAIN, "expecting the next notice");
          }
        }
      } else if (entry.op_context != nullptr) {
        operations_.finish(static_cast<Item*>(entry.op_context), ended_);
      }
    }
  }

  // As many of the oldest operations ended as were counted since the last poll: right where the
  // provider completes in order.
  void follow(Queue& queue, OfiCounted what) noexcept {
    const std::uint64_t counted = fi_cntr_read(fabric_.counter(what));
    std::uint64_t& followed = followed_[static_cast<std::size_t>(what)];
    for (; followed != counted; ++followed) {
      if (queue.first == nullptr) return latch(-FI_EOTHER, "counting more than was asked for");
      operations_.finish(queue.first, ended_);
    }
  }
  void count() noexcept {
    OfiPeer<Target>& all = peers_.front();
    // Reading a counter moves everything on, so one is read at every poll.
    follow(all.receives, OfiCounted::receives);
    if (sends_ != 0) follow(all.sends, OfiCounted::sends);
    if (transfers_ != 0) follow(all.transfers, OfiCounted::transfers);
    if (++probes_ % probes_between == 0) probe_for_failures();
  }
  // Only now and then: each question costs as much as a poll. Some providers (net) make entries for
  // what succeeded too, though asked not to; they are taken off.
  void probe_for_failures() noexcept {
    std::array<fi_cq_data_entry, batch> entries;  // NOLINT(*-member-init): never looked at
    ssize_t count = 0;
    do {
      count = fi_cq_read(fabric_.completions(), entries.data(), entries.size());
    } while (count > 0);
    if (count != -FI_EAGAIN) take_error(count);
    for (const OfiCounted what : {OfiCounted::sends, OfiCounted::receives, OfiCounted::transfers}) {
      if (fi_cntr_readerr(fabric_.counter(what)) != 0) latch(-FI_EIO, "what a counter counts");
    }
  }

  void take_notice(int rank) noexcept {
    OfiPeer<Target>& from = with({rank});
    if (from.expected_notices == 0) {
      ++from.early_notices;
      return;
    }
    --from.expected_notices;
    --receives_;
  }

  void take_error(ssize_t status) noexcept {
    const auto [code, during] = fabric_.failure(status);
    latch(code, during);
  }

  void latch(ssize_t status, const char* during) noexcept {
    if (fault_.code != 0) return;
    const int code = static_cast<int>(status);
    fault_ = {code, during, is_connection_lost(-code) ? peer_is_gone : fi_strerror(-code)};
  }

  KnownPeers known_;
  // In the order of making: memory may be bound to an endpoint, an endpoint is to a queue.
  OfiFabric fabric_;
  Reach reach_;
  OfiMemory memory_;
  Operations<OfiOwn<Target>> operations_;
  Backlog waiting_sends_;
  Backlog waiting_receives_;
  Backlog waiting_transfers_;
  std::vector<OfiPeer<Target>> peers_;
  EndedPeers ended_;
  std::uint64_t my_tag_;
  /// Shorter messages are injected. One would count on the counter of sends, but nobody waits.
  std::size_t inject_below_;
  bool trusts_last_byte_;
  std::uint32_t sends_ = 0;
  std::uint32_t receives_ = 0;
  std::uint32_t transfers_ = 0;
  /// Where a flush has to look: where the last put to each rank went that none followed yet.
  std::vector<RemoteBuffer> last_put_;
  Buffer flushed_;
  /// How much of each counter the operations have followed.
  std::array<std::uint64_t, ofi_counters> followed_{};
  std::uint32_t probes_ = 0;
  Fault fault_;
  std::int64_t connecting_ns_ = 0;
};

}  // namespace weft

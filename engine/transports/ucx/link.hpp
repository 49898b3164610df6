// What all modes of UCX share: requests, progress, one-sided transfers, sleeping.
//
// UCX allocates and calls through pointers as it likes; our part of a request is made beforehand.
#pragma once

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/memory.hpp"
#include "transports/parts/connecting.hpp"
#include "transports/parts/ended_peers.hpp"
#include "transports/parts/first_contact.hpp"
#include "transports/parts/known_peers.hpp"
#include "transports/parts/operations.hpp"
#include "transports/parts/registration_cache.hpp"
#include "transports/ucx/log.hpp"
#include "transports/ucx/notes.hpp"
#include "transports/ucx/worker.hpp"

namespace weft {

class UcxLink;

/// UCX's part of a request is right before `memory`.
struct UcxOwn {
  UcxLink* link = nullptr;
  void* memory = nullptr;
};
// ucx_info -cf: how memory is registered with InfiniBand devices, and the cache of the others.
inline constexpr std::array ucx_cache{CacheSwitch{"UCX_IB_REG_METHODS", "direct"},
                                      CacheSwitch{"UCX_RCACHE_ENABLE", "n"}};
using UcxRequest = Operation<UcxOwn>;
using UcxQueue = OperationQueue<UcxOwn>;

/// A mode derives from it and adds its messages.
class UcxLink {
 public:
  static constexpr std::string_view name = "ucx";
  static constexpr auto settings = ucx_settings;

  UcxLink(const UcxLink&) = delete;
  UcxLink& operator=(const UcxLink&) = delete;
  UcxLink(UcxLink&&) = delete;
  UcxLink& operator=(UcxLink&&) = delete;

  [[nodiscard]] bool adopts_at_once() const noexcept { return registers_sides_; }
  [[nodiscard]] Buffer adopt(const Buffer& memory) {
    if (!registers_ahead_) return memory;
    worker_.make_room(1);
    return register_memory(memory);
  }
  void disown(const Buffer& buffer) {
    if (buffer.key != 0) deregister_memory(buffer);
  }
  [[nodiscard]] bool registers_ahead() const noexcept { return registers_ahead_; }
  void make_room(std::size_t count) { worker_.make_room(count); }
  Buffer register_memory(const Buffer& memory) noexcept {
    ucs_status_t status = UCS_OK;
    const std::uint64_t key = worker_.enter(memory, status);
    latch(status, "ucp_mem_map");
    return {memory.data, memory.bytes, key};
  }
  void deregister_memory(const Buffer& memory) noexcept {
    latch(worker_.forget(memory.key), "ucp_mem_unmap");
  }
  /// Opened memory is UCX's own: only that is reached without a copy in between.
  static constexpr bool opens_own_memory = true;
  [[nodiscard]] Opened expose(const Buffer& memory) { return worker_.expose(memory.bytes); }
  void withdraw(const Buffer& local) { worker_.withdraw(local); }
  [[nodiscard]] RemoteBuffer reach(int rank, std::size_t bytes, const std::string& theirs) {
    return worker_.reach(rank, bytes, theirs);
  }
  void leave(const RemoteBuffer& remote) { worker_.leave(remote); }
  [[nodiscard]] std::string memory_polling_hazard() const {
    if (trusts_last_byte_) return "";
    return "UCX does not promise that the last byte of a put comes last; --option "
           "ucx.trust_last_byte=yes assumes it, as ucx_perftest does";
  }

  void put(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    UcxRequest* request = transfer(peer);
    if (request == nullptr) return;
    began(request,
          ucp_put_nbx(worker_.endpoint(peer.rank), local.data, local.bytes, remote.address,
                      worker_.remote_key(remote.key), &how_),
          "ucp_put_nbx");
  }
  void get(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    UcxRequest* request = transfer(peer);
    if (request == nullptr) return;
    began(request,
          ucp_get_nbx(worker_.endpoint(peer.rank), local.data, local.bytes, remote.address,
                      worker_.remote_key(remote.key), &how_),
          "ucp_get_nbx");
  }
  void flush(Peer peer) noexcept {
    UcxRequest* request = transfer(peer);
    if (request == nullptr) return;
    began(request, ucp_ep_flush_nbx(worker_.endpoint(peer.rank), &how_), "ucp_ep_flush_nbx");
  }

  void poll() noexcept { ucp_worker_progress(worker_.handle()); }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return sends_; }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept { return receives_; }
  [[nodiscard]] std::uint32_t sends_in_flight(Peer peer) const noexcept {
    return peers_[static_cast<std::size_t>(peer.rank)].sends.count;
  }
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept {
    return peers_[static_cast<std::size_t>(peer.rank)].receives.count;
  }
  int take_ended() noexcept { return ended_.take(); }
  [[nodiscard]] std::uint32_t transfers_in_flight() const noexcept { return transfers_; }
  [[nodiscard]] const Fault* fault() const noexcept { return fault_.code == 0 ? nullptr : &fault_; }

  /// What was really used, for the record.
  [[nodiscard]] Details details() const {
    Details reported = worker_.details();
    for (const auto& note : ucx_classes(reported, infiniband_folder)) reported.push_back(note);
    reported.push_back(registration_cache_note(ucx_cache));
    reported.push_back(connecting_note(connecting_ns_));
    return reported;
  }
  static void before_start(const LinkOptions& options) {
    switch_registration_cache(options, ucx_cache);
    set_classes(options);
  }

 protected:
  static constexpr const char* other_devices = "choose other ucx.device and ucx.tls";
  static constexpr const char* infiniband_folder = "/sys/class/infiniband";

  UcxLink(const LinkOptions& options, std::uint64_t features, Bootstrap& boot)
      : boot_(&boot),
        options_(options),
        known_(boot.size()),
        worker_(options, features | UCP_FEATURE_RMA, boot),
        peers_(static_cast<std::size_t>(boot.size())),
        ended_(boot.size()),
        trusts_last_byte_(options.flag("trust_last_byte", false)),
        registers_ahead_(options.flag("register_ahead", false)),
        registers_sides_(registers_sides(options, registers_ahead_)) {
    how_.op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_CALLBACK |
                        UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
    if (options.flag("multi_send", false)) how_.op_attr_mask |= UCP_OP_ATTR_FLAG_MULTI_SEND;
    how_.memory_type = UCS_MEMORY_TYPE_HOST;
    how_.cb.send = on_sent;  // NOLINT(*-union-access): UCX's type
    receive_ = how_;
    for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
      PeerRequests& peer = peers_[rank];
      peer.sends.peer = peer.receives.peer = peer.transfers.peer = static_cast<int>(rank);
    }
  }
  ~UcxLink() { unmap_memory(memory_); }

  UcxWorker& worker() noexcept { return worker_; }

  template <class Whole>
  void begin(Whole& whole) {
    connecting_ns_ = connecting_ns(*boot_, [&] { connect(whole, first_neighbours(*boot_)); });
    worker_.refuse_class_without_rdma(options_);
  }
  /// What `reserve` of the whole link is.
  template <class Whole>
  void ready(Whole& whole, std::size_t depth, std::span<const int> ranks) {
    connect(whole, ranks);
    make_room_for_messages(depth, std::max<std::size_t>(ranks.size(), 1));
  }

  /// Only with UCP_FEATURE_WAKEUP.
  void sleep() noexcept {
    constexpr int longest_ms = 100;
    if (ucp_worker_progress(worker_.handle()) != 0) return;
    const ucs_status_t armed = ucp_worker_arm(worker_.handle());
    if (armed == UCS_ERR_BUSY) return;  // something came since: to sleep now would lose it
    latch(armed, "ucp_worker_arm");
    pollfd event{worker_.event_file(), POLLIN, 0};
    if (::poll(&event, 1, longest_ms) < 0 && errno != EINTR) latch(UCS_ERR_IO_ERROR, "poll");
  }

  UcxRequest* begin_send(Peer peer, const Buffer& buffer) noexcept {
    UcxRequest* request = prepared(with(peer).sends, sends_);
    tell_memory(how_, buffer);
    return request;
  }
  UcxRequest* take_receive(Peer peer) noexcept { return take(with(peer).receives, receives_); }
  void prepare_receive(UcxRequest* request, const Buffer& buffer) noexcept {
    receive_.request = request->own.memory;
    receive_.user_data = request;
    tell_memory(receive_, buffer);
  }
  UcxRequest* begin_receive(Peer peer, const Buffer& buffer) noexcept {
    UcxRequest* request = take_receive(peer);
    if (request != nullptr) prepare_receive(request, buffer);
    return request;
  }
  const ucp_request_param_t& how_to_send() const noexcept { return how_; }
  ucp_request_param_t& how_to_receive() noexcept { return receive_; }

  // UCX ends an operation in the call itself, or calls back later.
  void began(UcxRequest* request, ucs_status_ptr_t status, const char* during) noexcept {
    if (status == nullptr) {
      requests_.finish(request, ended_);
    } else if (UCS_PTR_IS_ERR(status)) {
      latch(UCS_PTR_STATUS(status), during);
    }
  }
  void ended(UcxRequest* request, ucs_status_t status, const char* during) noexcept {
    latch(status, during);
    requests_.finish(request, ended_);
  }

  void latch(ucs_status_t status, const char* during) noexcept {
    if (status != UCS_OK && fault_.code == 0) fault_ = {status, during, ucx_cause(status)};
  }

  static void on_received(void* /*memory*/, ucs_status_t status,
                          const ucp_tag_recv_info_t* /*info*/, void* user) noexcept {
    auto* request = static_cast<UcxRequest*>(user);
    request->own.link->ended(request, status, "receiving a tagged message");
  }
  static void on_fetched(void* /*memory*/, ucs_status_t status, std::size_t /*bytes*/,
                         void* user) noexcept {
    auto* request = static_cast<UcxRequest*>(user);
    request->own.link->ended(request, status, "fetching an active message");
  }

 private:
  static constexpr auto memory_is_given = static_cast<std::uint32_t>(UCP_OP_ATTR_FIELD_MEMH);

  struct PeerRequests {
    UcxQueue sends = {};
    UcxQueue receives = {};
    UcxQueue transfers = {};
  };

  // UCX reads its variables when it starts.
  static void set_classes(const LinkOptions& options) {
    constexpr int overwrite = 1;
    const auto set = [&](const Setting& setting, const char* variable) {
      const int value = options.number(setting, -1);
      if (value >= 0) setenv(variable, std::to_string(value).c_str(), overwrite);
    };
    set(ucx_traffic_class_setting, "UCX_IB_TRAFFIC_CLASS");
    set(ucx_service_level_setting, "UCX_IB_SL");
  }

  template <class Whole>
  void connect(Whole& whole, std::span<const int> ranks) {
    const std::vector<int> unknown = known_.take_new(ranks);
    if (unknown.empty()) return;
    worker_.connect(unknown, {on_peer_gone, this});
    constexpr std::size_t of_contact = 2;
    make_room_for_messages(of_contact, unknown.size());
    make_first_contact(whole, *boot_, unknown,
                       soft_roce_hint(worker_.details(), infiniband_folder) + other_devices);
  }
  // So many sends, receives and transfers each.
  void make_room_for_messages(std::size_t depth, std::size_t peers) {
    constexpr std::size_t line = 64;
    worker_.make_room(2 * depth * peers);
    const std::size_t count = 3 * depth * peers;
    if (count <= requests_.count()) return;
    const std::size_t stride = (worker_.request_bytes() + line - 1) / line * line + line;
    unmap_memory(memory_);
    memory_ = map_memory(count * stride);
    requests_.reserve(count, [&](UcxOwn& own, std::size_t at) {
      own = {this, memory_.data + (at + 1) * stride - line};
    });
  }

  PeerRequests& with(Peer peer) noexcept { return peers_[static_cast<std::size_t>(peer.rank)]; }
  UcxRequest* take(UcxQueue& queue, std::uint32_t& in_flight) noexcept {
    UcxRequest* request = requests_.take(queue, in_flight);
    if (request == nullptr && fault_.code == 0) fault_ = too_much_posted(UCS_ERR_NO_RESOURCE);
    return request;
  }
  UcxRequest* prepared(UcxQueue& queue, std::uint32_t& in_flight) noexcept {
    UcxRequest* request = take(queue, in_flight);
    if (request == nullptr) return nullptr;
    how_.request = request->own.memory;
    how_.user_data = request;
    return request;
  }
  UcxRequest* transfer(Peer peer) noexcept {
    how_.op_attr_mask &= ~memory_is_given;
    return prepared(with(peer).transfers, transfers_);
  }
  // A registration of ours, which UCX need not look for then.
  void tell_memory(ucp_request_param_t& how, const Buffer& buffer) noexcept {
    how.op_attr_mask &= ~memory_is_given;
    if (buffer.key == 0) return;
    how.op_attr_mask |= memory_is_given;
    how.memh = worker_.memory(buffer.key);
  }

  static void on_sent(void* /*memory*/, ucs_status_t status, void* user) noexcept {
    auto* request = static_cast<UcxRequest*>(user);
    request->own.link->ended(request, status, "sending");
  }
  static void on_peer_gone(void* user, ucp_ep_h /*endpoint*/, ucs_status_t status) noexcept {
    static_cast<UcxLink*>(user)->latch(status, "the endpoint of a peer");
  }

  Bootstrap* boot_;
  LinkOptions options_;
  KnownPeers known_;
  UcxWorker worker_;
  Operations<UcxOwn> requests_;
  Buffer memory_;
  std::vector<PeerRequests> peers_;
  EndedPeers ended_;
  std::uint32_t sends_ = 0;
  std::uint32_t receives_ = 0;
  std::uint32_t transfers_ = 0;
  Fault fault_;
  std::int64_t connecting_ns_ = 0;
  bool trusts_last_byte_;
  bool registers_ahead_;
  bool registers_sides_;
  ucp_request_param_t how_{};
  ucp_request_param_t receive_{};
};

}  // namespace weft

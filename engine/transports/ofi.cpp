// libfabric: tagged messages and transfers over endpoints that reach every rank (FI_EP_RDM).
//
// A provider that has no room now (FI_EAGAIN) is asked again by each poll, in the order of posting.
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <array>
#include <string_view>
#include <vector>

#include "../connecting.hpp"
#include "../greeting.hpp"
#include "../memory.hpp"
#include "../ofi_fabric.hpp"
#include "../operations.hpp"
#include "../rank.hpp"
#include "../registration_cache.hpp"
#include "../ring.hpp"

namespace weft {

/// `context` is the library's as long as the operation is its.
struct OfiOwn {
  fi_context2 context = {};
  fi_addr_t peer = 0;
  std::uint64_t tag = 0;
  RemoteBuffer remote = {};
  std::uint64_t flags = 0;
  bool reads = false;
};
// fi_mr(3): a count of zero disables the cache.
constexpr std::array ofi_cache{CacheSwitch{"FI_MR_CACHE_MAX_COUNT", "0"}};
using OfiOperation = Operation<OfiOwn>;
using OfiQueue = OperationQueue<OfiOwn>;

/// What all modes share. The modes differ in whether completions can be waited for asleep.
class OfiLink {
 public:
  static constexpr std::string_view name = "ofi";
  static constexpr auto settings = ofi_settings;

  OfiLink(const OfiLink&) = delete;
  OfiLink& operator=(const OfiLink&) = delete;
  OfiLink(OfiLink&&) = delete;
  OfiLink& operator=(OfiLink&&) = delete;

  static std::string unusable() { return OfiFabric::unusable(); }
  [[nodiscard]] Buffer allocate(std::size_t bytes) { return fabric_.allocate(bytes); }
  void release(const Buffer& buffer) { fabric_.release(buffer); }
  [[nodiscard]] bool registers_ahead() const noexcept { return fabric_.registers_ahead(); }
  void make_room(std::size_t count) { fabric_.make_room(count); }
  Buffer register_memory(const Buffer& memory) noexcept {
    int error = 0;
    const std::uint64_t key = fabric_.enter(memory, message_access, error);
    if (error != 0) latch(error, "fi_mr_reg");
    return {memory.data, memory.bytes, key};
  }
  void deregister_memory(const Buffer& memory) noexcept {
    const int error = fabric_.forget(memory.key);
    if (error != 0) latch(error, "closing a memory region");
  }
  // So many sends, receives and transfers each.
  void reserve(std::size_t depth, std::size_t peers) {
    fabric_.make_room(2 * depth * peers);
    const std::size_t count = 3 * depth * peers;
    if (count <= operations_.count()) return;
    operations_.reserve(count, [](OfiOwn& /*own*/, std::size_t /*at*/) {});
    for (Waiting* waiting : {&waiting_sends_, &waiting_receives_, &waiting_transfers_}) {
      waiting->reserve(count);
    }
  }

  [[nodiscard]] Exposed allocate_exposed(std::size_t bytes) { return fabric_.expose(bytes); }
  void release_exposed(const Exposed& exposed) { fabric_.release(exposed.local); }
  [[nodiscard]] std::string memory_polling_hazard() const {
    if (trusts_last_byte_ || fabric_.writes_in_order()) return "";
    return "the provider does not promise FI_ORDER_DATA, that the last byte of a put comes last; "
           "--option ofi.trust_last_byte=yes assumes it";
  }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    if (buffer.bytes <= inject_bytes_ && waiting_sends_.empty()) {
      const ssize_t status =
          fi_tinject(fabric_.endpoint(), buffer.data, buffer.bytes, fabric_.address(peer), my_tag_);
      if (status == 0) return;
      if (status != -FI_EAGAIN) return latch(status, "fi_tinject");
    }
    OfiOperation* operation = take(lane(peer).sends, sends_, buffer);
    if (operation == nullptr) return;
    operation->own.peer = fabric_.address(peer);
    operation->own.tag = my_tag_;
    begin(waiting_sends_, operation, send, "fi_tsend");
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    OfiOperation* operation = take(lane(peer).receives, receives_, buffer);
    if (operation == nullptr) return;
    operation->own.tag = static_cast<std::uint64_t>(peer.rank);
    begin(waiting_receives_, operation, receive, "fi_trecv");
  }

  void put(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    transfer(peer, local, remote, FI_COMPLETION | FI_DELIVERY_COMPLETE, false);
  }
  void get(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    transfer(peer, local, remote, FI_COMPLETION, true);
  }
  // A put counts as in flight until its data are in place: nothing is left to wait for.
  void flush(Peer /*peer*/) const noexcept {}

  // A notice that came before it was expected is kept.
  void expect_notice(Peer peer) noexcept {
    Lane& from = lane(peer);
    if (from.early_notices > 0) {
      --from.early_notices;
      return;
    }
    ++from.expected_notices;
    ++receives_;
  }
  void put_notify(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    transfer(peer, local, remote, FI_COMPLETION | FI_DELIVERY_COMPLETE | FI_REMOTE_CQ_DATA, false);
  }

  void poll() noexcept {
    std::array<fi_cq_data_entry, batch> entries;  // NOLINT(*-member-init): read as far as filled
    take_in(entries.data(), fi_cq_read(fabric_.completions(), entries.data(), entries.size()));
    if (!waiting_sends_.empty()) retry(waiting_sends_, send, "fi_tsend");
    if (!waiting_receives_.empty()) retry(waiting_receives_, receive, "fi_trecv");
    if (!waiting_transfers_.empty()) retry(waiting_transfers_, move, "a transfer");
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return sends_; }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept { return receives_; }
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept {
    return lanes_[static_cast<std::size_t>(peer.rank)].receives.count;
  }
  [[nodiscard]] std::uint32_t transfers_in_flight() const noexcept { return transfers_; }
  [[nodiscard]] const Fault* fault() const noexcept { return fault_.code == 0 ? nullptr : &fault_; }

  /// What was really used, for the record.
  [[nodiscard]] Details details() const {
    Details told = fabric_.details();
    told.push_back(registration_cache_note(ofi_cache));
    told.push_back(connecting_note(connecting_ns_));
    return told;
  }
  static void before_start(const LinkOptions& options) {
    switch_registration_cache(options, ofi_cache);
  }

 protected:
  OfiLink(const LinkOptions& options, bool sleeps, Bootstrap& boot)
      : fabric_(options, sleeps, boot),
        lanes_(static_cast<std::size_t>(boot.size())),
        my_tag_(static_cast<std::uint64_t>(boot.rank())),
        inject_bytes_(options.flag("inject", true) ? fabric_.inject_bytes() : 0),
        trusts_last_byte_(options.flag("trust_last_byte", false)) {}
  ~OfiLink() = default;

  template <class Whole>
  void connect(Whole& whole, Bootstrap& boot) {
    connecting_ns_ = connecting_ns(boot, [&] {
      fabric_.find_peers();
      greet(whole, boot, "choose another ofi.provider or ofi.domain");
    });
  }

  void sleep() noexcept {
    constexpr int longest_ms = 100;
    const bool idle =
        waiting_sends_.empty() && waiting_receives_.empty() && waiting_transfers_.empty();
    if (!idle) return poll();
    std::array<fi_cq_data_entry, batch> entries;  // NOLINT(*-member-init): read as far as filled
    take_in(entries.data(), fi_cq_sread(fabric_.completions(), entries.data(), entries.size(),
                                        nullptr, longest_ms));
  }

 private:
  static constexpr std::size_t batch = 16;
  using Waiting = Ring<OfiOperation*>;
  struct Lane {
    OfiQueue sends = {};
    OfiQueue receives = {};
    OfiQueue transfers = {};
    std::uint32_t expected_notices = 0;
    std::uint32_t early_notices = 0;
  };

  Lane& lane(Peer peer) noexcept { return lanes_[static_cast<std::size_t>(peer.rank)]; }

  OfiOperation* take(OfiQueue& queue, std::uint32_t& in_flight, const Buffer& buffer) noexcept {
    OfiOperation* operation = operations_.take(queue, in_flight);
    if (operation == nullptr) {
      latch(-FI_ENOSPC, "posting beyond the queue's depth");
      return nullptr;
    }
    operation->buffer = buffer;
    return operation;
  }

  void transfer(Peer peer, const Buffer& local, const RemoteBuffer& remote, std::uint64_t flags,
                bool reads) noexcept {
    OfiOperation* operation = take(lane(peer).transfers, transfers_, local);
    if (operation == nullptr) return;
    operation->own.peer = fabric_.address(peer);
    operation->own.tag = my_tag_;
    operation->own.remote = remote;
    // shm (libfabric 1.17) never completes an empty write whose delivery is asked for.
    operation->own.flags = local.bytes == 0 ? flags & ~FI_DELIVERY_COMPLETE : flags;
    operation->own.reads = reads;
    begin(waiting_transfers_, operation, move, "a transfer");
  }

  // The calls of the library, each for an operation that says everything.
  static constexpr auto send = [](const OfiFabric& fabric, OfiOperation* operation) noexcept {
    return fi_tsend(fabric.endpoint(), operation->buffer.data, operation->buffer.bytes,
                    fabric.descriptor(operation->buffer), operation->own.peer, operation->own.tag,
                    operation);
  };
  static constexpr auto receive = [](const OfiFabric& fabric, OfiOperation* operation) noexcept {
    return fi_trecv(fabric.endpoint(), operation->buffer.data, operation->buffer.bytes,
                    fabric.descriptor(operation->buffer), FI_ADDR_UNSPEC, operation->own.tag, 0,
                    operation);
  };
  static constexpr auto move = [](const OfiFabric& fabric, OfiOperation* operation) noexcept {
    const iovec local{operation->buffer.data, operation->buffer.bytes};
    const fi_rma_iov remote{operation->own.remote.address, operation->buffer.bytes,
                            operation->own.remote.key};
    void* descriptor = fabric.descriptor(operation->buffer);
    const fi_msg_rma message{.msg_iov = &local,
                             .desc = &descriptor,
                             .iov_count = 1,
                             .addr = operation->own.peer,
                             .rma_iov = &remote,
                             .rma_iov_count = 1,
                             .context = operation,
                             .data = operation->own.tag};
    return operation->own.reads ? fi_readmsg(fabric.endpoint(), &message, operation->own.flags)
                                : fi_writemsg(fabric.endpoint(), &message, operation->own.flags);
  };

  template <class Call>
  void begin(Waiting& waiting, OfiOperation* operation, Call call, const char* during) noexcept {
    const ssize_t status = waiting.empty() ? call(fabric_, operation) : -FI_EAGAIN;
    if (status == -FI_EAGAIN) {
      waiting.push(operation);
    } else if (status != 0) {
      latch(status, during);
    }
  }
  template <class Call>
  void retry(Waiting& waiting, Call call, const char* during) noexcept {
    while (!waiting.empty()) {
      const ssize_t status = call(fabric_, waiting.front());
      if (status == -FI_EAGAIN) return;
      if (status != 0) return latch(status, during);
      waiting.pop();
    }
  }

  void take_in(const fi_cq_data_entry* entries, ssize_t count) noexcept {
    if (count == -FI_EAGAIN || count == -FI_EINTR || count == -FI_ECANCELED) return;
    if (count < 0) return take_error(count);
    for (ssize_t at = 0; at < count; ++at) {
      const fi_cq_data_entry& entry = entries[at];
      // A notice has no operation of ours; a put with a notice, at its sender, is a write.
      if ((entry.flags & FI_REMOTE_WRITE) != 0 ||
          ((entry.flags & FI_REMOTE_CQ_DATA) != 0 && (entry.flags & FI_RMA) != 0 &&
           (entry.flags & FI_WRITE) == 0)) {
        take_notice(static_cast<int>(entry.data));
      } else if (entry.op_context != nullptr) {
        operations_.finish(static_cast<OfiOperation*>(entry.op_context));
      }
    }
  }

  void take_notice(int rank) noexcept {
    Lane& from = lane({rank});
    if (from.expected_notices == 0) {
      ++from.early_notices;
      return;
    }
    --from.expected_notices;
    --receives_;
  }

  void take_error(ssize_t status) noexcept {
    fi_cq_err_entry error{};
    if (status != -FI_EAVAIL || fi_cq_readerr(fabric_.completions(), &error, 0) < 1) {
      return latch(status, "fi_cq_read");
    }
    const bool sends = (error.flags & FI_SEND) != 0;
    const bool receives = (error.flags & FI_RECV) != 0;
    latch(-error.err, sends ? "sending" : (receives ? "receiving" : "a transfer"));
  }

  void latch(ssize_t status, const char* during) noexcept {
    if (fault_.code == 0) fault_ = {static_cast<int>(status), during};
  }

  OfiFabric fabric_;
  Operations<OfiOwn> operations_;
  Waiting waiting_sends_;
  Waiting waiting_receives_;
  Waiting waiting_transfers_;
  std::vector<Lane> lanes_;
  std::uint64_t my_tag_;
  std::size_t inject_bytes_;
  bool trusts_last_byte_;
  std::uint32_t sends_ = 0;
  std::uint32_t receives_ = 0;
  std::uint32_t transfers_ = 0;
  Fault fault_;
  std::int64_t connecting_ns_ = 0;
};

/// The usual way: completions are polled and cost no signal.
class OfiTagged final : public OfiLink {
 public:
  static constexpr std::string_view mode = "tagged";
  static constexpr std::string_view summary =
      "libfabric's tagged messages (fi_tsend), fi_write and fi_read";

  OfiTagged(const LinkOptions& options, Bootstrap& boot) : OfiLink(options, false, boot) {
    connect(*this, boot);
  }
};

/// The same with a completion queue that can be waited for asleep.
class OfiWaiting final : public OfiLink {
 public:
  static constexpr std::string_view mode = "wait";
  static constexpr std::string_view summary =
      "the same with completions that can be waited for asleep (fi_cq_sread)";

  OfiWaiting(const LinkOptions& options, Bootstrap& boot) : OfiLink(options, true, boot) {
    connect(*this, boot);
  }
  void block() noexcept { sleep(); }
};

}  // namespace weft

int main(int argc, char** argv) {
  weft::tell_libfabric_of_the_ranks();
  return weft::rank_main<weft::OfiTagged, weft::OfiWaiting>(argc, argv);
}

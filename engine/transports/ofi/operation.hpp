// One operation of libfabric's, the calls for transfers that all kinds of endpoints share, and the
// operations that a provider had no room for.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <cstdint>
#include <vector>

#include "contract/transport.hpp"
#include "transports/parts/fixed_queue.hpp"
#include "transports/parts/operations.hpp"

namespace weft {

/// `context` is the library's as long as the operation is its. `target` names the peer to the
/// library: an address, or an endpoint that is connected to it.
template <class Target>
struct OfiOwn {
  fi_context2 context = {};
  Target target = {};
  std::uint64_t tag = 0;
  RemoteBuffer remote = {};
  std::uint64_t flags = 0;
  bool reads = false;
};

/// Operations with one peer; of all peers where nothing tells whose ended.
template <class Target>
struct OfiPeer {
  OperationQueue<OfiOwn<Target>> sends = {};
  OperationQueue<OfiOwn<Target>> receives = {};
  OperationQueue<OfiOwn<Target>> transfers = {};
  std::uint32_t expected_notices = 0;
  std::uint32_t early_notices = 0;
};

/// Those of so many peers.
template <class Target>
std::vector<OfiPeer<Target>> ofi_peers(int count) {
  std::vector<OfiPeer<Target>> peers(static_cast<std::size_t>(count));
  for (int rank = 0; rank < count; ++rank) {
    OfiPeer<Target>& peer = peers[static_cast<std::size_t>(rank)];
    peer.sends.peer = peer.receives.peer = peer.transfers.peer = rank;
  }
  return peers;
}

/// Begin a put or a get, or the library's code where it cannot (-FI_EAGAIN: not now).
template <class Target>
ssize_t move_over(fid_ep* endpoint, fi_addr_t address, Operation<OfiOwn<Target>>* operation,
                  void* descriptor) noexcept {
  const iovec local{operation->buffer.data, operation->buffer.bytes};
  const fi_rma_iov remote{operation->own.remote.address, operation->buffer.bytes,
                          operation->own.remote.key};
  const fi_msg_rma message{.msg_iov = &local,
                           .desc = &descriptor,
                           .iov_count = 1,
                           .addr = address,
                           .rma_iov = &remote,
                           .rma_iov_count = 1,
                           .context = operation,
                           .data = operation->own.tag};
  return operation->own.reads ? fi_readmsg(endpoint, &message, operation->own.flags)
                              : fi_writemsg(endpoint, &message, operation->own.flags);
}

/// Whether an entry of a completion queue is a peer's notice, which has no operation of ours. The
/// sender's own entry is a write. Only notices carry data; shm of libfabric 2 flags nothing else.
inline bool is_notice(const fi_cq_data_entry& entry) noexcept {
  if ((entry.flags & FI_REMOTE_WRITE) != 0) return true;
  return (entry.flags & FI_REMOTE_CQ_DATA) != 0 && (entry.flags & FI_WRITE) == 0;
}

/// Operations that the provider had no room for (FI_EAGAIN), in the order of posting. `call` begins
/// one and gives the library's code.
template <class Item>
class OfiBacklog {
 public:
  void reserve(std::size_t count) { waiting_.reserve(count); }
  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }

  /// Begins an operation, or keeps it behind those that wait. The code of a failure, or 0.
  template <class Call>
  ssize_t begin(Item* operation, const Call& call) noexcept {
    const ssize_t status = waiting_.empty() ? call(operation) : -FI_EAGAIN;
    if (status != -FI_EAGAIN) return status;
    waiting_.push(operation);
    return 0;
  }
  /// Begins those that wait, as long as there is room. The code of a failure, or 0.
  template <class Call>
  ssize_t retry(const Call& call) noexcept {
    while (!waiting_.empty()) {
      const ssize_t status = call(waiting_.front());
      if (status != 0) return status == -FI_EAGAIN ? 0 : status;
      waiting_.pop();
    }
    return 0;
  }

 private:
  FixedQueue<Item*> waiting_;
};

}  // namespace weft

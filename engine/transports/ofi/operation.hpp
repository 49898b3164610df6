// One operation of libfabric's, and the calls for transfers that all kinds of endpoints share.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_rma.h>

#include <cstdint>

#include "contract/transport.hpp"
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

}  // namespace weft

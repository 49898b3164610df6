// libfabric's endpoint that reaches every rank (FI_EP_RDM), with tagged messages.
#pragma once

#include <rdma/fi_endpoint.h>
#include <rdma/fi_tagged.h>

#include <cstdint>
#include <span>
#include <vector>

#include "transports/ofi/fabric.hpp"
#include "transports/ofi/operation.hpp"

namespace weft {

/// One endpoint and an address vector. A message's tag is its sender's rank.
class OfiEndpoint {
 public:
  using Target = fi_addr_t;
  using Item = Operation<OfiOwn<Target>>;
  static constexpr bool connects = false;
  static constexpr const char* send_call = "fi_tsend";
  static constexpr const char* receive_call = "fi_trecv";
  static constexpr const char* inject_call = "fi_tinject";

  /// Throws where the provider refuses.
  explicit OfiEndpoint(const OfiFabric& fabric);

  /// Learn the addresses of these ranks, which learn this one's at once.
  void find(std::span<const int> ranks);
  /// What memory is bound to, where a provider wants that.
  [[nodiscard]] fid_ep* for_memory() const noexcept { return endpoint_.get(); }

  [[nodiscard]] Target target(Peer peer) const noexcept {
    return addresses_[static_cast<std::size_t>(peer.rank)];
  }
  [[nodiscard]] Target target_of_transfers(Peer peer) const noexcept { return target(peer); }
  /// What a put asks its completion to mean: that the data are in place.
  [[nodiscard]] static constexpr std::uint64_t delivery() noexcept { return FI_DELIVERY_COMPLETE; }

  // The calls of the library, each for an operation that says everything.
  [[nodiscard]] ssize_t inject(Peer peer, const Buffer& buffer, std::uint64_t tag) const noexcept {
    return fi_tinject(endpoint_.get(), buffer.data, buffer.bytes, target(peer), tag);
  }
  ssize_t send(Item* operation, void* descriptor) const noexcept {
    return fi_tsend(endpoint_.get(), operation->buffer.data, operation->buffer.bytes, descriptor,
                    operation->own.target, operation->own.tag, operation);
  }
  ssize_t receive(Item* operation, void* descriptor) const noexcept {
    return fi_trecv(endpoint_.get(), operation->buffer.data, operation->buffer.bytes, descriptor,
                    FI_ADDR_UNSPEC, operation->own.tag, 0, operation);
  }
  ssize_t move(Item* operation, void* descriptor) const noexcept {
    return move_over(endpoint_.get(), operation->own.target, operation, descriptor);
  }

 private:
  const OfiFabric* fabric_;
  FidOf<fid_av> table_;
  FidOf<fid_ep> endpoint_;
  /// By rank; none of a rank that was not needed yet.
  std::vector<fi_addr_t> addresses_;
};

}  // namespace weft

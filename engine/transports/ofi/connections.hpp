// libfabric's endpoints that are connected in pairs (FI_EP_MSG), with plain messages.
#pragma once

#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "transports/ofi/fabric.hpp"
#include "transports/ofi/operation.hpp"

namespace weft {

/// An endpoint to each rank that is needed; a second one for transfers where a notice takes a
/// receive (FI_RX_CQ_DATA): beside messages, one could take the other's.
class OfiConnections {
 public:
  using Target = fid_ep*;
  using Item = Operation<OfiOwn<Target>>;
  static constexpr bool connects = true;
  static constexpr const char* send_call = "fi_send";
  static constexpr const char* receive_call = "fi_recv";
  static constexpr const char* inject_call = "fi_inject";

  /// Throws where the provider refuses.
  explicit OfiConnections(const OfiFabric& fabric);

  /// Connect with these ranks, which connect with this one at once: the lower rank asks, the higher
  /// one accepts. Throws with the ranks that are missing where nothing more happens for as long as
  /// the ranks' patience lasts.
  void find(std::span<const int> ranks);
  /// Leave all of them: every rank does, and nothing is under way.
  void disconnect();
  /// No provider binds memory to an endpoint of many.
  [[nodiscard]] static fid_ep* for_memory() noexcept { return nullptr; }

  [[nodiscard]] Target target(Peer peer) const noexcept {
    return endpoints_[static_cast<std::size_t>(peer.rank) * per_peer_].get();
  }
  [[nodiscard]] Target target_of_transfers(Peer peer) const noexcept {
    return endpoints_[static_cast<std::size_t>(peer.rank) * per_peer_ + per_peer_ - 1].get();
  }
  /// What a put asks its completion to mean: that the data are in place, where the provider can.
  [[nodiscard]] std::uint64_t delivery() const noexcept { return delivery_; }
  /// A notice took a receive, which is given to the next one. False where it could not be.
  [[nodiscard]] bool expect_again(Peer peer, void* receive) const noexcept {
    return per_peer_ == 1 || expect_notice(target_of_transfers(peer), receive) == 0;
  }

  // The calls of the library, each for an operation that says everything.
  [[nodiscard]] ssize_t inject(Peer peer, const Buffer& buffer,
                               std::uint64_t /*tag*/) const noexcept {
    return fi_inject(target(peer), buffer.data, buffer.bytes, FI_ADDR_UNSPEC);
  }
  static ssize_t send(Item* operation, void* descriptor) noexcept {
    return fi_send(operation->own.target, operation->buffer.data, operation->buffer.bytes,
                   descriptor, FI_ADDR_UNSPEC, operation);
  }
  static ssize_t receive(Item* operation, void* descriptor) noexcept {
    return fi_recv(operation->own.target, operation->buffer.data, operation->buffer.bytes,
                   descriptor, FI_ADDR_UNSPEC, operation);
  }
  static ssize_t move(Item* operation, void* descriptor) noexcept {
    return move_over(operation->own.target, FI_ADDR_UNSPEC, operation, descriptor);
  }

 private:
  /// What a rank says of itself when it connects; the secret tells it from a stranger.
  struct Introduction {
    std::uint64_t secret = 0;
    std::uint32_t rank = 0;
    std::uint32_t endpoint = 0;
  };

  static ssize_t expect_notice(fid_ep* endpoint, void* receive) noexcept {
    return fi_recv(endpoint, nullptr, 0, nullptr, FI_ADDR_UNSPEC, receive);
  }
  void open_events();
  void listen();
  [[nodiscard]] std::string own_name() const;
  void open_endpoint(std::size_t index, fi_info* info);
  void ask(std::uint32_t rank, std::uint32_t endpoint, std::uint64_t secret,
           const std::string& name);
  [[nodiscard]] bool take_event();
  void accept(fi_info* request, const Introduction& from);
  [[nodiscard]] std::size_t index_of(const fid* endpoint) const;
  void pass_over_stranger(ssize_t status) const;
  [[noreturn]] void fail_late() const;
  void expect_notices(Peer peer);

  const OfiFabric* fabric_;
  std::size_t per_peer_;
  std::uint64_t delivery_;
  std::uint64_t secret_ = 0;
  FidOf<fid_eq> events_;
  FidOf<fid_pep> listener_;
  /// By rank, so many for each; one's own are empty.
  std::vector<FidOf<fid_ep>> endpoints_;
  std::vector<bool> connected_;
  /// Those that are being connected.
  std::vector<int> awaited_;
  /// What the library is given with the receives of notices: it stays where it is.
  std::deque<fi_context2> receives_;
};

}  // namespace weft

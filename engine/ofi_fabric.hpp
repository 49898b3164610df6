// The control plane of libfabric: a provider, its objects, the addresses of all ranks, memory.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bootstrap.hpp"
#include "case.hpp"
#include "options.hpp"
#include "places.hpp"
#include "registration_cache.hpp"
#include "transport.hpp"

namespace weft {

inline constexpr std::array ofi_settings{
    Setting{"provider", "as fi_info names it; usual: shm within a host, else libfabric's first"},
    Setting{"domain", "device, as fi_info names it; usual: the provider's first"},
    Setting{"inject", "yes: small messages without a completion; usual: yes"},
    Setting{"register_ahead",
            "yes: register the memory of messages beforehand though the provider does not ask for "
            "it; usual: as the provider asks"},
    registration_cache_setting,
    Setting{"trust_last_byte", "yes: take a put as whole once its last byte is there; usual: no"},
};

struct CloseFid {
  template <class Object>
  void operator()(Object* object) const noexcept {
    fi_close(&object->fid);
  }
};
template <class Object>
using FidOf = std::unique_ptr<Object, CloseFid>;

struct FreeInfo {
  void operator()(fi_info* info) const noexcept { fi_freeinfo(info); }
};
using FabricInfo = std::unique_ptr<fi_info, FreeInfo>;

/// Tells libfabric how many ranks there are (FI_UNIVERSE_SIZE), as the starter tells every rank: it
/// makes queues for 256 otherwise, which some devices refuse (Soft-RoCE). To be called before MPI
/// starts, which may use libfabric too. A value that is set already stays.
void tell_libfabric_of_the_ranks();

/// What memory of messages is registered for.
inline constexpr std::uint64_t message_access = FI_SEND | FI_RECV | FI_READ | FI_WRITE;

/// Owns the library's objects. Only `enter` and `forget` are called between two reads of the clock.
class OfiFabric {
 public:
  /// Throws for a provider or a domain that is not there, with what is. Collective.
  /// `sleeps`: completions can be waited for asleep, which costs those who do not.
  OfiFabric(const LinkOptions& options, bool sleeps, Bootstrap& boot);
  OfiFabric(const OfiFabric&) = delete;
  OfiFabric& operator=(const OfiFabric&) = delete;
  OfiFabric(OfiFabric&&) = delete;
  OfiFabric& operator=(OfiFabric&&) = delete;
  ~OfiFabric();

  /// Learn the addresses of all ranks. Collective.
  void find_peers();

  /// Memory that the provider may read and write; registered where it asks for that.
  Buffer allocate(std::size_t bytes);
  void release(const Buffer& buffer);

  /// Whether `allocate` registers: the provider asks for it, or the user.
  [[nodiscard]] bool registers_ahead() const noexcept { return registers_ahead_; }
  /// Room for so many more registrations.
  void make_room(std::size_t more) { regions_.make_room(more); }
  /// Registers memory that is there, with room made before: 0 and the library's code in `error`
  /// where it refuses.
  std::uint64_t enter(const Buffer& buffer, std::uint64_t access, int& error) noexcept;
  /// The library's code.
  int forget(std::uint64_t key) noexcept;

  /// Memory that the others may read and write. Collective.
  Exposed expose(std::size_t bytes);

  [[nodiscard]] fid_ep* endpoint() const noexcept { return endpoint_.get(); }
  [[nodiscard]] fid_cq* completions() const noexcept { return completions_.get(); }
  [[nodiscard]] fi_addr_t address(Peer peer) const noexcept {
    return addresses_[static_cast<std::size_t>(peer.rank)];
  }
  /// What the provider wants beside a local buffer: nothing if it registers by itself.
  [[nodiscard]] void* descriptor(const Buffer& buffer) const noexcept {
    return buffer.key == 0 ? nullptr : fi_mr_desc(region(buffer.key));
  }
  [[nodiscard]] std::size_t inject_bytes() const noexcept { return info_->tx_attr->inject_size; }
  /// The provider says that data are written into memory in order.
  [[nodiscard]] bool writes_in_order() const noexcept {
    return (info_->rx_attr->comp_order & FI_ORDER_DATA) != 0;
  }

  /// libfabric's own answer: provider, fabric, domain, protocol.
  [[nodiscard]] Details details() const;

  /// Why no provider can be used on this host; empty when one can.
  static std::string unusable();

 private:
  void open(bool sleeps);
  std::uint64_t remember(const Buffer& buffer, std::uint64_t access);
  [[nodiscard]] fid_mr* region(std::uint64_t key) const noexcept {
    return regions_[static_cast<std::uint32_t>(key - 1)];
  }

  Bootstrap* boot_;
  FabricInfo info_;
  FidOf<fid_fabric> fabric_;
  FidOf<fid_domain> domain_;
  FidOf<fid_av> table_;
  FidOf<fid_cq> completions_;
  FidOf<fid_ep> endpoint_;
  std::vector<fi_addr_t> addresses_;
  Places<fid_mr*> regions_;
  bool registers_ahead_;
  /// How often memory was registered: a key that the application chooses is never chosen twice.
  std::uint64_t entered_ = 0;
};

}  // namespace weft

// The control plane of libfabric: a provider, and the objects that all its endpoints share.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "contract/details.hpp"
#include "contract/options.hpp"
#include "contract/transport.hpp"
#include "transports/parts/registration_cache.hpp"
#include "transports/parts/traffic_class.hpp"

namespace weft {

inline constexpr std::string_view ofi_traffic_classes =
    "best_effort,low_latency,dedicated_access,bulk_data,scavenger,network_ctrl";

inline constexpr std::array ofi_settings{
    Setting{"provider", "as fi_info names it; default: shm within a host, else libfabric's first"},
    Setting{"domain",
            "device, as fi_info names it; default: the interface that joins the hosts, else the "
            "provider's first"},
    Setting{
        "traffic_class",
        "label of libfabric's (FI_TC_LOW_LATENCY ...), with providers cxi and efa; default: the "
        "provider's",
        0, 0, ofi_traffic_classes},
    Setting{"inject", "yes: small messages without a completion; default: yes", 0, 0, yes_or_no},
    Setting{"register_ahead",
            "yes: register the memory of messages in advance even if the provider does not require "
            "it; default: as the provider requires",
            0, 0, yes_or_no},
    regions_setting,
    registration_cache_setting,
    Setting{"trust_last_byte",
            "yes: take a put as complete once its last byte has arrived; default: no", 0, 0,
            yes_or_no},
};

// fi_mr(3): a count of zero disables the cache.
inline constexpr std::array ofi_cache{CacheSwitch{"FI_MR_CACHE_MAX_COUNT", "0"}};

/// How completions are learnt: each by an entry of a queue, or how many there were by counters.
enum class OfiLearns : std::uint8_t { by_queue, by_counters };

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

/// What a mode asks of a provider beside messages and transfers.
struct OfiWants {
  /// Completions can be waited for asleep, which costs those who do not.
  bool sleeps = false;
  /// Completions are counted, and make no entries of a queue.
  bool counts = false;
  /// Endpoints that are connected in pairs (FI_EP_MSG), instead of one that reaches all ranks.
  bool connects = false;
};

/// What each counter counts.
enum class OfiCounted : std::uint8_t { sends, receives, transfers };
inline constexpr std::size_t ofi_counters = 3;

/// What broke: the library's code, and what it was doing.
struct OfiFailure {
  ssize_t code;
  const char* during;
};

/// Throws with what failed, as libfabric says it, and the fix.
void require_ofi(std::int64_t status, const std::string& what);
[[noreturn]] void fail_ofi(const std::string& what, const std::string& fix);

/// A provider with its fabric, its domain, and what tells of completions.
class OfiFabric {
 public:
  /// Throws for a provider or a domain that is not there, with what is. Collective.
  OfiFabric(const LinkOptions& options, OfiWants wants, Bootstrap& boot);

  /// Completions of an endpoint are reported by our queue and counters. To be called before it is
  /// enabled.
  void bind_completions(fid_ep* endpoint) const;

  /// How many connected peers the completion queue has room for.
  [[nodiscard]] std::size_t most_peers() const noexcept { return most_peers_; }
  /// Another completion queue, for so many; nothing may be bound to the one before.
  void open_completions(std::size_t peers);

  /// Completions of puts can be asked to mean that the data are in place (FI_DELIVERY_COMPLETE).
  [[nodiscard]] bool delivers() const noexcept { return delivers_; }
  [[nodiscard]] Bootstrap& boot() const noexcept { return *boot_; }
  [[nodiscard]] fi_info* info() const noexcept { return info_.get(); }
  [[nodiscard]] fid_fabric* fabric() const noexcept { return fabric_.get(); }
  [[nodiscard]] fid_domain* domain() const noexcept { return domain_.get(); }
  [[nodiscard]] fid_cq* completions() const noexcept { return completions_.get(); }
  [[nodiscard]] fid_cntr* counter(OfiCounted what) const noexcept {
    return counters_[static_cast<std::size_t>(what)].get();
  }
  [[nodiscard]] std::string provider() const;
  /// The provider promises to write data into memory in order. libfabric 2 keeps the bit and warns
  /// at its name, FI_ORDER_DATA.
  [[nodiscard]] bool writes_in_order() const noexcept {
    constexpr std::uint64_t order_of_data = 1ULL << 16;
    return (info_->rx_attr->comp_order & order_of_data) != 0;
  }

  /// libfabric's own answer: provider, fabric, domain, protocol.
  [[nodiscard]] Details details() const;

  /// Shorter messages are injected, unless that was asked not to be.
  [[nodiscard]] std::size_t inject_below(const LinkOptions& options) const {
    return options.flag("inject", true) ? info_->tx_attr->inject_size + 1 : 0;
  }
  /// Why messages of a size cannot be had; empty when they can.
  [[nodiscard]] std::string refusal(std::size_t bytes) const;
  /// What a code of reading the completion queue stands for.
  [[nodiscard]] OfiFailure failure(ssize_t code) const noexcept;

  /// Why no provider can be used on this host; empty when one can.
  static std::string unusable(OfiWants wants);

 private:
  void choose_class(const LinkOptions& options);
  void open();

  Bootstrap* boot_;
  OfiWants wants_;
  FabricInfo info_;
  bool delivers_;
  std::string domains_;
  std::string traffic_class_ = unknown_class;
  FidOf<fid_fabric> fabric_;
  FidOf<fid_domain> domain_;
  std::size_t most_peers_ = 0;
  FidOf<fid_cq> completions_;
  std::array<FidOf<fid_cntr>, ofi_counters> counters_;
};

}  // namespace weft

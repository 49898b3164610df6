// The control plane of UCX: context, worker, an endpoint to each rank that is needed, opened
// memory.
#pragma once

#include <ucp/api/ucp.h>

#include <array>
#include <climits>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "contract/details.hpp"
#include "contract/options.hpp"
#include "contract/transport.hpp"
#include "transports/parts/handle_table.hpp"
#include "transports/parts/registration_cache.hpp"
#include "transports/parts/traffic_class.hpp"

namespace weft {

inline constexpr Setting ucx_traffic_class_setting{
    "traffic_class", "UCX_IB_TRAFFIC_CLASS, for RDMA; default: 106 over RoCE v2, else 0", 0, 255};
inline constexpr Setting ucx_service_level_setting{
    "service_level", "UCX_IB_SL, for RDMA; default: UCX chooses", 0, 15};

/// What can be set of every mode of UCX.
inline constexpr std::array ucx_settings{
    Setting{"device",
            "UCX_NET_DEVICES, for instance mlx5_0:1 or eth0; default: RDMA devices and the "
            "interface that joins the hosts"},
    Setting{"tls", "UCX_TLS, for instance rc,sm,self or tcp; default: all"},
    Setting{"rendezvous", "UCX_RNDV_THRESH in bytes, or auto or inf; default: auto", 0, INT_MAX,
            "auto,inf"},
    Setting{"errors", "peer: detect a lost peer; none: do not; default: none", 0, 0, "peer,none"},
    Setting{"multi_send",
            "yes: optimise for the bandwidth of many messages, not for latency; default: no", 0, 0,
            yes_or_no},
    Setting{
        "register_ahead",
        "yes: register the memory of messages in advance (ucp_mem_map); default: no, UCX does it "
        "when it needs it",
        0, 0, yes_or_no},
    ucx_traffic_class_setting,
    ucx_service_level_setting,
    regions_setting,
    registration_cache_setting,
    Setting{"trust_last_byte",
            "yes: take a put as complete once its last byte has arrived; default: no", 0, 0,
            yes_or_no},
};

/// Why an operation failed, for Fault::cause.
const char* ucx_cause(ucs_status_t status) noexcept;

/// Owns the library's handles. Only `enter` and `forget` are called between two reads of the clock.
class UcxWorker {
 public:
  /// Throws for devices or transports that UCX does not have.
  UcxWorker(const LinkOptions& options, std::uint64_t features, Bootstrap& boot);
  UcxWorker(const UcxWorker&) = delete;
  UcxWorker& operator=(const UcxWorker&) = delete;
  UcxWorker(UcxWorker&&) = delete;
  UcxWorker& operator=(UcxWorker&&) = delete;
  ~UcxWorker();

  /// Makes an endpoint to each of these ranks, which make one to this rank at once.
  void connect(std::span<const int> ranks, ucp_err_handler_t on_error);

  /// Memory that UCX allocates, as only that is reached without a copy in between.
  Opened expose(std::size_t bytes);
  void withdraw(const Buffer& local) { (void)forget(local.key); }
  /// What another rank opened, by its name, until it is left.
  RemoteBuffer reach(int rank, std::size_t bytes, const std::string& name);
  void leave(const RemoteBuffer& remote);

  /// Room for so many more registrations.
  void make_room(std::size_t more) { memories_.make_room(more); }
  /// Registers memory that is there, with room made before. A key is never 0 but for a refusal,
  /// which `status` tells.
  std::uint64_t enter(const Buffer& memory, ucs_status_t& status) noexcept;
  ucs_status_t forget(std::uint64_t key) noexcept;
  [[nodiscard]] ucp_mem_h memory(std::uint64_t key) const noexcept {
    return memories_[static_cast<std::uint32_t>(key - 1)];
  }

  [[nodiscard]] ucp_worker_h handle() const noexcept { return worker_; }
  [[nodiscard]] ucp_ep_h endpoint(int rank) const noexcept {
    return endpoints_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] ucp_rkey_h remote_key(std::uint64_t key) const noexcept {
    return keys_[static_cast<std::uint32_t>(key)];
  }
  [[nodiscard]] int event_file() const noexcept { return event_file_; }
  [[nodiscard]] std::size_t request_bytes() const noexcept { return request_bytes_; }

  /// Throws std::runtime_error if a traffic class or service level is set and no endpoint of any
  /// rank goes by RDMA. Collective.
  void refuse_class_without_rdma(const LinkOptions& options) const;

  /// UCX's own answer: version, lanes, protocols by size.
  [[nodiscard]] Details details() const;

 private:
  void open_context(const LinkOptions& options, std::uint64_t features);
  void open_worker(bool wakes);
  /// Fills in where an allocation is and what a peer needs to reach it.
  void name_opened(ucp_mem_h memory, Opened& opened);

  Bootstrap* boot_;
  ucp_err_handling_mode_t errors_ = UCP_ERR_HANDLING_MODE_NONE;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  /// What UCX was given or took, of every host where they differ.
  std::string devices_;
  int event_file_ = -1;
  std::size_t request_bytes_ = 0;
  /// By rank; none to a rank that was not needed yet.
  std::vector<ucp_ep_h> endpoints_;
  HandleTable<ucp_mem_h> memories_;
  HandleTable<ucp_rkey_h> keys_;
};

}  // namespace weft

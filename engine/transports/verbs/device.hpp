// An RDMA device and its port: found, opened, checked, with the address that peers reach it by.
#pragma once

#include <infiniband/verbs.h>

#include <memory>
#include <string>

#include "contract/options.hpp"

namespace weft {

struct CloseVerbs {
  void operator()(ibv_context* context) const { ibv_close_device(context); }
  void operator()(ibv_pd* domain) const { ibv_dealloc_pd(domain); }
  void operator()(ibv_comp_channel* channel) const { ibv_destroy_comp_channel(channel); }
  void operator()(ibv_cq* queue) const { ibv_destroy_cq(queue); }
  void operator()(ibv_qp* pair) const { ibv_destroy_qp(pair); }
  void operator()(ibv_ah* address) const { ibv_destroy_ah(address); }
};
template <class Object>
using Verbs = std::unique_ptr<Object, CloseVerbs>;

/// Throws std::runtime_error: what failed, the cause in errno, and what to do.
[[noreturn]] void fail_with_cause(const std::string& what, const std::string& fix);

struct VerbsPort {
  Verbs<ibv_context> context;
  Verbs<ibv_pd> domain;
  ibv_device_attr limits{};
  ibv_port_attr attributes{};
  ibv_gid_entry gid{};
  /// RoCE, or a subnet where a GID was asked for: packets carry a global header.
  bool is_global = false;
  std::string device;
  int number = 1;
  int mtu_bytes = 0;
  int traffic_class = 0;
  int service_level = 0;

  /// "rxe0 port 1", for messages.
  [[nodiscard]] std::string text() const { return device + " port " + std::to_string(number); }
  /// The GID with its index and type, "1 ::ffff:10.9.0.1 (RoCE v2)"; "none" on a plain subnet.
  [[nodiscard]] std::string gid_text() const;
  [[nodiscard]] std::string link_layer() const;
};

/// Bytes of a message's payload in one packet, for the code of a path's MTU, and the code for them.
int mtu_bytes_of(ibv_mtu code);
ibv_mtu mtu_code_of(int bytes);

/// Why no RDMA port can be used on this host; empty when one can.
std::string why_no_verbs();

/// The port that the options name (device, port, gid_index, mtu), or the first that is up. Of
/// several devices, "a,b", each rank of a host takes one in turn. Throws std::runtime_error.
VerbsPort open_verbs_port(const LinkOptions& options, std::size_t local_rank);

}  // namespace weft

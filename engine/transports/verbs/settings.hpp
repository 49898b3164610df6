// What can be set of the links over RDMA devices.
#pragma once

#include <array>

#include "contract/options.hpp"
#include "transports/parts/registration_cache.hpp"
#include "transports/parts/traffic_class.hpp"
#include "transports/rails/rails.hpp"

namespace weft {

inline constexpr Setting verbs_port_setting{
    "port", "port of the device; default: the first that is up", 0, 255};
inline constexpr Setting gid_index_setting{
    "gid_index", "index of the port's GID; default: a RoCE v2 one, with IPv4 if there is one", 0,
    65535};
inline constexpr Setting mtu_setting{
    "mtu", "bytes of a packet's payload; default: the port's active MTU", 256, 4096};
inline constexpr Setting inline_setting{
    "inline", "longest message to post inline, bytes, as far as the device can; default: 256", 0,
    4096};
inline constexpr Setting signal_every_setting{
    "signal_every", "most inline requests that share a completion; default: 16", 1, 1024};
inline constexpr Setting longest_setting{
    "longest",
    "longest message sent whole, bytes, longer ones in pieces; default: as much "
    "as the device takes",
    4096, 1 << 30U};

inline constexpr std::array verbs_settings{
    Setting{"device",
            "RDMA device, or several (a,b): rails, or for the ranks of a host in turn; default: "
            "the first with a port that is up"},
    verbs_port_setting,
    gid_index_setting,
    mtu_setting,
    traffic_class_setting,
    service_level_setting,
    inline_setting,
    signal_every_setting,
    longest_setting,
    stripe_setting,
    regions_setting,
    Setting{"connect", "bootstrap or rdmacm (reliable connections only); default: bootstrap", 0, 0,
            "bootstrap,rdmacm"},
};

}  // namespace weft

// How switches are to treat packets: the traffic class of IP (DSCP and two bits of ECN) and the
// service level of InfiniBand.
#pragma once

#include "contract/options.hpp"

namespace weft {

inline constexpr Setting traffic_class_setting{
    "traffic_class", "traffic class of the packets, 4 times their DSCP; default: 0", 0, 255};
inline constexpr Setting service_level_setting{
    "service_level", "service level of InfiniBand, or priority of RoCE; default: 0", 0, 15};

/// Their names in the record.
inline constexpr const char* traffic_class_note = "traffic class";
inline constexpr const char* service_level_note = "service level";
inline constexpr const char* unknown_class = "unknown";

}  // namespace weft

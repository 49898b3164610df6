// Every benchmark of the engine, in the order of lists and tables.
#pragma once

#include <tuple>

#include "bidirectional_stream.hpp"
#include "burst.hpp"
#include "busy_stream.hpp"
#include "copy.hpp"
#include "get_latency.hpp"
#include "get_overlap.hpp"
#include "get_stream.hpp"
#include "host_overhead.hpp"
#include "hot_spot.hpp"
#include "late_receive.hpp"
#include "offered_load.hpp"
#include "paired_streams.hpp"
#include "paused_burst.hpp"
#include "ping_ping.hpp"
#include "ping_pong.hpp"
#include "put_latency.hpp"
#include "put_notify_ping_pong.hpp"
#include "put_overlap.hpp"
#include "put_ping_pong.hpp"
#include "put_stream.hpp"
#include "receive_overlap.hpp"
#include "register_ping_pong.hpp"
#include "register_stream.hpp"
#include "registration.hpp"
#include "send_overlap.hpp"
#include "sendrecv.hpp"
#include "stream.hpp"

namespace weft {

using AllPatterns =
    std::tuple<PingPong, PingPing, Stream, BidirectionalStream, SendRecv, PutPingPong,
               PutNotifyPingPong, PutLatency, GetLatency, PutStream, GetStream, Burst, PausedBurst,
               LateReceive, HostOverhead, SendOverlap, ReceiveOverlap, PutOverlap, GetOverlap,
               BusyStream, HotSpotSend, HotSpotReceive, RandomPairs, MessageRate, OfferedLoad,
               RegisterPingPong, RegisterStream, Registration, Copy>;

}  // namespace weft

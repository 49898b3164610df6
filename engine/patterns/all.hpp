// Every benchmark of the engine, in the order of lists and tables.
#pragma once

#include <tuple>

#include "patterns/allgather.hpp"
#include "patterns/allreduce.hpp"
#include "patterns/alltoall.hpp"
#include "patterns/barrier.hpp"
#include "patterns/bidirectional_stream.hpp"
#include "patterns/bidirectional_window_stream.hpp"
#include "patterns/broadcast.hpp"
#include "patterns/burst.hpp"
#include "patterns/busy_stream.hpp"
#include "patterns/copy.hpp"
#include "patterns/get_latency.hpp"
#include "patterns/get_overlap.hpp"
#include "patterns/get_stream.hpp"
#include "patterns/halo.hpp"
#include "patterns/host_overhead.hpp"
#include "patterns/hot_spot_receive.hpp"
#include "patterns/hot_spot_send.hpp"
#include "patterns/late_receive.hpp"
#include "patterns/message_rate.hpp"
#include "patterns/milc.hpp"
#include "patterns/offered_load.hpp"
#include "patterns/pair_rounds.hpp"
#include "patterns/paused_burst.hpp"
#include "patterns/ping_ping.hpp"
#include "patterns/ping_pong.hpp"
#include "patterns/put_latency.hpp"
#include "patterns/put_notify_ping_pong.hpp"
#include "patterns/put_overlap.hpp"
#include "patterns/put_ping_pong.hpp"
#include "patterns/put_stream.hpp"
#include "patterns/random_pairs.hpp"
#include "patterns/receive_overlap.hpp"
#include "patterns/register_ping_pong.hpp"
#include "patterns/register_stream.hpp"
#include "patterns/registration.hpp"
#include "patterns/send_overlap.hpp"
#include "patterns/sendrecv.hpp"
#include "patterns/shift.hpp"
#include "patterns/stream.hpp"
#include "patterns/window_stream.hpp"

namespace weft {

using AllPatterns =
    std::tuple<PingPong, PingPing, Stream, BidirectionalStream, SendRecv, PutPingPong,
               PutNotifyPingPong, PutLatency, GetLatency, PutStream, GetStream, Burst, PausedBurst,
               LateReceive, HostOverhead, SendOverlap, ReceiveOverlap, PutOverlap, GetOverlap,
               BusyStream, HotSpotSend, HotSpotReceive, RandomPairs, MessageRate, OfferedLoad,
               RegisterPingPong, RegisterStream, Registration, Copy, Halo, Milc, Allreduce,
               Broadcast, Alltoall, Allgather, BarrierOfAll, Shift, PairRounds, WindowStream,
               BidirectionalWindowStream>;

}  // namespace weft

// Every benchmark of the engine, in the order of lists and tables.
#pragma once

#include <tuple>

#include "bidirectional_stream.hpp"
#include "ping_ping.hpp"
#include "ping_pong.hpp"
#include "sendrecv.hpp"
#include "stream.hpp"

namespace weft {

using AllPatterns = std::tuple<PingPong, PingPing, Stream, BidirectionalStream, SendRecv>;

}  // namespace weft

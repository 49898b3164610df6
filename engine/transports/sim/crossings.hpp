// Latency of switches: a message takes it once for each time that its protocol crosses the fabric.
#pragma once

namespace simgrid::s4u {
class Engine;
}

namespace weft {

/// SimGrid multiplies the latency of a whole way by a factor of the message's size, which stands
/// for what hosts and adapters take. On a zone "fabric" with the property `latency-factor` that is
/// its factor. A link there with the property `crossing` has a switch behind it that takes so many
/// seconds, and no latency: the time is added to a message's, once for an eager one and three times
/// for a rendezvous (request, answer, data). Called after the platform was read.
void add_crossings(const simgrid::s4u::Engine& engine);

}  // namespace weft

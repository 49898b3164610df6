// Latency of switches: a message takes it once for each time that its protocol crosses the fabric.
#pragma once

namespace simgrid::s4u {
class Engine;
}

namespace weft {

/// SimGrid multiplies the latency of a whole way by a factor of the message's size, which stands
/// for what hosts and adapters take. On a zone "fabric" with the property `latency-factor` that is
/// its factor for all links but those with the property `crossing`: each of these is a switch
/// further, and what they take is added, once for an eager message and three times for a rendezvous
/// (request, answer, data). Called after the platform was read.
void add_crossings(const simgrid::s4u::Engine& engine);

}  // namespace weft

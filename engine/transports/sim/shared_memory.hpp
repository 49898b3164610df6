// Messages between ranks of one simulated node.
#pragma once

namespace simgrid::s4u {
class NetZone;
}

namespace weft {

/// Where the zone has the property `shared-os`, what a message costs the processors of its two
/// ranks follows, on one node, from its properties `shared-os`, `shared-ois` and `shared-or`, and
/// else from SimGrid's settings smpi/os, smpi/ois and smpi/or.
void add_shared_memory(const simgrid::s4u::NetZone& fabric);

}  // namespace weft

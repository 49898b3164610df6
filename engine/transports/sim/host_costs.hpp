// What a message costs the processors of its two ranks.
#pragma once

namespace simgrid::s4u {
class NetZone;
}

namespace weft {

/// A message alone costs what SimGrid's settings smpi/os, smpi/ois and smpi/or say; between ranks
/// of one node what the zone's properties `shared-os`, `shared-ois` and `shared-or` do. Of several
/// that a rank posts, or takes in, without a moment between, those behind the first cost what the
/// zone's properties `further-send` and `further-receive` say: LogGP's gap, where a processor is
/// what bounds it. A zone with neither kind of property changes nothing.
void charge_hosts(const simgrid::s4u::NetZone& fabric);

}  // namespace weft

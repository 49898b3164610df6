// Links of a simulated platform that are slower than their cluster's.
#pragma once

namespace simgrid::s4u {
class Engine;
}

namespace weft {

/// All cables of a cluster have one bandwidth, and once it was read no profile can be connected to
/// one of them. So a zone "fabric" names the slow ones in its property `slow-links`, with what they
/// carry in bytes/s: "fabric_link_7_UP:480e6;fabric_link_7_DOWN:480e6". Called after the platform
/// was read; throws std::invalid_argument for a link that is not there.
void slow_down_links(const simgrid::s4u::Engine& engine);

}  // namespace weft

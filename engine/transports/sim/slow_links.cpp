#include "transports/sim/slow_links.hpp"

#include <simgrid/link.h>
#include <charconv>
#include <simgrid/s4u.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

namespace weft {

void slow_down_links(const simgrid::s4u::Engine& engine) {
  const simgrid::s4u::NetZone* const fabric = engine.netzone_by_name_or_null("fabric");
  const char* const text = fabric == nullptr ? nullptr : fabric->get_property("slow-links");
  if (text == nullptr) return;
  std::istringstream pieces(text);
  for (std::string piece; std::getline(pieces, piece, ';');) {
    const std::size_t colon = piece.find(':');
    const std::string name = piece.substr(0, colon);
    simgrid::s4u::Link* const link = engine.link_by_name_or_null(name);
    double bytes_per_s = 0;
    if (colon != std::string::npos) {
      std::from_chars(piece.data() + colon + 1, piece.data() + piece.size(), bytes_per_s);
    }
    if (link == nullptr || bytes_per_s <= 0) {
      throw std::invalid_argument("the platform has no link for slow-links: " + piece);
    }
    link->set_bandwidth(bytes_per_s);
  }
}

}  // namespace weft

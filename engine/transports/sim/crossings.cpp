#include "transports/sim/crossings.hpp"

#include <simgrid/link.h>
#include <charconv>
#include <cstddef>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>
#include <xbt/config.hpp>

namespace weft {

namespace {

/// What SMPI adds to each message on the wire.
constexpr double envelope_bytes = 16;
constexpr double crossings_of_rendezvous = 3;

/// As SimGrid's setting smpi/lat-factor has them: "0:1;2063:4.5", a factor above each size.
class LatencyFactors {
 public:
  explicit LatencyFactors(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find(';');
      const std::string_view piece = text.substr(0, end);
      const std::size_t colon = piece.find(':');
      if (colon == std::string_view::npos) break;
      pieces_.emplace_back(number(piece.substr(0, colon)), number(piece.substr(colon + 1)));
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
  }
  [[nodiscard]] double at(double bytes) const {
    double factor = 1;
    for (const auto& [above, value] : pieces_) {
      if (bytes <= above) break;
      factor = value;
    }
    return factor;
  }

 private:
  static double number(std::string_view text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  std::vector<std::pair<double, double>> pieces_;
};

}  // namespace

void add_crossings(const simgrid::s4u::Engine& engine) {
  const simgrid::s4u::NetZone* const fabric = engine.netzone_by_name_or_null("fabric");
  const char* const text = fabric == nullptr ? nullptr : fabric->get_property("latency-factor");
  if (text == nullptr) return;
  std::unordered_set<const simgrid::s4u::Link*> switches;
  for (const simgrid::s4u::Link* link : engine.get_all_links()) {
    if (link->get_property("crossing") != nullptr) switches.insert(link);
  }
  const int eager = simgrid::config::get_value<int>("smpi/send-is-detached-thresh");
  const LatencyFactors factors(text);
  engine.get_netzone_root()->get_network_model()->set_lat_factor_cb(
      [switches = std::move(switches), factors, eager](
          double bytes, const simgrid::s4u::Host* /*from*/, const simgrid::s4u::Host* /*to*/,
          const std::vector<simgrid::s4u::Link*>& links,
          const std::unordered_set<simgrid::s4u::NetZone*>& /*zones*/) {
        double own = 0;
        double further = 0;
        for (const simgrid::s4u::Link* link : links) {
          (switches.contains(link) ? further : own) += sg_link_get_latency(link);
        }
        const bool is_eager = bytes - envelope_bytes < eager;
        const double crossings = is_eager ? 1 : crossings_of_rendezvous;
        const double all = own + further;
        return all > 0 ? (factors.at(bytes) * own + crossings * further) / all : 1;
      });
}

}  // namespace weft

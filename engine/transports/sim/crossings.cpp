#include "transports/sim/crossings.hpp"

#include <simgrid/link.h>
#include <charconv>
#include <cstddef>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
#include <xbt/config.hpp>

namespace weft {

namespace {

/// What SMPI adds to each message on the wire.
constexpr double envelope_bytes = 16;
constexpr double crossings_of_rendezvous = 3;

double number_of(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// As SimGrid's setting smpi/lat-factor has them: "0:1;2063:4.5", a factor above each size.
class LatencyFactors {
 public:
  explicit LatencyFactors(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find(';');
      const std::string_view piece = text.substr(0, end);
      const std::size_t colon = piece.find(':');
      if (colon == std::string_view::npos) break;
      pieces_.emplace_back(number_of(piece.substr(0, colon)), number_of(piece.substr(colon + 1)));
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
  std::vector<std::pair<double, double>> pieces_;
};

}  // namespace

void add_crossings(const simgrid::s4u::Engine& engine) {
  const simgrid::s4u::NetZone* const fabric = engine.netzone_by_name_or_null("fabric");
  const char* const text = fabric == nullptr ? nullptr : fabric->get_property("latency-factor");
  if (text == nullptr) return;
  std::unordered_map<const simgrid::s4u::Link*, double> switches_s;
  for (const simgrid::s4u::Link* link : engine.get_all_links()) {
    const char* const crossing = link->get_property("crossing");
    if (crossing != nullptr) switches_s.emplace(link, number_of(crossing));
  }
  const int eager = simgrid::config::get_value<int>("smpi/send-is-detached-thresh");
  const LatencyFactors factors(text);
  engine.get_netzone_root()->get_network_model()->set_lat_factor_cb(
      [switches_s = std::move(switches_s), factors, eager](
          double bytes, const simgrid::s4u::Host* /*from*/, const simgrid::s4u::Host* /*to*/,
          const std::vector<simgrid::s4u::Link*>& links,
          const std::unordered_set<simgrid::s4u::NetZone*>& /*zones*/) {
        double own_s = 0;
        double further_s = 0;
        for (const simgrid::s4u::Link* link : links) {
          const auto found = switches_s.find(link);
          if (found == switches_s.end()) {
            own_s += sg_link_get_latency(link);
          } else {
            further_s += found->second;
          }
        }
        const bool is_eager = bytes - envelope_bytes < eager;
        const double crossings = is_eager ? 1 : crossings_of_rendezvous;
        return factors.at(bytes) + crossings * further_s / own_s;
      });
}

}  // namespace weft

#include "transports/sim/host_costs.hpp"

#include <smpi/smpi.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_map>
#include <xbt/config.hpp>

#include "transports/sim/pieces.hpp"

namespace weft {

namespace {

/// When the last cost of each rank will have been paid, s: what begins then follows it at once.
class Ends {
 public:
  /// Moments this near to each other are one: SimGrid rounds to its precision.
  explicit Ends(double precision_s) : precision_s_(precision_s) {}

  [[nodiscard]] bool follows() {
    const auto found = ends_s_.find(simgrid::s4u::this_actor::get_pid());
    if (found == ends_s_.end()) return false;
    return simgrid::s4u::Engine::get_clock() - found->second <= 2 * precision_s_;
  }
  void paying(double seconds) {
    ends_s_[simgrid::s4u::this_actor::get_pid()] = simgrid::s4u::Engine::get_clock() + seconds;
  }

 private:
  double precision_s_;
  std::unordered_map<aid_t, double> ends_s_;
};

/// What messages of a kind cost: one alone, one within a node, and one that follows another.
struct Costs {
  Pieces alone;
  std::optional<Pieces> within;
  std::optional<Pieces> further;
};

std::optional<Pieces> pieces_or_none(const simgrid::s4u::NetZone& fabric, const char* property) {
  const char* const text = fabric.get_property(property);
  return text == nullptr ? std::nullopt : std::optional<Pieces>(text);
}

void charge(SmpiOperation operation, const Costs& costs, const std::shared_ptr<Ends>& ends) {
  if (!costs.within && !costs.further) return;
  smpi_register_op_cost_callback(operation, [costs, ends](std::size_t bytes,
                                                          const simgrid::s4u::Host* from,
                                                          const simgrid::s4u::Host* to) {
    const bool is_within = from == to && costs.within;
    const bool is_further = !is_within && costs.further && ends->follows();
    const Pieces& pieces = is_within ? *costs.within : (is_further ? *costs.further : costs.alone);
    const double seconds = std::max(0.0, pieces.at(static_cast<double>(bytes)));
    ends->paying(seconds);
    return seconds;
  });
}

}  // namespace

void charge_hosts(const simgrid::s4u::NetZone& fabric) {
  const auto setting = [](const char* name) {
    return Pieces(simgrid::config::get_value<std::string>(name));
  };
  const double precision_s = simgrid::config::get_value<double>("surf/precision");
  const auto sends = std::make_shared<Ends>(precision_s);
  const auto receives = std::make_shared<Ends>(precision_s);
  const auto further = pieces_or_none(fabric, "further-send");
  charge(SmpiOperation::SEND, {setting("smpi/os"), pieces_or_none(fabric, "shared-os"), further},
         sends);
  charge(SmpiOperation::ISEND, {setting("smpi/ois"), pieces_or_none(fabric, "shared-ois"), further},
         sends);
  charge(SmpiOperation::RECV,
         {setting("smpi/or"), pieces_or_none(fabric, "shared-or"),
          pieces_or_none(fabric, "further-receive")},
         receives);
}

}  // namespace weft

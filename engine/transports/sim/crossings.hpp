// Latency of switches, and what their links carry: a message crosses the fabric so many times.
#pragma once

#include <map>
#include <memory>
#include <string>

namespace simgrid::s4u {
class Engine;
class NetZone;
}  // namespace simgrid::s4u

namespace weft {

/// Counts what each link carries, beside the latency of switches.
class Crossings {
 public:
  /// Called after the platform was read, with its zone "fabric".
  ///
  /// SimGrid multiplies the latency of a whole way by a factor of the message's size, which stands
  /// for what hosts and adapters take. On a zone with the property `latency-factor` that is its
  /// factor. A link there with the property `crossing` has a switch behind it that takes so many
  /// seconds, and no latency: the time is added to a message's, once for an eager one and three
  /// times for a rendezvous (request, answer, data). Ranks of one node have the factors
  /// `shared-latency-factor` and `shared-bandwidth-factor`, and those of two `bandwidth-factor`.
  Crossings(const simgrid::s4u::Engine& engine, const simgrid::s4u::NetZone& fabric);
  /// The bytes that went over each link between switches, by its name; of the cables of nodes those
  /// of the busiest, as `node`.
  [[nodiscard]] std::map<std::string, double> link_bytes() const;

 private:
  struct Seen;
  std::shared_ptr<Seen> seen_;
};

}  // namespace weft

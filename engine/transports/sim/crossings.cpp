#include "transports/sim/crossings.hpp"

#include <simgrid/link.h>
#include <algorithm>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
#include <xbt/config.hpp>

#include "transports/sim/pieces.hpp"

// SimGrid 4 has the factors at a zone, and installs this header no longer.
#if __has_include(<simgrid/kernel/resource/NetworkModelIntf.hpp>)
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#define WEFT_FACTORS_AT_MODEL
#endif

namespace weft {

namespace {

template <class Factor>
void set_latency_factor(const simgrid::s4u::Engine& engine, const Factor& factor) {
#ifdef WEFT_FACTORS_AT_MODEL
  engine.get_netzone_root()->get_network_model()->set_lat_factor_cb(factor);
#else
  engine.get_netzone_root()->set_latency_factor_cb(factor);
#endif
}

template <class Factor>
void set_bandwidth_factor(const simgrid::s4u::Engine& engine, const Factor& factor) {
#ifdef WEFT_FACTORS_AT_MODEL
  engine.get_netzone_root()->get_network_model()->set_bw_factor_cb(factor);
#else
  engine.get_netzone_root()->set_bandwidth_factor_cb(factor);
#endif
}

/// What SMPI adds to each message on the wire.
constexpr double envelope_bytes = 16;
constexpr double crossings_of_rendezvous = 3;

using Zones = std::unordered_set<simgrid::s4u::NetZone*>;
using Links = std::vector<simgrid::s4u::Link*>;

Pieces pieces_of(const simgrid::s4u::NetZone& fabric, const char* property) {
  const char* const text = fabric.get_property(property);
  return Pieces(text == nullptr ? "" : text);
}

bool ends_with(const std::string& name, const std::string& end) {
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

/// Throws for a node's cable without latency: what switches take is a multiple of it.
void check_cables(const std::vector<simgrid::s4u::Link*>& links) {
  for (const simgrid::s4u::Link* link : links) {
    const bool is_cable =
        ends_with(link->get_name(), "_UP") || ends_with(link->get_name(), "_DOWN");
    if (is_cable && sg_link_get_latency(link) <= 0) {
      throw std::runtime_error("the platform's link " + link->get_name() +
                               " has no latency, so its switches' would be lost; give its cluster"
                               " one, lat=\"1ns\"");
    }
  }
}

}  // namespace

struct Crossings::Seen {
  /// What the switch behind a link takes, s.
  std::unordered_map<const simgrid::s4u::Link*, double> switches_s;
  std::unordered_map<const simgrid::s4u::Link*, double> bytes;

  /// By how much the latency of a way's own links is to be multiplied for what its switches take.
  [[nodiscard]] double further(const Links& links, double crossings) const {
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
    // A way of switches alone has nothing to be multiplied: no node is at its end.
    return own_s > 0 ? crossings * further_s / own_s : 0;
  }
};

Crossings::Crossings(const simgrid::s4u::Engine& engine, const simgrid::s4u::NetZone& fabric)
    : seen_(std::make_shared<Seen>()) {
  if (fabric.get_property("latency-factor") == nullptr) return;
  for (const simgrid::s4u::Link* link : engine.get_all_links()) {
    const char* const crossing = link->get_property("crossing");
    if (crossing != nullptr) seen_->switches_s.emplace(link, number_of(crossing));
  }
  if (!seen_->switches_s.empty()) check_cables(engine.get_all_links());
  const int eager = simgrid::config::get_value<int>("smpi/send-is-detached-thresh");
  set_latency_factor(
      engine, [seen = seen_, eager, between = pieces_of(fabric, "latency-factor"),
               within = pieces_of(fabric, "shared-latency-factor")](
                  double bytes, const simgrid::s4u::Host* from, const simgrid::s4u::Host* to,
                  const Links& links, const Zones& /*zones*/) {
        if (from == to) return within.at(bytes);
        for (const simgrid::s4u::Link* link : links) seen->bytes[link] += bytes - envelope_bytes;
        const bool is_eager = bytes - envelope_bytes < eager;
        return between.at(bytes) + seen->further(links, is_eager ? 1 : crossings_of_rendezvous);
      });
  if (fabric.get_property("shared-bandwidth-factor") == nullptr) return;
  set_bandwidth_factor(
      engine, [between = pieces_of(fabric, "bandwidth-factor"),
               within = pieces_of(fabric, "shared-bandwidth-factor")](
                  double bytes, const simgrid::s4u::Host* from, const simgrid::s4u::Host* to,
                  const Links& /*links*/,
                  const Zones& /*zones*/) { return (from == to ? within : between).at(bytes); });
}

std::map<std::string, double> Crossings::link_bytes() const {
  std::map<std::string, double> found;
  for (const auto& [link, bytes] : seen_->bytes) {
    // Within a switch nothing is shared, and a node's bus, which both ways pass, is no cable.
    if (link->get_sharing_policy() == simgrid::s4u::Link::SharingPolicy::FATPIPE) continue;
    const bool is_of_switches = seen_->switches_s.contains(link);
    if (!is_of_switches && link->get_name().find("_limiter") != std::string::npos) continue;
    double& most = found[is_of_switches ? link->get_name() : "node"];
    most = std::max(most, bytes);
  }
  return found;
}

}  // namespace weft

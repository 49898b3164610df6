// Ranks on a simulated platform: all of them in one process, in the virtual time of SimGrid's SMPI.
#include <smpi/smpi.h>
#include <unistd.h>
#include <xbt/log.h>
#include <simgrid/s4u.hpp>
#include <xbt/config.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/wording.hpp"
#include "program/rank.hpp"
#include "transports/sim/clock.hpp"
#include "transports/sim/crossings.hpp"
#include "transports/sim/host_costs.hpp"
#include "transports/sim/link.hpp"
#include "transports/sim/pieces.hpp"
#include "transports/sim/rank_group.hpp"
#include "transports/sim/slow_links.hpp"

// Takes the algorithms of collective operations from the settings. SMPI_init does it before there
// is a platform; SimGrid exports it and has no header for it.
namespace simgrid::smpi::colls {
void set_collectives();
}

namespace weft {

namespace {

constexpr std::string_view simulator = "smpi";

/// A node of the platform. Nothing is bound: the ranks are one thread of the simulator's.
class SimulatedPlace {
 public:
  SimulatedPlace(const Options& /*options*/, const std::string& /*device*/, Bootstrap& /*boot*/) {
    location_.host = simgrid::s4u::this_actor::get_host()->get_name();
    location_.pid = getpid();
  }
  [[nodiscard]] const Location& location() const noexcept { return location_; }
  void release_helpers() const {}
  static std::vector<int> spare_cpus() { return {}; }
  [[nodiscard]] static std::string helpers() { return "none"; }

 private:
  Location location_;
};

/// What a rank runs on: a node of the platform, and the simulator's clock.
struct SimulatedHost {
  using Now = VirtualClock;
  using Place = SimulatedPlace;
  static Calibration calibrate_since(const Instant& /*start*/, std::int64_t /*baseline_ns*/) {
    return {1e9 / VirtualClock::ticks_per_s, 0, 0, VirtualClock::name};
  }
  static std::shared_ptr<const RankHosts> hosts_of_ranks(Bootstrap& boot) {
    return dynamic_cast<SimBootstrap&>(boot).group().hosts();
  }
  static SharedDeadline limit(Bootstrap& boot, unsigned seconds) {
    return {dynamic_cast<SimBootstrap&>(boot).group(), seconds};
  }
  static std::map<std::string, double> link_bytes(Bootstrap& boot) {
    return dynamic_cast<SimBootstrap&>(boot).group().crossings().link_bytes();
  }
};

struct Simulation {
  std::string platform;
  int ranks = 0;
  /// Only the first bytes of a message are there, and arrive.
  bool heads = false;
  std::vector<const char*> rest;
};

/// The platform and the number of ranks, and what is every rank's. Throws std::invalid_argument.
Simulation simulation_of(int argc, char** argv) {
  Simulation found;
  found.rest.push_back(argv[0]);
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string_view word = words[at];
    const bool has_value = at + 1 < words.size();
    if (word == "--platform" && has_value) {
      found.platform = words[++at];
    } else if (word == "--ranks" && has_value) {
      const std::string_view text = words[++at];
      std::from_chars(text.data(), text.data() + text.size(), found.ranks);
    } else if (word == "--heads") {
      found.heads = true;
    } else {
      found.rest.push_back(words[at]);
    }
  }
  return found;
}

void set_up_simulator() {
  // Nothing but what a rank waits for takes time: no call of MPI has a cost of its own, and what is
  // computed here is not simulated. The ranks share the program: it has no variables of its own.
  for (const char* setting : {"smpi/privatization:no", "smpi/simulate-computation:no",
                              "smpi/host-speed:1Gf", "smpi/wtime:0", "smpi/test:0", "smpi/iprobe:0",
                              "network/model:SMPI", "contexts/stack-size:1024"}) {
    simgrid::s4u::Engine::set_config(std::string(setting));
  }
}

/// What a platform's file may say otherwise, which it may not of what was set before it was read.
/// As precise as the clock (large fabrics cost less otherwise). Operations of all ranks by Open
/// MPI's rules, but sums by recursive doubling: for a few numbers those rules, as SMPI has them,
/// change with the number of ranks, which would be read as the fabric's doing. Messages share a
/// link evenly: SimGrid's weight gives those over more links less of it, as TCP does.
void set_unless_the_platform_does() {
  constexpr std::array usual{
      std::pair{"smpi/allreduce", "rdb"}, std::pair{"smpi/coll-selector", "ompi"},
      std::pair{"surf/precision", "1e-12"}, std::pair{"network/weight-S", "0"}};
  // Whoever names a library's rules wants them for sums too.
  const bool has_rules = !simgrid::config::is_default("smpi/coll-selector");
  for (const auto& [name, value] : usual) {
    if (!simgrid::config::is_default(name)) continue;
    if (has_rules && std::string_view(name) == "smpi/allreduce") continue;
    simgrid::s4u::Engine::set_config(std::string(name) + ":" + value);
  }
  simgrid::smpi::colls::set_collectives();
}

/// In the order of their numbers: node-2 before node-10.
std::vector<simgrid::s4u::Host*> nodes_of(const simgrid::s4u::Engine& engine) {
  std::vector<simgrid::s4u::Host*> hosts = engine.get_all_hosts();
  const auto place = [](const simgrid::s4u::Host* host) {
    return std::pair(host->get_name().size(), host->get_name());
  };
  std::sort(hosts.begin(), hosts.end(),
            [&](const auto* one, const auto* other) { return place(one) < place(other); });
  return hosts;
}

void rank_of(RankGroup& group, int rank, const Options& options) {
  int count = 0;
  char** words = nullptr;
  MPI_Init(&count, &words);
  SimBootstrap boot(group, rank);
  try {
    measure<SimulatedHost, Sim>(options, boot);
  } catch (const std::exception& error) {
    write_error(Sim::name, error.what());
    boot.abort(exit_bad_usage);
  }
  MPI_Finalize();
}

/// Ranks go on the platform's hosts in their order, so many on each as the zone's property
/// `ranks-per-node` says, or one.
void simulate(const Simulation& asked, const Options& options, int argc, char** argv) {
  if (asked.platform.empty() || asked.ranks < 1) {
    throw std::invalid_argument("use --platform FILE --ranks N");
  }
  if (access(asked.platform.c_str(), R_OK) != 0) {
    throw std::invalid_argument("cannot read " + asked.platform + "; name another --platform");
  }
  xbt_log_control_set("root.thres:warning");
  simgrid::s4u::Engine engine(&argc, argv);
  SMPI_init();
  set_up_simulator();
  engine.load_platform(asked.platform);
  set_unless_the_platform_does();
  // Platforms that others wrote have zones of their own names.
  const simgrid::s4u::NetZone* fabric = engine.netzone_by_name_or_null("fabric");
  if (fabric == nullptr) fabric = engine.get_netzone_root();
  const Crossings crossings(engine, *fabric);
  charge_hosts(*fabric);
  slow_down_links(engine);
  SMPI_app_instance_register(simulator.data(), nullptr, asked.ranks);
  const std::vector<simgrid::s4u::Host*> hosts = nodes_of(engine);
  if (hosts.empty()) throw std::invalid_argument(asked.platform + " has no host");
  const char* const text = fabric->get_property("ranks-per-node");
  const auto each = text == nullptr ? std::size_t{1} : static_cast<std::size_t>(number_of(text));
  if (static_cast<std::size_t>(asked.ranks) > each * hosts.size()) {
    throw std::invalid_argument(asked.platform + " has " + counted(hosts.size(), "host") +
                                "; choose fewer ranks");
  }
  std::vector<std::string> names;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(asked.ranks); ++rank) {
    names.push_back(hosts[rank / each]->get_name());
  }
  RankGroup group(rank_hosts(names), crossings);
  for (int rank = 0; rank < asked.ranks; ++rank) {
    auto* const host = hosts[static_cast<std::size_t>(rank) / each];
    auto actor = simgrid::s4u::Actor::init("rank-" + std::to_string(rank), host);
    actor->set_property("instance_id", std::string(simulator));
    actor->set_property("rank", std::to_string(rank));
    actor->start([&group, rank, &options] { rank_of(group, rank, options); });
  }
  engine.run();
  SMPI_finalize();
}

}  // namespace

int sim_main(int argc, char** argv) {
  try {
    const Simulation asked = simulation_of(argc, argv);
    Options options = parse_options(static_cast<int>(asked.rest.size()), asked.rest.data());
    if (options.describe) {
      describe<SimulatedHost, Sim>(simulator);
      return 0;
    }
    if (!options.inspect.empty()) {
      write_line(
          inspection_line(inspectors_of(static_cast<AllPatterns*>(nullptr)), options.inspect));
      return 0;
    }
    if (options.refuses_on > 0) {
      const auto head = asked.heads ? Carried{Sim::head_bytes, Sim::head_bytes} : Carried{};
      refuse_cases<SimulatedHost, Sim>(options.refuses_on, head);
      return 0;
    }
    options.link.refuse_unknown(Sim::name, settings_of<Sim>());
    if (asked.heads) options.link.set("heads", "yes");
    die_with_parent();
    int kept = 1;  // the simulator's own arguments come from nobody
    simulate(asked, options, kept, argv);
  } catch (const std::exception& error) {
    write_error(Sim::name, error.what());
    return exit_bad_usage;
  }
  return 0;
}

}  // namespace weft

int main(int argc, char** argv) {
  return weft::sim_main(argc, argv);
}

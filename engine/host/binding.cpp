#include "host/binding.hpp"

#include <hwloc.h>
#include <hwloc/linux.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "host/hosts.hpp"
#include "host/placement.hpp"
#include "host/topology.hpp"

namespace weft {

namespace {

// Devices take longer to find than all else.
Topology load_topology(bool with_devices) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw std::runtime_error("hwloc does not start");
  Topology owned(topology);
  if (with_devices) {
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  }
  if (hwloc_topology_load(topology) != 0) throw std::runtime_error("hwloc finds no topology");
  return owned;
}

Bitmap allowed_cpus(hwloc_topology_t topology) {
  Bitmap allowed(hwloc_bitmap_alloc());
  hwloc_get_cpubind(topology, allowed.get(), HWLOC_CPUBIND_THREAD);
  return allowed;
}

}  // namespace

struct Binding::State {
  explicit State(bool with_devices) : topology(load_topology(with_devices)) {}

  Topology topology;
  Location location;
  Bitmap allowed = allowed_cpus(topology.get());
  Bitmap polling{hwloc_bitmap_alloc()};
  Bitmap for_helpers{hwloc_bitmap_alloc()};
  std::vector<int> spare;
  std::size_t helpers = 0;
};

Binding::Binding(const Options& options, const std::string& device, Bootstrap& boot)
    : state_(std::make_unique<State>(options.placement == Placement::near_device)) {
  Location& location = state_->location;
  location.host = host_name();
  location.pid = getpid();
  hwloc_topology_t topology = state_->topology.get();
  const std::size_t local = local_rank(boot);
  const std::vector<int> choice =
      options.cpus.empty() ? cpus_of(topology, state_->allowed.get(), options.placement, device)
                           : options.cpus;
  if (choice.empty()) throw std::runtime_error("no core is allowed; check taskset and cgroups");
  location.cpu = choice[local % choice.size()];
  const Bitmap target(hwloc_bitmap_alloc());
  hwloc_bitmap_set(target.get(), static_cast<unsigned>(location.cpu));
  if (hwloc_set_cpubind(topology, target.get(), HWLOC_CPUBIND_THREAD) != 0) {
    throw std::runtime_error("cannot bind to CPU " + std::to_string(location.cpu) +
                             "; name others with --cpus");
  }
  location.numa = numa_of(topology, location.cpu);
  location.socket = socket_of(topology, location.cpu);
  location.core = core_of(topology, location.cpu);
  std::vector<int> cpus_of_ranks;
  const std::vector<std::string> cpus = boot.exchange(std::to_string(location.cpu));
  for (std::size_t rank = 0; rank < cpus.size(); ++rank) {
    if (hosts_of(boot)[rank] != location.host) continue;
    cpus_of_ranks.push_back(std::stoi(cpus[rank]));
    hwloc_bitmap_set(state_->polling.get(), static_cast<unsigned>(cpus_of_ranks.back()));
  }
  hwloc_bitmap_t free_cpus = state_->for_helpers.get();
  hwloc_bitmap_andnot(free_cpus, state_->allowed.get(), state_->polling.get());
  if (hwloc_bitmap_iszero(free_cpus) != 0) hwloc_bitmap_copy(free_cpus, state_->allowed.get());
  state_->spare = spare_cpus_of(
      cpus_of(topology, state_->allowed.get(), Placement::any, ""), cpus_of_ranks,
      [&](int cpu) { return numa_of(topology, cpu); },
      [&](int cpu) { return core_of(topology, cpu); })[local];
  std::size_t least = state_->spare.size();
  for (const std::string& count : boot.exchange(std::to_string(least))) {
    least = std::min<std::size_t>(least, std::stoul(count));
  }
  state_->spare.resize(least);
}

Binding::~Binding() = default;

const Location& Binding::location() const noexcept {
  return state_->location;
}

const std::vector<int>& Binding::spare_cpus() const noexcept {
  return state_->spare;
}

void Binding::release_helpers() {
  hwloc_topology_t topology = state_->topology.get();
  const Bitmap inherited(hwloc_bitmap_alloc());
  hwloc_bitmap_set(inherited.get(), static_cast<unsigned>(state_->location.cpu));
  const Bitmap now(hwloc_bitmap_alloc());
  state_->helpers = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const pid_t thread = std::stoi(entry.path().filename().string());
    if (thread == gettid()) continue;
    ++state_->helpers;
    // A thread may end meanwhile, and need not be moved then.
    if (hwloc_linux_get_tid_cpubind(topology, thread, now.get()) != 0) continue;
    const bool is_unbound = hwloc_bitmap_isequal(now.get(), state_->allowed.get()) != 0 ||
                            hwloc_bitmap_isequal(now.get(), inherited.get()) != 0;
    if (is_unbound) hwloc_linux_set_tid_cpubind(topology, thread, state_->for_helpers.get());
  }
}

std::string Binding::helpers() const {
  if (state_->helpers == 0) return "none";
  std::array<char, 256> cpus{};
  hwloc_bitmap_list_snprintf(cpus.data(), cpus.size(), state_->for_helpers.get());
  return std::to_string(state_->helpers) + " on CPUs " + cpus.data();
}

void die_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

}  // namespace weft

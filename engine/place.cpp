#include "place.hpp"

#include <hwloc.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <memory>
#include <stdexcept>

namespace weft {

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

struct DestroyTopology {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
struct FreeBitmap {
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

Topology load_topology() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw std::runtime_error("hwloc does not start");
  Topology owned(topology);
  if (hwloc_topology_load(topology) != 0) throw std::runtime_error("hwloc finds no topology");
  return owned;
}

// The first logical CPU of each core this process may use, in hwloc's logical order: neighbours
// in the list are near each other in the machine.
std::vector<int> cores(hwloc_topology_t topology) {
  const Bitmap allowed(hwloc_bitmap_alloc());
  hwloc_get_cpubind(topology, allowed.get(), HWLOC_CPUBIND_PROCESS);
  std::vector<int> first_cpus;
  const int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
  for (int index = 0; index < count; ++index) {
    const hwloc_obj_t core =
        hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, static_cast<unsigned>(index));
    const Bitmap usable(hwloc_bitmap_dup(core->cpuset));
    hwloc_bitmap_and(usable.get(), usable.get(), allowed.get());
    if (hwloc_bitmap_iszero(usable.get()) == 0) {
      first_cpus.push_back(hwloc_bitmap_first(usable.get()));
    }
  }
  return first_cpus;
}

int numa_of(hwloc_topology_t topology, int cpu) {
  const int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
  for (int index = 0; index < count; ++index) {
    const hwloc_obj_t node =
        hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, static_cast<unsigned>(index));
    if (hwloc_bitmap_isset(node->cpuset, static_cast<unsigned>(cpu)) != 0) {
      return static_cast<int>(node->os_index);
    }
  }
  return -1;
}

}  // namespace

std::size_t local_rank(Bootstrap& boot) {
  const std::string host = host_name();
  const std::vector<std::string> hosts = boot.exchange(host);
  std::size_t before = 0;
  for (int rank = 0; rank < boot.rank(); ++rank) {
    if (hosts[static_cast<std::size_t>(rank)] == host) ++before;
  }
  return before;
}

Place bind_rank(const std::vector<int>& cpus, Bootstrap& boot) {
  Place place{.host = host_name(), .pid = getpid()};
  const std::size_t local = local_rank(boot);
  const Topology topology = load_topology();
  const std::vector<int> choice = cpus.empty() ? cores(topology.get()) : cpus;
  if (choice.empty()) throw std::runtime_error("no core may be used; look at taskset and cgroups");
  place.cpu = choice[local % choice.size()];
  const Bitmap target(hwloc_bitmap_alloc());
  hwloc_bitmap_set(target.get(), static_cast<unsigned>(place.cpu));
  if (hwloc_set_cpubind(topology.get(), target.get(), HWLOC_CPUBIND_PROCESS) != 0) {
    throw std::runtime_error("cannot bind to CPU " + std::to_string(place.cpu) +
                             "; name others with --cpus");
  }
  place.numa = numa_of(topology.get(), place.cpu);
  return place;
}

void die_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

}  // namespace weft

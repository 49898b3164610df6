#include "host/placement.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "host/hosts.hpp"
#include "host/topology.hpp"

namespace weft {

namespace {

std::vector<hwloc_obj_t> objects_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> found;
  for (hwloc_obj_t one = hwloc_get_next_obj_by_type(topology, type, nullptr); one != nullptr;
       one = hwloc_get_next_obj_by_type(topology, type, one)) {
    found.push_back(one);
  }
  return found;
}

int index_of_holder(hwloc_topology_t topology, hwloc_obj_type_t type, int cpu, bool as_kernel) {
  for (const hwloc_obj_t one : objects_of(topology, type)) {
    if (hwloc_bitmap_isset(one->cpuset, static_cast<unsigned>(cpu)) != 0) {
      return static_cast<int>(as_kernel ? one->os_index : one->logical_index);
    }
  }
  return -1;
}

/// The logical CPUs of each core: its hardware threads.
using Cores = std::vector<std::vector<int>>;

Cores cores_in(hwloc_topology_t topology, hwloc_const_bitmap_t allowed,
               hwloc_const_bitmap_t within) {
  Cores cores;
  const Bitmap usable(hwloc_bitmap_alloc());
  for (const hwloc_obj_t core : objects_of(topology, HWLOC_OBJ_CORE)) {
    hwloc_bitmap_and(usable.get(), core->cpuset, allowed);
    hwloc_bitmap_and(usable.get(), usable.get(), within);
    std::vector<int> threads;
    for (int cpu = hwloc_bitmap_first(usable.get()); cpu >= 0;
         cpu = hwloc_bitmap_next(usable.get(), cpu)) {
      threads.push_back(cpu);
    }
    if (!threads.empty()) cores.push_back(std::move(threads));
  }
  return cores;
}

/// The first hardware thread of every core, then the second of every core that has one, and so on.
std::vector<int> cores_before_threads(const Cores& cores) {
  std::vector<int> cpus;
  for (std::size_t thread = 0; true; ++thread) {
    const std::size_t before = cpus.size();
    for (const std::vector<int>& core : cores) {
      if (thread < core.size()) cpus.push_back(core[thread]);
    }
    if (cpus.size() == before) return cpus;
  }
}

/// The cores of each socket that has any.
std::vector<Cores> sockets_of(hwloc_topology_t topology, hwloc_const_bitmap_t allowed) {
  std::vector<Cores> sockets;
  for (const hwloc_obj_t socket : objects_of(topology, HWLOC_OBJ_PACKAGE)) {
    Cores cores = cores_in(topology, allowed, socket->cpuset);
    if (!cores.empty()) sockets.push_back(std::move(cores));
  }
  return sockets;
}

Cores of_one_socket(const std::vector<Cores>& sockets) {
  if (sockets.empty()) {
    throw std::runtime_error(host_name() + " has no socket that is known; choose --placement pack");
  }
  return *std::max_element(sockets.begin(), sockets.end(), [](const auto& one, const auto& other) {
    return one.size() < other.size();
  });
}

Cores of_sockets_in_turn(const std::vector<Cores>& sockets) {
  if (sockets.size() < 2) {
    throw std::runtime_error(host_name() +
                             " has one socket that its ranks may use; choose --placement "
                             "same-socket, or another host");
  }
  // Sockets with fewer cores than others leave the turn early: no core is taken twice.
  Cores in_turn;
  for (std::size_t round = 0; true; ++round) {
    const std::size_t before = in_turn.size();
    for (const Cores& cores : sockets) {
      if (round < cores.size()) in_turn.push_back(cores[round]);
    }
    if (in_turn.size() == before) return in_turn;
  }
}

/// The CPUs near a device; all of them where memory is equally near from every CPU.
hwloc_const_bitmap_t near(hwloc_topology_t topology, const std::string& device) {
  for (const hwloc_obj_t one : objects_of(topology, HWLOC_OBJ_OS_DEVICE)) {
    if (device != one->name) continue;
    const hwloc_obj_t holder = hwloc_get_non_io_ancestor_obj(topology, one);
    if (holder != nullptr && holder->cpuset != nullptr) return holder->cpuset;
  }
  if (hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE) < 2) {
    return hwloc_topology_get_topology_cpuset(topology);
  }
  throw std::runtime_error("nothing says which cores of " + host_name() + " are near " + device +
                           "; name another with --interface or --device, or choose another "
                           "--placement");
}

}  // namespace

int numa_of(hwloc_topology_t topology, int cpu) {
  return index_of_holder(topology, HWLOC_OBJ_NUMANODE, cpu, true);
}

int socket_of(hwloc_topology_t topology, int cpu) {
  return index_of_holder(topology, HWLOC_OBJ_PACKAGE, cpu, false);
}

int core_of(hwloc_topology_t topology, int cpu) {
  return index_of_holder(topology, HWLOC_OBJ_CORE, cpu, false);
}

std::vector<int> cpus_of(hwloc_topology_t topology, hwloc_const_bitmap_t allowed,
                         Placement placement, const std::string& device) {
  switch (placement) {
    case Placement::same_socket:
      return cores_before_threads(of_one_socket(sockets_of(topology, allowed)));
    case Placement::other_socket:
      return cores_before_threads(of_sockets_in_turn(sockets_of(topology, allowed)));
    case Placement::near_device: {
      const Cores cores = cores_in(topology, allowed, near(topology, device));
      if (!cores.empty()) return cores_before_threads(cores);
      throw std::runtime_error("no core of " + host_name() + " near " + device +
                               " may be used; check taskset and cgroups");
    }
    case Placement::any:
      break;
  }
  return cores_before_threads(
      cores_in(topology, allowed, hwloc_topology_get_topology_cpuset(topology)));
}

std::vector<std::vector<int>> spare_cpus_of(const std::vector<int>& cpus,
                                            const std::vector<int>& of_ranks,
                                            const std::function<int(int cpu)>& numa,
                                            const std::function<int(int cpu)>& core) {
  std::vector<std::vector<int>> spare(of_ranks.size());
  std::set<int> taken;
  for (const int cpu : of_ranks) taken.insert(core(cpu));
  if (taken.size() < of_ranks.size()) return spare;
  std::vector<int> left;
  for (const int cpu : cpus) {
    if (taken.insert(core(cpu)).second) left.push_back(cpu);
  }
  const std::size_t each = left.size() / of_ranks.size();
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    const int own = numa(of_ranks[rank]);
    std::stable_partition(left.begin(), left.end(), [&](int cpu) { return numa(cpu) == own; });
    const auto end = left.begin() + static_cast<std::ptrdiff_t>(each);
    spare[rank].assign(left.begin(), end);
    left.erase(left.begin(), end);
  }
  return spare;
}

}  // namespace weft

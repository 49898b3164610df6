// Which CPUs the ranks of a host take, in which order.
#pragma once

#include <hwloc.h>

#include <functional>
#include <string>
#include <vector>

#include "contract/options.hpp"

namespace weft {

/// The logical CPUs that may be used, one for each rank of a host in turn: the first hardware
/// thread of each core, then the second of each core, and so on. `placement` chooses the cores: in
/// hwloc's order, where neighbours in the list are near each other in the machine; those of one
/// socket only; those of the sockets in turn; or those near `device`, an RDMA device or a network
/// interface by its name. Throws std::runtime_error with what to type where the host has no such
/// cores.
std::vector<int> cpus_of(hwloc_topology_t topology, hwloc_const_bitmap_t allowed,
                         Placement placement, const std::string& device);

/// For each rank of a host, which polls on its CPU of `of_ranks`: the first of `cpus` on each core
/// where no rank polls, for the threads of that rank. All ranks get as many, first those on the
/// same NUMA node. None if ranks share a core.
std::vector<std::vector<int>> spare_cpus_of(const std::vector<int>& cpus,
                                            const std::vector<int>& of_ranks,
                                            const std::function<int(int cpu)>& numa,
                                            const std::function<int(int cpu)>& core);

/// The NUMA node of a CPU as the kernel numbers it, and its socket and its core as hwloc does; -1
/// where none is known.
int numa_of(hwloc_topology_t topology, int cpu);
int socket_of(hwloc_topology_t topology, int cpu);
int core_of(hwloc_topology_t topology, int cpu);

}  // namespace weft

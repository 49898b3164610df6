// Which cores ranks take, on machines that hwloc makes up.
#include "host/placement.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace weft {

namespace {

/// A machine as hwloc describes it in a line, or in XML with devices.
class Machine {
 public:
  explicit Machine(const std::string& text) {
    hwloc_topology_init(&topology_);
    hwloc_topology_set_io_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    const bool is_xml = text.starts_with("<");
    const int status = is_xml ? hwloc_topology_set_xmlbuffer(topology_, text.c_str(),
                                                             static_cast<int>(text.size()) + 1)
                              : hwloc_topology_set_synthetic(topology_, text.c_str());
    if (status != 0 || hwloc_topology_load(topology_) != 0) throw std::runtime_error(text);
    allowed_ = hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(topology_));
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  Machine(Machine&&) = delete;
  Machine& operator=(Machine&&) = delete;
  ~Machine() {
    hwloc_bitmap_free(allowed_);
    hwloc_topology_destroy(topology_);
  }

  Machine& allow(const char* cpus) {
    hwloc_bitmap_list_sscanf(allowed_, cpus);
    return *this;
  }
  [[nodiscard]] std::vector<int> cpus(Placement placement, const std::string& device = "") const {
    return cpus_of(topology_, allowed_, placement, device);
  }
  [[nodiscard]] std::string refusal(Placement placement, const std::string& device = "") const {
    try {
      (void)cpus(placement, device);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  [[nodiscard]] hwloc_topology_t topology() const { return topology_; }

 private:
  hwloc_topology_t topology_ = nullptr;
  hwloc_bitmap_t allowed_ = nullptr;
};

// Two sockets of two NUMA nodes each, two cores in each, two threads a core.
constexpr const char* two_sockets = "package:2 numa:2 core:2 pu:2";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Placement, RanksTakeCoresNearestFirstAndThenTheirOtherThreads) {
  EXPECT_EQ(Machine(two_sockets).cpus(Placement::any),
            (std::vector<int>{0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15}));
  EXPECT_EQ(Machine("package:1 core:1 pu:2").cpus(Placement::any), (std::vector<int>{0, 1}));
  EXPECT_EQ(Machine("package:1 core:2 pu:4").allow("1-4").cpus(Placement::any),
            (std::vector<int>{1, 4, 2, 3}));
}

TEST(Placement, SameSocketIsTheOneWithMostCoresThatMayBeUsed) {
  EXPECT_EQ(Machine(two_sockets).cpus(Placement::same_socket),
            (std::vector<int>{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(Machine(two_sockets).allow("1,8-15").cpus(Placement::same_socket),
            (std::vector<int>{8, 10, 12, 14, 9, 11, 13, 15}));
  // Three threads of two cores are fewer cores than three cores.
  EXPECT_EQ(Machine(two_sockets).allow("0-3,8,10,12").cpus(Placement::same_socket),
            (std::vector<int>{8, 10, 12}));
}

TEST(Placement, OtherSocketTakesTheSocketsInTurn) {
  EXPECT_EQ(Machine(two_sockets).cpus(Placement::other_socket),
            (std::vector<int>{0, 8, 2, 10, 4, 12, 6, 14, 1, 9, 3, 11, 5, 13, 7, 15}));
  EXPECT_EQ(Machine(two_sockets).allow("0-3,8-9").cpus(Placement::other_socket),
            (std::vector<int>{0, 8, 2, 1, 9, 3}));
}

TEST(Placement, OtherSocketIsRefusedWhereThereIsOne) {
  EXPECT_TRUE(has(Machine("package:1 core:4 pu:1").refusal(Placement::other_socket),
                  "has one socket that its ranks may use; choose --placement same-socket"));
  EXPECT_TRUE(has(Machine(two_sockets).allow("0-7").refusal(Placement::other_socket),
                  "has one socket that its ranks may use"));
  EXPECT_EQ(Machine(two_sockets).refusal(Placement::other_socket), "");
}

// The second NUMA node has a card with an RDMA device and its interface.
constexpr const char* with_card = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
 <object type="Machine" os_index="0" cpuset="0xf" complete_cpuset="0xf" allowed_cpuset="0xf"
   nodeset="0x3" complete_nodeset="0x3" allowed_nodeset="0x3" gp_index="1">
  <object type="Package" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1"
    complete_nodeset="0x1" gp_index="2">
   <object type="NUMANode" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1"
     complete_nodeset="0x1" gp_index="3" local_memory="1073741824"/>
   <object type="Core" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
     complete_nodeset="0x1" gp_index="4">
    <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
      complete_nodeset="0x1" gp_index="5"/>
   </object>
   <object type="Core" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1"
     complete_nodeset="0x1" gp_index="6">
    <object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1"
      complete_nodeset="0x1" gp_index="7"/>
   </object>
  </object>
  <object type="Package" os_index="1" cpuset="0xc" complete_cpuset="0xc" nodeset="0x2"
    complete_nodeset="0x2" gp_index="8">
   <object type="NUMANode" os_index="1" cpuset="0xc" complete_cpuset="0xc" nodeset="0x2"
     complete_nodeset="0x2" gp_index="9" local_memory="1073741824"/>
   <object type="Core" os_index="0" cpuset="0x4" complete_cpuset="0x4" nodeset="0x2"
     complete_nodeset="0x2" gp_index="10">
    <object type="PU" os_index="2" cpuset="0x4" complete_cpuset="0x4" nodeset="0x2"
      complete_nodeset="0x2" gp_index="11"/>
   </object>
   <object type="Core" os_index="1" cpuset="0x8" complete_cpuset="0x8" nodeset="0x2"
     complete_nodeset="0x2" gp_index="12">
    <object type="PU" os_index="3" cpuset="0x8" complete_cpuset="0x8" nodeset="0x2"
      complete_nodeset="0x2" gp_index="13"/>
   </object>
   <object type="Bridge" gp_index="14" bridge_type="0-1" depth="0" bridge_pci="0000:[80-81]">
    <object type="PCIDev" gp_index="15" pci_busid="0000:81:00.0"
      pci_type="0207 [15b3:1019] [15b3:0008] 00" pci_link_speed="15.753846">
     <object type="OSDev" gp_index="16" name="ib0" subtype="Network" osdev_type="2"/>
     <object type="OSDev" gp_index="17" name="mlx5_0" subtype="OpenFabrics" osdev_type="3"/>
    </object>
   </object>
  </object>
 </object>
</topology>
)";

TEST(Placement, NearADeviceAreTheCoresOfItsNumaNode) {
  const Machine machine(with_card);
  EXPECT_EQ(machine.cpus(Placement::near_device, "mlx5_0"), (std::vector<int>{2, 3}));
  EXPECT_EQ(machine.cpus(Placement::near_device, "ib0"), (std::vector<int>{2, 3}));
}

TEST(Placement, ADeviceThatIsNowhereIsNamedUnlessAllMemoryIsEquallyNear) {
  EXPECT_TRUE(has(Machine(with_card).refusal(Placement::near_device, "eth7"),
                  "are near eth7; name another with --interface or --device"));
  EXPECT_TRUE(has(Machine(with_card).allow("0").refusal(Placement::near_device, "ib0"),
                  "near ib0 may be used; check taskset"));
  EXPECT_EQ(Machine("package:1 core:2 pu:1").cpus(Placement::near_device, "eth7"),
            (std::vector<int>{0, 1}));
}

TEST(Placement, ACpuKnowsItsNumaNodeAndItsSocket) {
  const Machine machine(two_sockets);
  EXPECT_EQ(numa_of(machine.topology(), 7), 1);
  EXPECT_EQ(socket_of(machine.topology(), 7), 0);
  EXPECT_EQ(numa_of(machine.topology(), 8), 2);
  EXPECT_EQ(socket_of(machine.topology(), 8), 1);
  EXPECT_EQ(socket_of(machine.topology(), 99), -1);
  EXPECT_EQ(core_of(machine.topology(), 7), 3);
  EXPECT_EQ(core_of(machine.topology(), 99), -1);
}

TEST(Placement, ThreadsOfARankTakeCoresWhereNoRankPollsTheNearestFirst) {
  const auto numa = [](int cpu) { return cpu / 4; };
  const auto alone = [](int cpu) { return cpu; };
  const std::vector<int> cores{0, 1, 2, 3, 4, 5, 6, 7};
  using Cpus = std::vector<std::vector<int>>;
  EXPECT_EQ(spare_cpus_of(cores, {0}, numa, alone), (Cpus{{1, 2, 3, 4, 5, 6, 7}}));
  EXPECT_EQ(spare_cpus_of(cores, {6, 0}, numa, alone), (Cpus{{4, 5, 7}, {1, 2, 3}}));
  EXPECT_EQ(spare_cpus_of(cores, {4, 0, 1}, numa, alone), (Cpus{{5}, {2}, {3}}));
  EXPECT_EQ(spare_cpus_of(cores, {0, 0}, numa, alone), (Cpus{{}, {}}));
  EXPECT_EQ(spare_cpus_of({0, 1}, {1, 0}, numa, alone), (Cpus{{}, {}}));
}

// CPUs 0 and 4 are one core, 1 and 5 another.
TEST(Placement, ThreadsOfARankHaveACoreEach) {
  const auto numa = [](int /*cpu*/) { return 0; };
  const auto core = [](int cpu) { return cpu % 4; };
  const std::vector<int> cpus{0, 1, 2, 3, 4, 5, 6, 7};
  using Cpus = std::vector<std::vector<int>>;
  EXPECT_EQ(spare_cpus_of(cpus, {0}, numa, core), (Cpus{{1, 2, 3}}));
  EXPECT_EQ(spare_cpus_of(cpus, {5}, numa, core), (Cpus{{0, 2, 3}}));
  EXPECT_EQ(spare_cpus_of(cpus, {0, 4}, numa, core), (Cpus{{}, {}}));
}

}  // namespace

}  // namespace weft

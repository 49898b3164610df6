// What UCX says of its lanes, as notes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "transports/ucx/notes.hpp"

namespace weft {
namespace {

TEST(UcxNotes, LanesWithTheirUsesAndProtocolsBySize) {
  const Details notes = ucx_notes(
      "# UCP endpoint\n#\n#               peer: <no debug data>\n"
      "#                 lane[0]:  0:posix/memory.0 md[0]  -> md[0]/posix/sysdev[255] am am_bw#0\n"
      "#                 lane[1]:  3:rc_mlx5/mlx5_0:1.0 md[4] -> md[4]/ib/sysdev[1] rma_bw#0\n"
      "#                 lane[2]:  2:cma/memory.0 md[2]    -> md[2]/cma/sysdev[255]\n"
      "#                tag_send: 0..<egr/short>..92..<egr/bcopy>..8192..<rndv>..(inf)\n"
      "#                  put[0]: 0..<short>..100..<bcopy>..(inf)\n"
      "#                  rma_bw: mds [0] rndv_rkey_size 10\n");
  const Details wanted{
      {"lanes", "posix/memory (am am_bw#0), rc_mlx5/mlx5_0:1 (rma_bw#0), cma/memory"},
      {"tag_send", "0..<egr/short>..92..<egr/bcopy>..8192..<rndv>..(inf)"},
      {"put", "0..<short>..100..<bcopy>..(inf)"},
  };
  EXPECT_EQ(notes, wanted);
}

/// What the kernel tells of one device, for as long as this lives.
class Infiniband {
 public:
  Infiniband(const std::vector<std::string>& gids, bool is_soft) {
    std::string name = (std::filesystem::temp_directory_path() / "weft-ucx-XXXXXX").string();
    root_ = mkdtemp(name.data());
    const std::filesystem::path device = std::filesystem::path(root_) / "rxe0";
    std::filesystem::create_directories(device / "ports" / "1" / "gids");
    for (std::size_t index = 0; index < gids.size(); ++index) {
      std::ofstream(device / "ports" / "1" / "gids" / std::to_string(index)) << gids[index] << "\n";
    }
    if (is_soft) std::ofstream(device / "parent") << "eth0\n";
  }
  /// The types of the GIDs of a port.
  void add_port(int port, const std::vector<std::string>& types) const {
    const std::filesystem::path folder = std::filesystem::path(root_) / "rxe0" / "ports" /
                                         std::to_string(port) / "gid_attrs" / "types";
    std::filesystem::create_directories(folder);
    for (std::size_t index = 0; index < types.size(); ++index) {
      std::ofstream(folder / std::to_string(index)) << types[index] << "\n";
    }
  }
  Infiniband(const Infiniband&) = delete;
  Infiniband& operator=(const Infiniband&) = delete;
  Infiniband(Infiniband&&) = delete;
  Infiniband& operator=(Infiniband&&) = delete;
  ~Infiniband() { std::filesystem::remove_all(root_); }
  [[nodiscard]] const std::string& folder() const { return root_; }

 private:
  std::string root_;
};

constexpr const char* of_ipv6 = "fe80:0000:0000:0000:0042:acff:fe11:0002";
constexpr const char* of_ipv4 = "0000:0000:0000:0000:0000:ffff:0a09:0001";
constexpr const char* no_gid = "0000:0000:0000:0000:0000:0000:0000:0000";
const Details by_rc{{"library", "UCX 1.13.1"}, {"lanes", "self/memory, rc_verbs/rxe0:1 (am)"}};

TEST(SoftRoceHint, AtAnIpv4GidOfSoftRoceItSaysWhyAndWhatToSet) {
  const Infiniband devices({of_ipv6, of_ipv4, no_gid}, true);
  const std::string hint = soft_roce_hint(by_rc, devices.folder());
  EXPECT_NE(hint.find("IPv4 GID of Soft-RoCE (rxe0); set UCX_IB_GID_INDEX=0"), std::string::npos)
      << hint;
}

TEST(SoftRoceHint, NothingIsSaidWhereItDoesNotHold) {
  const Infiniband hardware({of_ipv6, of_ipv4}, false);
  EXPECT_EQ(soft_roce_hint(by_rc, hardware.folder()), "");
  const Infiniband without_ipv4({of_ipv6, no_gid}, true);
  EXPECT_EQ(soft_roce_hint(by_rc, without_ipv4.folder()), "");
  const Infiniband soft({of_ipv6, of_ipv4}, true);
  EXPECT_EQ(soft_roce_hint({{"lanes", "posix/memory (am), tcp/eth0"}}, soft.folder()), "");
  setenv("UCX_IB_GID_INDEX", "0", 1);
  EXPECT_EQ(soft_roce_hint(by_rc, soft.folder()), "");
  unsetenv("UCX_IB_GID_INDEX");
}

Details classes(const std::string& traffic_class, const std::string& service_level) {
  return {{"traffic class", traffic_class}, {"service level", service_level}};
}

TEST(UcxClasses, Are106OverRoceV2AndElse0UnlessAVariableSetsThem) {
  const Infiniband devices({}, false);
  devices.add_port(1, {"IB/RoCE v1", "RoCE v2"});
  EXPECT_EQ(ucx_classes(by_rc, devices.folder()), classes("106", "unknown"));
  setenv("UCX_IB_GID_INDEX", "0", 1);
  EXPECT_EQ(ucx_classes(by_rc, devices.folder()), classes("0", "unknown"));
  unsetenv("UCX_IB_GID_INDEX");
  setenv("UCX_IB_TRAFFIC_CLASS", "40", 1);
  setenv("UCX_IB_SL", "3", 1);
  EXPECT_EQ(ucx_classes(by_rc, devices.folder()), classes("40", "3"));
  setenv("UCX_IB_TRAFFIC_CLASS", "auto", 1);
  setenv("UCX_IB_SL", "auto", 1);
  EXPECT_EQ(ucx_classes(by_rc, devices.folder()), classes("106", "unknown"));
  setenv("UCX_RC_VERBS_TRAFFIC_CLASS", "8", 1);
  EXPECT_EQ(ucx_classes(by_rc, devices.folder()), classes("unknown", "unknown"));
  for (const char* name : {"UCX_IB_TRAFFIC_CLASS", "UCX_IB_SL", "UCX_RC_VERBS_TRAFFIC_CLASS"}) {
    unsetenv(name);
  }
}

TEST(UcxClasses, Are0OnInfiniBandAndOfThePortThatTheLaneNames) {
  const Infiniband devices({}, false);
  devices.add_port(1, {"IB/RoCE v1"});
  devices.add_port(2, {"RoCE v2"});
  EXPECT_EQ(ucx_classes(by_rc, devices.folder()), classes("0", "unknown"));
  const Details by_second{{"lanes", "dc_mlx5/rxe0:2 (am), cma/memory"}};
  EXPECT_EQ(ucx_classes(by_second, devices.folder()), classes("106", "unknown"));
}

TEST(UcxClasses, AreUnknownOverSocketsAndSharedMemory) {
  const Details by_sockets{{"lanes", "posix/memory (am), tcp/eth0, cma/memory"}};
  EXPECT_FALSE(goes_by_rdma(by_sockets));
  EXPECT_TRUE(goes_by_rdma(by_rc));
  EXPECT_EQ(ucx_classes(by_sockets, "/nowhere"), (Details{{"traffic class", "unknown"}}));
}

TEST(UcxNotes, OfTextOfAnotherFormNothingIsTaken) {
  EXPECT_EQ(ucx_notes("lane[0]: x\nfoo bar baz\n\n"), (Details{{"lanes", ""}}));
}

}  // namespace
}  // namespace weft

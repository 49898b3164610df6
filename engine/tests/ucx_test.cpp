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

TEST(UcxNotes, OfTextOfAnotherFormNothingIsTaken) {
  EXPECT_EQ(ucx_notes("lane[0]: x\nfoo bar baz\n\n"), (Details{{"lanes", ""}}));
}

}  // namespace
}  // namespace weft

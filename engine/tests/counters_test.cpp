// Counters of a made /sys and /proc: which are found, how far they rose, and how rank 0 hears it.
#include "host/counters.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "run/counters_of_hosts.hpp"
#include "run/describe.hpp"
#include "tests/support/gathered.hpp"

namespace weft::fake {
namespace {

constexpr std::chrono::hours ample(1);

/// A folder in place of the root of a machine's files.
class MadeTree {
 public:
  MadeTree() : root_(std::filesystem::temp_directory_path() / ("weft-" + unique_name())) {}
  MadeTree(const MadeTree&) = delete;
  MadeTree& operator=(const MadeTree&) = delete;
  MadeTree(MadeTree&&) = delete;
  MadeTree& operator=(MadeTree&&) = delete;
  ~MadeTree() { std::filesystem::remove_all(root_); }

  // In place: a counter's file stays open.
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }
  void interface(const std::string& name, const std::string& state) const {
    const std::string at = "sys/class/net/" + name + "/";
    write(at + "operstate", state);
    write(at + "carrier_down_count", "3");
    for (const char* file : {"rx_errors", "tx_errors", "rx_dropped", "tx_dropped", "rx_packets"})
      write(at + "statistics/" + file, "100");
  }
  void protocols(int retransmissions, int duplicates, int marks,
                 const std::string& more = "") const {
    write("proc/net/snmp", "Ip: InReceives InDiscards OutDiscards\nIp: 9 0 0\n" + more +
                               "Tcp: MaxConn InSegs RetransSegs InErrs\nTcp: -1 77 " +
                               std::to_string(retransmissions) + " 0");
    write("proc/net/netstat", "TcpExt: SyncookiesSent TCPDSACKRecvSegs\nTcpExt: 5 " +
                                  std::to_string(duplicates) +
                                  "\nIpExt: InOctets InCEPkts\nIpExt: 4 " + std::to_string(marks));
  }
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  static std::string unique_name() {
    static int number = 0;
    return std::to_string(getpid()) + "-" + std::to_string(++number);
  }
  std::filesystem::path root_;
};

std::vector<std::string> names_of(const HostCounters& host) {
  std::vector<std::string> all;
  for (const Counter& one : host.counters()) {
    all.push_back(one.device + " " + one.name + " " + std::string(one.kind));
  }
  return all;
}

std::vector<std::string> risen(HostCounters& host, std::size_t most = 16) {
  std::vector<std::string> all;
  for (const CounterRise& one : host.rises(most)) {
    const Counter& counter = host.counters().at(one.counter);
    all.push_back(counter.device + " " + counter.name + " " + std::to_string(one.rise));
  }
  return all;
}

using Texts = std::vector<std::string>;

TEST(Counters, OfInterfacesThatAreUpAndOfNoOthers) {
  const MadeTree tree;
  tree.interface("eth0", "up");
  tree.interface("eth1", "down");
  tree.interface("lo", "unknown");
  const HostCounters host(tree.root(), ample);
  EXPECT_EQ(names_of(host),
            (Texts{"eth0 rx_errors errors", "eth0 tx_errors errors", "eth0 rx_dropped drops",
                   "eth0 tx_dropped drops", "eth0 carrier_down_count link_flaps"}));
}

TEST(Counters, RiseSinceTheLastReadingTheLargestFirst) {
  const MadeTree tree;
  tree.interface("eth0", "up");
  HostCounters host(tree.root(), ample);
  EXPECT_EQ(risen(host), Texts{});
  tree.write("sys/class/net/eth0/statistics/rx_errors", "103");
  tree.write("sys/class/net/eth0/statistics/tx_dropped", "141");
  tree.write("sys/class/net/eth0/statistics/rx_packets", "900");
  EXPECT_EQ(risen(host), (Texts{"eth0 tx_dropped 41", "eth0 rx_errors 3"}));
  EXPECT_EQ(risen(host), Texts{});
}

TEST(Counters, ThatFoundNoRoomAreReportedNextTime) {
  const MadeTree tree;
  tree.interface("eth0", "up");
  HostCounters host(tree.root(), ample);
  tree.write("sys/class/net/eth0/statistics/rx_errors", "103");
  tree.write("sys/class/net/eth0/statistics/tx_dropped", "141");
  EXPECT_EQ(risen(host, 1), Texts{"eth0 tx_dropped 41"});
  EXPECT_EQ(risen(host, 1), Texts{"eth0 rx_errors 3"});
}

TEST(Counters, ThatSomeoneSetToZeroRiseFromThere) {
  const MadeTree tree;
  tree.interface("eth0", "up");
  HostCounters host(tree.root(), ample);
  tree.write("sys/class/net/eth0/statistics/rx_errors", "0");
  EXPECT_EQ(risen(host), Texts{});
  tree.write("sys/class/net/eth0/statistics/rx_errors", "2");
  EXPECT_EQ(risen(host), Texts{"eth0 rx_errors 2"});
}

// A row of messages that no host had yet may come between the others.
TEST(Counters, OfProtocolsAreFoundByTheNamesOfTheirColumns) {
  const MadeTree tree;
  tree.protocols(10, 20, 30);
  tree.write("proc/net/snmp6", "Ip6InReceives\t8\nIp6InCEPkts     \t1");
  HostCounters host(tree.root(), ample);
  EXPECT_EQ(names_of(host),
            (Texts{"tcp RetransSegs retransmissions", "tcp InErrs errors", "ip InDiscards drops",
                   "ip OutDiscards drops", "tcp TCPDSACKRecvSegs duplicates",
                   "ip InCEPkts ecn_marks", "ip Ip6InCEPkts ecn_marks"}));
  tree.protocols(17, 22, 31, "IcmpMsg: InType3 OutType3\nIcmpMsg: 5 6\n");
  tree.write("proc/net/snmp6", "Ip6InReceives\t8\nIp6InCEPkts     \t5");
  EXPECT_EQ(risen(host), (Texts{"tcp RetransSegs 7", "ip Ip6InCEPkts 4", "tcp TCPDSACKRecvSegs 2",
                                "ip InCEPkts 1"}));
}

TEST(Counters, OfPortsAndTheirHardwareUnlessTheDeviceHasNone) {
  const MadeTree tree;
  const std::string port = "sys/class/infiniband/mlx5_0/ports/1/";
  tree.write(port + "counters/symbol_error", "4");
  tree.write(port + "counters/port_xmit_discards", "N/A (no PMA)");
  tree.write(port + "hw_counters/packet_seq_err", "6");
  tree.write(port + "hw_counters/lifespan", "10");
  tree.write("sys/class/infiniband/rxe0/ports/1/hw_counters/rcvd_seq_err", "0");
  HostCounters host(tree.root(), ample);
  EXPECT_EQ(names_of(host),
            (Texts{"mlx5_0/1 symbol_error errors", "mlx5_0/1 packet_seq_err retransmissions",
                   "rxe0/1 rcvd_seq_err retransmissions"}));
  tree.write(port + "hw_counters/packet_seq_err", "8");
  EXPECT_EQ(risen(host), Texts{"mlx5_0/1 packet_seq_err 2"});
}

TEST(Counters, OfDevicesForWhichThereIsNoTimeAreOmitted) {
  const MadeTree tree;
  tree.interface("eth0", "up");
  HostCounters host(tree.root(), std::chrono::nanoseconds(0));
  EXPECT_EQ(names_of(host), Texts{});
  EXPECT_EQ(risen(host), Texts{});
}

TEST(Counters, OfAMachineWithoutSuchFilesAreNone) {
  const MadeTree tree;
  HostCounters host(tree.root(), ample);
  EXPECT_EQ(names_of(host), Texts{});
  EXPECT_EQ(risen(host), Texts{});
}

/// Two ranks on hosts of unlike counters.
struct TwoHosts {
  template <class Act>
  void each(const Act& act) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 2; ++rank) {
      threads.emplace_back([&, rank] {
        ThreadBootstrap boot(meeting, rank);
        // Threads of one machine that say they are two.
        (void)boot.hosts(rank == 0 ? "n1" : "n2");
        CountersOfHosts counters(
            boot, std::make_unique<HostCounters>(rank == 0 ? one.root() : other.root(), ample));
        act(boot, counters);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  Meeting meeting{2};
  MadeTree one;
  MadeTree other;
};

TEST(CountersOfHosts, AreKnownByTheirKindsInTheGreeting) {
  TwoHosts two;
  two.one.interface("eth0", "up");
  two.other.write("sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error", "4");
  std::string line;
  two.each([&](Bootstrap& boot, const CountersOfHosts& counters) {
    EXPECT_TRUE(boot.rank() == 0 || counters.kinds().empty());
    if (boot.rank() == 0) line = hello_line("tcp", "MPI", {}, {}, {}, counters.kinds());
  });
  EXPECT_EQ(nlohmann::json::parse(line)["counters"],
            nlohmann::json::parse(R"({"n1":{"eth0":["drops","errors","link_flaps"]},
                                      "n2":{"mlx5_0/1":["errors"]}})"));
}

TEST(CountersOfHosts, RiseInTheBatchByHostDeviceAndName) {
  TwoHosts two;
  two.one.interface("eth0", "up");
  two.other.interface("ib0", "up");
  std::string line;
  two.each([&](Bootstrap& boot, CountersOfHosts& counters) {
    if (boot.rank() == 1) {
      two.other.write("sys/class/net/ib0/statistics/rx_errors", "141");
      Report report = report_of({{"", {1, 2}}});
      report.rises = counters.rises();
      return hand_over(boot, report);
    }
    Batch batch;
    batch.ticks = {1, 2};
    Report own = report_of({{"", {}}});
    own.rises = counters.rises();
    Gathering gathering(boot, own, batch);
    batch.counters = counters.named(batch.rises);
    BatchLine answer([&](std::string_view text) { line += text; });
    answer.begin(batch);
    gathering.parts(answer);
    answer.end(batch);
  });
  EXPECT_EQ(nlohmann::json::parse(line)["counters"], nlohmann::json::parse(R"([
    {"host":"n2","device":"ib0","name":"rx_errors","kind":"errors","rise":41}])"));
}

TEST(CountersOfHosts, ThatDidNotRiseAreNotInTheBatch) {
  EXPECT_EQ(to_line(Batch{}).find("counters"), std::string::npos);
}

}  // namespace
}  // namespace weft::fake

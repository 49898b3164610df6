// Ranks that connect by TCP, and strangers with real sockets who come in between.
#include "transports/tcp/mesh.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bootstrap/patience.hpp"
#include "host/hosts.hpp"
#include "tests/support/thread_bootstrap.hpp"

namespace weft {
namespace {

constexpr int ranks = 3;
constexpr std::size_t hello_bytes = 20;

int connect_to(sockaddr_in address) {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(file, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return file;
  close(file);
  return -errno;
}

/// What a stranger does at each address that ranks listen at, before any rank connects there.
using Visit = std::function<void(int file)>;

/// Strangers hold on to their connections for as long as this lives.
class Strangers {
 public:
  Strangers(std::size_t at_each, Visit visit) : at_each_(at_each), visit_(std::move(visit)) {}
  Strangers(const Strangers&) = delete;
  Strangers& operator=(const Strangers&) = delete;
  Strangers(Strangers&&) = delete;
  Strangers& operator=(Strangers&&) = delete;
  ~Strangers() {
    for (const int file : files_) close(file);
  }
  void come(const std::string& raw) {
    sockaddr_in address{};
    std::memcpy(&address, raw.data(), sizeof address);
    addresses_.push_back(address);
    for (std::size_t one = 0; one < at_each_; ++one) {
      files_.push_back(connect_to(address));
      ASSERT_GE(files_.back(), 0);
      if (visit_) visit_(files_.back());
    }
  }
  [[nodiscard]] const std::vector<int>& files() const { return files_; }
  [[nodiscard]] const std::vector<sockaddr_in>& addresses() const { return addresses_; }

 private:
  std::size_t at_each_;
  Visit visit_;
  std::vector<int> files_;
  std::vector<sockaddr_in> addresses_;
};

/// Ranks, and what they are connected by: made when they connect for the first time.
struct Meshes {
  explicit Meshes(fake::Meeting& meeting)
      : boots{fake::ThreadBootstrap(meeting, 0), fake::ThreadBootstrap(meeting, 1),
              fake::ThreadBootstrap(meeting, 2)} {}
  [[nodiscard]] const TcpMesh& of(std::size_t rank) const { return *meshes.at(rank); }

  std::array<fake::ThreadBootstrap, ranks> boots;
  std::array<std::unique_ptr<TcpMesh>, ranks> meshes;
};

/// Each rank with those that it needs, and what went wrong.
std::array<std::string, ranks> connect_ranks(Meshes& all,
                                             const std::array<std::vector<int>, ranks>& needed,
                                             const LinkOptions& options = {}) {
  std::array<std::string, ranks> errors;
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        auto& mesh = all.meshes.at(rank);
        if (!mesh) {
          mesh = std::make_unique<TcpMesh>(options, all.boots.at(rank), patience_of(ranks));
        }
        mesh->connect(needed.at(rank));
      } catch (const std::runtime_error& error) {
        errors.at(rank) = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

void expect_a_way(const Meshes& meshes, std::size_t mine, std::size_t peer) {
  const auto word = static_cast<unsigned char>(mine);
  ASSERT_EQ(send(meshes.of(mine).socket_of(static_cast<int>(peer)), &word, 1, 0), 1);
  unsigned char heard = 0;
  while (recv(meshes.of(peer).socket_of(static_cast<int>(mine)), &heard, 1, 0) < 0 &&
         errno == EAGAIN) {
  }
  EXPECT_EQ(heard, word);
}

/// All ranks connect while the strangers come; then each pair exchanges its ranks' numbers.
void ranks_connect_beside(Strangers& strangers) {
  fake::Meeting meeting(ranks);
  // Once a rank has said where it listens, strangers come before anyone goes on.
  std::set<int> heard;
  meeting.once_left = [&](int from, const std::string& text) {
    if (heard.insert(from).second) strangers.come(text);
  };
  Meshes meshes(meeting);
  const auto errors = connect_ranks(meshes, {{{1, 2}, {0, 2}, {0, 1}}});
  for (std::size_t mine = 0; mine < ranks; ++mine) {
    ASSERT_EQ(errors.at(mine), "");
    for (std::size_t peer = 0; peer < ranks; ++peer) {
      if (peer != mine) expect_a_way(meshes, mine, peer);
    }
  }
}

TEST(TcpRanks, ConnectWithThoseThatTheyNeedAndLaterWithMore) {
  fake::Meeting meeting(ranks);
  Meshes meshes(meeting);
  for (const std::string& error : connect_ranks(meshes, {{{1, 1}, {0}, {}}})) {
    EXPECT_EQ(error, "");
  }
  expect_a_way(meshes, 0, 1);
  const int first = meshes.of(0).socket_of(1);
  for (const int rank : {0, 1}) {
    EXPECT_EQ(meshes.of(2).socket_of(rank), -1);
    EXPECT_EQ(meshes.of(static_cast<std::size_t>(rank)).socket_of(2), -1);
  }
  for (const std::string& error : connect_ranks(meshes, {{{2, 1}, {0}, {0}}})) {
    EXPECT_EQ(error, "");
  }
  expect_a_way(meshes, 0, 2);
  expect_a_way(meshes, 2, 0);
  EXPECT_EQ(meshes.of(0).socket_of(1), first);
  EXPECT_EQ(meshes.of(1).socket_of(2), -1);
}

int class_of(int file) {
  int traffic_class = -1;
  socklen_t length = sizeof traffic_class;
  getsockopt(file, IPPROTO_IP, IP_TOS, &traffic_class, &length);
  return traffic_class;
}

TEST(TcpRanks, SendWithTheTrafficClassThatWasChosen) {
  constexpr int chosen = 106;  // the kernel has the two lowest bits for ECN
  LinkOptions options;
  options.set("traffic_class", std::to_string(chosen));
  for (const bool is_chosen : {true, false}) {
    fake::Meeting meeting(ranks);
    Meshes meshes(meeting);
    const auto errors =
        connect_ranks(meshes, {{{1}, {0}, {}}}, is_chosen ? options : LinkOptions{});
    for (const std::string& error : errors) EXPECT_EQ(error, "");
    for (const std::size_t rank : {0, 1}) {
      const int file = meshes.of(rank).socket_of(1 - static_cast<int>(rank));
      EXPECT_EQ(class_of(file), is_chosen ? chosen & ~3 : 0);
      EXPECT_EQ(meshes.of(rank).traffic_class(), is_chosen ? "104" : "0");
    }
    EXPECT_EQ(meshes.of(2).traffic_class(), "unknown");
  }
}

void say(int file, std::size_t bytes) {
  const std::string words(bytes, 'x');
  ASSERT_EQ(send(file, words.data(), words.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(words.size()));
}

TEST(TcpStranger, WhoConnectsAndClosesCostsNothing) {
  Strangers strangers(3, [](int file) { shutdown(file, SHUT_RDWR); });
  ranks_connect_beside(strangers);
}

TEST(TcpStranger, WhoResetsHisConnectionCostsNothing) {
  Strangers strangers(3, [](int file) {
    const linger at_once{1, 0};
    setsockopt(file, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    const int copy = dup(file);
    (void)dup2(STDERR_FILENO, file);  // the number stays taken, the connection goes
    close(copy);
  });
  ranks_connect_beside(strangers);
}

TEST(TcpStranger, WhoKeepsSilentCostsNothing) {
  Strangers strangers(3, nullptr);
  ranks_connect_beside(strangers);
}

TEST(TcpStranger, WhoSaysHalfOfItCostsNothing) {
  Strangers strangers(3, [](int file) { say(file, hello_bytes / 2); });
  ranks_connect_beside(strangers);
}

TEST(TcpStranger, WhoDoesNotKnowTheSecretIsShutOut) {
  Strangers strangers(3, [](int file) { say(file, hello_bytes); });
  ranks_connect_beside(strangers);
  for (std::size_t at = 0; at < std::size_t{3} * ranks; ++at) {
    char word = 0;
    EXPECT_LE(recv(strangers.files().at(at), &word, 1, 0), 0);
  }
}

TEST(TcpStranger, WhoComesInCrowdsCostsNothing) {
  Strangers strangers(200, nullptr);
  ranks_connect_beside(strangers);
}

TEST(TcpStranger, NobodyListensOnceTheRanksAreConnected) {
  Strangers strangers(0, nullptr);
  ranks_connect_beside(strangers);
  ASSERT_EQ(strangers.addresses().size(), std::size_t{ranks});
  for (const sockaddr_in& address : strangers.addresses()) {
    EXPECT_EQ(ntohl(address.sin_addr.s_addr), INADDR_LOOPBACK);
    EXPECT_EQ(connect_to(address), -ECONNREFUSED);
  }
}

/// A rank that a test plays: it comes to what a mesh of two exchanges, and gives this address.
void come_as_a_rank(Bootstrap& boot, const sockaddr_in& address) {
  constexpr std::size_t secret_bytes = hello_bytes - sizeof(int);
  (void)boot.hosts("n" + std::to_string(boot.rank()));
  (void)boot.exchange("lo");
  std::string text(sizeof(sockaddr_storage) + secret_bytes, 's');
  std::memcpy(text.data(), &address, sizeof address);
  (void)boot.swap(std::array{1 - boot.rank()}, {text});
}

TEST(TcpRank, ComesAgainWhereItWasShutOutBeforeItWasLetIn) {
  const int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(bind(door, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(listen(door, 4), 0);
  getsockname(door, reinterpret_cast<sockaddr*>(&address), &length);
  fake::Meeting meeting(2);
  std::thread rank_1([&] {
    fake::ThreadBootstrap boot(meeting, 1);
    (void)boot.hosts("n0");  // one host: the loopback joins them
    TcpMesh mesh({}, boot, patience_of(2));
    mesh.connect(std::array{0});
    EXPECT_GE(mesh.socket_of(0), 0);
  });
  fake::ThreadBootstrap boot(meeting, 0);
  come_as_a_rank(boot, address);
  for (int shut_out = 0; shut_out < 3; ++shut_out) close(accept(door, nullptr, nullptr));
  const int file = accept(door, nullptr, nullptr);
  std::array<char, hello_bytes> hello{};
  EXPECT_EQ(recv(file, hello.data(), hello.size(), MSG_WAITALL), ssize_t{hello_bytes});
  EXPECT_EQ(std::string(hello.data(), hello_bytes - sizeof(int)),
            std::string(hello_bytes - sizeof(int), 's'));
  EXPECT_EQ(send(file, "\1", 1, MSG_NOSIGNAL), 1);
  rank_1.join();
  for (const int one : {door, file}) close(one);
}

TEST(TcpRank, IsNamedWithItsHostAndAddressWhereItNeverComes) {
  fake::Meeting meeting(2);
  std::string error;
  std::thread rank_0([&] {
    fake::ThreadBootstrap boot(meeting, 0);
    LinkOptions options;
    options.set("interface", "lo");
    try {
      TcpMesh(options, boot, std::chrono::milliseconds(1)).connect(std::array{1});
    } catch (const CannotConnect& thrown) {
      error = thrown.what();
    }
  });
  fake::ThreadBootstrap boot(meeting, 1);
  sockaddr_in nowhere{};
  nowhere.sin_family = AF_INET;
  nowhere.sin_addr.s_addr = htonl(0x0A000007);
  come_as_a_rank(boot, nowhere);
  rank_0.join();
  EXPECT_TRUE(error.starts_with("rank 1 on n1 at 10.0.0.7 did not connect in 0 s; ")) << error;
}

TEST(TcpRanks, HaveLongerWhereTheyAreMany) {
  EXPECT_EQ(patience_of(2), std::chrono::milliseconds(20'040));
  EXPECT_EQ(patience_of(1024), std::chrono::milliseconds(40'480));
}

}  // namespace
}  // namespace weft

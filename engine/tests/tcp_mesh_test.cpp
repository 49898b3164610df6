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
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "host/hosts.hpp"
#include "tests/support/thread_bootstrap.hpp"
#include "transports/parts/patience.hpp"

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
  void come(const std::vector<std::string>& addresses) {
    for (const std::string& raw : addresses) {
      sockaddr_in address{};
      std::memcpy(&address, raw.data(), sizeof address);
      addresses_.push_back(address);
      for (std::size_t one = 0; one < at_each_; ++one) {
        files_.push_back(connect_to(address));
        ASSERT_GE(files_.back(), 0);
        if (visit_) visit_(files_.back());
      }
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

/// What else the ranks exchange, as secrets of the same length, is no address of the loopback.
bool are_addresses(const std::vector<std::string>& texts) {
  return std::all_of(texts.begin(), texts.end(), [](const std::string& text) {
    sockaddr_in address{};
    if (text.size() != sizeof address) return false;
    std::memcpy(&address, text.data(), sizeof address);
    return address.sin_family == AF_INET && ntohl(address.sin_addr.s_addr) == INADDR_LOOPBACK;
  });
}

/// All ranks connect while the strangers come; then each pair exchanges its ranks' numbers.
void ranks_connect_beside(Strangers& strangers) {
  fake::Meeting meeting(ranks);
  // Once the ranks have exchanged addresses, strangers come before they go on.
  meeting.once_all_came = [&](const std::vector<std::string>& texts) {
    if (are_addresses(texts)) strangers.come(texts);
  };
  std::array<TcpMesh, ranks> meshes;
  std::array<std::string, ranks> errors;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const auto index = static_cast<std::size_t>(rank);
      fake::ThreadBootstrap boot(meeting, rank);
      try {
        meshes.at(index) = connect_mesh({}, boot, patience_of(ranks));
      } catch (const std::runtime_error& error) {
        errors.at(index) = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t mine = 0; mine < ranks; ++mine) {
    ASSERT_EQ(errors.at(mine), "");
    for (std::size_t peer = 0; peer < ranks; ++peer) {
      if (peer == mine) continue;
      const auto word = static_cast<unsigned char>(mine);
      ASSERT_EQ(send(meshes.at(mine).sockets.at(peer), &word, 1, 0), 1);
      unsigned char heard = 0;
      while (recv(meshes.at(peer).sockets.at(mine), &heard, 1, 0) < 0 && errno == EAGAIN) {
      }
      EXPECT_EQ(heard, word);
    }
  }
  for (const TcpMesh& mesh : meshes) {
    for (const int file : mesh.sockets) {
      if (file >= 0) close(file);
    }
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

/// A rank 0 that a test plays: it comes to what connect_mesh exchanges, and gives this address.
void exchange_as_rank_0(Bootstrap& boot, const sockaddr_in& address) {
  (void)boot.exchange(host_name());
  (void)boot.exchange("lo");
  (void)boot.broadcast(std::string(hello_bytes - sizeof(int), 's'));
  (void)boot.exchange(std::string(reinterpret_cast<const char*>(&address), sizeof address));
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
  TcpMesh mesh;
  std::thread rank_1([&] {
    fake::ThreadBootstrap boot(meeting, 1);
    mesh = connect_mesh({}, boot, patience_of(2));
  });
  fake::ThreadBootstrap boot(meeting, 0);
  exchange_as_rank_0(boot, address);
  for (int shut_out = 0; shut_out < 3; ++shut_out) close(accept(door, nullptr, nullptr));
  const int file = accept(door, nullptr, nullptr);
  std::array<char, hello_bytes> hello{};
  EXPECT_EQ(recv(file, hello.data(), hello.size(), MSG_WAITALL), ssize_t{hello_bytes});
  EXPECT_EQ(send(file, "\1", 1, MSG_NOSIGNAL), 1);
  rank_1.join();
  EXPECT_GE(mesh.sockets.at(0), 0);
  for (const int one : {door, file, mesh.sockets.at(0)}) close(one);
}

TEST(TcpRank, IsNamedWithItsAddressWhereItNeverComes) {
  fake::Meeting meeting(2);
  std::string error;
  std::thread rank_0([&] {
    fake::ThreadBootstrap boot(meeting, 0);
    try {
      (void)connect_mesh({}, boot, std::chrono::milliseconds(1));
    } catch (const std::runtime_error& thrown) {
      error = thrown.what();
    }
  });
  fake::ThreadBootstrap boot(meeting, 1);
  sockaddr_in nowhere{};
  nowhere.sin_addr.s_addr = htonl(0x0A000007);
  exchange_as_rank_0(boot, nowhere);
  rank_0.join();
  EXPECT_TRUE(error.starts_with("rank 1 at 10.0.0.7 did not connect in 0 s; ")) << error;
}

TEST(TcpRanks, HaveLongerWhereTheyAreMany) {
  EXPECT_EQ(patience_of(2), std::chrono::milliseconds(20'040));
  EXPECT_EQ(patience_of(1024), std::chrono::milliseconds(40'480));
}

}  // namespace
}  // namespace weft

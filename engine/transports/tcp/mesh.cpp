#include "transports/tcp/mesh.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <list>
#include <span>
#include <stdexcept>

#include "host/hosts.hpp"
#include "host/network.hpp"

namespace weft {

namespace {

constexpr int highest_port = 65535;
constexpr int deadline_ms = 20'000;
constexpr std::size_t secret_bytes = 16;
using Secret = std::array<unsigned char, secret_bytes>;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what);
}
[[noreturn]] void fail_with_errno(const std::string& what, const std::string& fix) {
  fail(what + ": " + std::strerror(errno) + "; " + fix);
}

/// A file descriptor that is closed with its owner.
class Socket {
 public:
  explicit Socket(int file) : file_(file) {
    if (file < 0) fail_with_errno("cannot make a socket", "check the limit with: ulimit -n");
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  Socket(Socket&& other) noexcept : file_(other.release()) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (file_ >= 0) close(file_);
  }
  [[nodiscard]] int get() const { return file_; }
  int release() {
    const int file = file_;
    file_ = -1;
    return file;
  }

 private:
  int file_;
};

sockaddr* generic(sockaddr_in& address) {
  return reinterpret_cast<sockaddr*>(&address);  // NOLINT(*-reinterpret-cast): the sockets API
}

Socket listen_on(sockaddr_in& address, int first_port, int rank, const std::string& interface) {
  Socket listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int port = first_port == 0 ? 0 : first_port + rank;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (bind(listener.get(), generic(address), sizeof address) != 0) {
    fail_with_errno("cannot use port " + std::to_string(port) + " on " + interface,
                    "choose another tcp.port, or none");
  }
  if (listen(listener.get(), SOMAXCONN) != 0)
    fail_with_errno("cannot listen", "try another tcp.port");
  socklen_t length = sizeof address;
  getsockname(listener.get(), generic(address), &length);
  return listener;
}

[[noreturn]] void fail_unanswered(const char* what) {
  fail(std::string("no answer in 20 s while ") + what +
       "; check that a firewall lets the ranks through, or choose another tcp.interface");
}

void wait_for(int file, short events, const char* what) {
  pollfd entry{file, events, 0};
  if (poll(&entry, 1, deadline_ms) <= 0) fail_unanswered(what);
}

void send_exactly(int file, std::span<unsigned char> bytes) {
  while (!bytes.empty()) {
    wait_for(file, POLLOUT, "connecting the ranks");
    const ssize_t moved = send(file, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (moved < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (moved <= 0) fail("a peer ended while the ranks were connecting; see its messages");
    bytes = bytes.subspan(static_cast<std::size_t>(moved));
  }
}

struct Hello {
  Secret secret;
  int rank;
};

std::span<unsigned char> bytes_of(Hello& hello) {
  return {reinterpret_cast<unsigned char*>(&hello), sizeof hello};  // NOLINT(*-reinterpret-cast)
}

int connect_to(sockaddr_in address, const Hello& mine) {
  Socket link(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (connect(link.get(), generic(address), sizeof address) != 0 && errno != EINPROGRESS) {
    fail_with_errno("cannot reach a peer", "choose another tcp.interface");
  }
  wait_for(link.get(), POLLOUT, "connecting to a peer");
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(link.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) {
    errno = error;
    fail_with_errno("cannot reach a peer", "choose another tcp.interface");
  }
  Hello hello = mine;
  send_exactly(link.get(), bytes_of(hello));
  return link.release();
}

/// A connection that has not said yet whose it is.
struct Unknown {
  explicit Unknown(int file) : link(file) {}
  Socket link;
  Hello hello{};
  std::size_t heard = 0;

  /// Takes what has come; false once nothing more will.
  bool hear() {
    const std::span<unsigned char> rest = bytes_of(hello).subspan(heard);
    const ssize_t moved = recv(link.get(), rest.data(), rest.size(), 0);
    if (moved < 0) return errno == EAGAIN || errno == EINTR;
    heard += static_cast<std::size_t>(moved);
    return moved > 0 && heard < sizeof hello;
  }
};

/// Takes the connections of the ranks above this one. One without the run's secret is a stranger's:
/// it is closed once it has said so much, or when too many others have come since, and costs the
/// ranks nothing.
class Door {
 public:
  Door(int listener, const Hello& mine, std::vector<int>& sockets)
      : listener_(listener), mine_(mine), sockets_(&sockets) {}

  /// Throws std::runtime_error when no rank came for 20 s.
  void let_in(std::size_t expected) {
    auto end = Clock::now() + patience;
    while (expected > 0) {
      wait_until(end);
      take_connections();
      const std::size_t known = hear_all();
      expected -= known;
      if (known > 0) end = Clock::now() + patience;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds patience{deadline_ms};
  static constexpr std::size_t most_unknown = 64;

  void wait_until(Clock::time_point end) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    std::vector<pollfd> watched{{listener_, POLLIN, 0}};
    for (const Unknown& one : unknown_) watched.push_back({one.link.get(), POLLIN, 0});
    if (left > 0 && poll(watched.data(), watched.size(), static_cast<int>(left)) > 0) return;
    if (left > 0 && errno == EINTR) return;
    fail_unanswered("waiting for a peer to connect");
  }
  void take_connections() {
    while (true) {
      const int file = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (file < 0) return;
      if (unknown_.size() == most_unknown) unknown_.pop_front();
      unknown_.emplace_back(file);
      if (unknown_.size() == most_unknown) return;  // who has spoken is heard first
    }
  }
  std::size_t hear_all() {
    std::size_t known = 0;
    for (auto one = unknown_.begin(); one != unknown_.end();) {
      if (one->hear()) {
        ++one;
        continue;
      }
      if (one->heard == sizeof one->hello && is_of_a_rank(one->hello)) {
        sockets_->at(static_cast<std::size_t>(one->hello.rank)) = one->link.release();
        ++known;
      }
      one = unknown_.erase(one);
    }
    return known;
  }
  [[nodiscard]] bool is_of_a_rank(const Hello& hello) const {
    return hello.secret == mine_.secret && hello.rank > mine_.rank &&
           static_cast<std::size_t>(hello.rank) < sockets_->size() &&
           sockets_->at(static_cast<std::size_t>(hello.rank)) < 0;
  }

  int listener_;
  Hello mine_;
  std::vector<int>* sockets_;
  std::list<Unknown> unknown_;
};

// A socket a rank; a shell's usual limit is 1,024 files, and more are a program's to ask for.
void ask_for_sockets(int ranks) {
  constexpr rlim_t beside = 256;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t wanted = static_cast<rlim_t>(ranks) + beside;
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

Secret shared_secret(Bootstrap& boot) {
  Secret secret{};
  if (getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size())) {
    fail_with_errno("no random numbers from the kernel", "look at /dev/urandom");
  }
  const std::string chosen = boot.broadcast(std::string(secret.begin(), secret.end()));
  std::memcpy(secret.data(), chosen.data(), secret.size());
  return secret;
}

}  // namespace

TcpMesh connect_mesh(const LinkOptions& options, Bootstrap& boot) {
  TcpMesh mesh;
  const std::string named = options.text("interface");
  const int first_port = options.number("port", 0, 0, highest_port);
  const std::string other = other_host(boot);
  const Interface chosen = named.empty() ? interface_towards(other) : interface_called(named);
  sockaddr_in address = chosen.address;
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  mesh.interface = of_each_host(boot, chosen.name);
  mesh.address = text.data();
  ask_for_sockets(boot.size());
  mesh.sockets.assign(static_cast<std::size_t>(boot.size()), -1);
  Hello mine{shared_secret(boot), boot.rank()};
  const Socket listener = listen_on(address, first_port, boot.rank(), chosen.name);
  const std::string raw(reinterpret_cast<const char*>(&address), sizeof address);  // NOLINT
  const std::vector<std::string> addresses = boot.exchange(raw);
  for (int peer = 0; peer < boot.rank(); ++peer) {
    const auto index = static_cast<std::size_t>(peer);
    sockaddr_in target{};
    std::memcpy(&target, addresses[index].data(), sizeof target);
    mesh.sockets[index] = connect_to(target, mine);
  }
  Door(listener.get(), mine, mesh.sockets)
      .let_in(static_cast<std::size_t>(boot.size() - 1 - boot.rank()));
  for (const int file : mesh.sockets) {
    const int on = 1;
    if (file >= 0) setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  return mesh;
}

}  // namespace weft

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
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>

#include "host/hosts.hpp"
#include "host/network.hpp"

namespace weft {

namespace {

constexpr std::size_t secret_bytes = 16;
using Secret = std::array<unsigned char, secret_bytes>;
using Clock = std::chrono::steady_clock;
/// What a rank answers to one that it has let in.
constexpr unsigned char welcome = 1;

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

// `ranks` may all come at once.
Socket listen_on(sockaddr_in& address, int first_port, int rank, int ranks,
                 const std::string& interface) {
  Socket listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int port = first_port == 0 ? 0 : first_port + rank;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (bind(listener.get(), generic(address), sizeof address) != 0) {
    fail_with_errno("cannot use port " + std::to_string(port) + " on " + interface,
                    "choose another tcp.port, or none");
  }
  if (listen(listener.get(), std::max(SOMAXCONN, ranks)) != 0)
    fail_with_errno("cannot listen", "try another tcp.port");
  socklen_t length = sizeof address;
  getsockname(listener.get(), generic(address), &length);
  return listener;
}

struct Address {
  int rank;
  sockaddr_in address;
};

std::string text_of(const Address& one) {
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &one.address.sin_addr, text.data(), text.size());
  return "rank " + std::to_string(one.rank) + " at " + text.data();
}

/// Names the first of those that did not come.
[[noreturn]] void fail_unanswered(const std::vector<Address>& missing,
                                  std::chrono::milliseconds patience) {
  constexpr std::size_t most_named = 3;
  std::string names;
  for (std::size_t at = 0; at < std::min(missing.size(), most_named); ++at) {
    names += (at == 0 ? "" : ", ") + text_of(missing[at]);
  }
  if (missing.size() > most_named) {
    names += " and " + std::to_string(missing.size() - most_named) + " more";
  }
  fail(names + " did not connect in " + std::to_string(patience.count() / 1000) +
       " s; check that a firewall lets the ranks through, or choose another tcp.interface");
}

/// Whether there was something before the time was over.
bool await_event(int file, short events, Clock::time_point end) {
  pollfd entry{file, events, 0};
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    const int found = left > 0 ? poll(&entry, 1, static_cast<int>(left)) : 0;
    if (found >= 0 || errno != EINTR) return found > 0;
  }
}

struct Hello {
  Secret secret;
  int rank;
};

std::span<unsigned char> bytes_of(Hello& hello) {
  return {reinterpret_cast<unsigned char*>(&hello), sizeof hello};  // NOLINT(*-reinterpret-cast)
}

/// A rank below this one, which lets it in.
class Host {
 public:
  Host(const Address& where, const Hello& mine) : where_(where), mine_(mine) { come(); }

  [[nodiscard]] const Address& where() const { return where_; }
  /// A connection to it, once it has said that it has let this rank in; what shuts this rank out
  /// before, as a crowd of strangers may, makes it come again. Nothing when the time is over.
  std::optional<int> welcomed_until(Clock::time_point end) {
    while (introduce_until(end) && await_event(link_->get(), POLLIN, end)) {
      unsigned char answer = 0;
      const ssize_t moved = recv(link_->get(), &answer, 1, 0);
      if (moved == 1 && answer == welcome) return link_->release();
      if (moved < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // it is in a crowd
      come();
    }
    return std::nullopt;
  }
  /// Waits for the connection and says who this is; false when the time is over.
  bool introduce_until(Clock::time_point end) {
    while (!said_) {
      if (!await_event(link_->get(), POLLOUT, end)) return false;
      say();
    }
    return true;
  }

 private:
  void say() {
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(link_->get(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) {
      errno = error;
      fail_with_errno("cannot reach " + text_of(where_), "choose another tcp.interface");
    }
    // It fits the socket's buffer whole, which is empty.
    const std::span<unsigned char> hello = bytes_of(mine_);
    const ssize_t moved = send(link_->get(), hello.data(), hello.size(), MSG_NOSIGNAL);
    said_ = moved == static_cast<ssize_t>(hello.size());
    if (moved < 0 && errno != EAGAIN && errno != EINTR) come();
  }
  void come() {
    said_ = false;
    link_.emplace(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (connect(link_->get(), generic(where_.address), sizeof where_.address) == 0) return say();
    if (errno == EINPROGRESS) return;
    fail_with_errno("cannot reach " + text_of(where_), "choose another tcp.interface");
  }

  Address where_;
  Hello mine_;
  std::optional<Socket> link_;
  bool said_ = false;
};

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
/// it is closed once it has said so much, or when more have come than ranks may and a crowd
/// besides, and costs the ranks nothing: a rank that was closed with them comes again.
class Door {
 public:
  Door(int listener, const Hello& mine, const std::vector<Address>& ranks,
       std::vector<int>& sockets)
      : listener_(listener), mine_(mine), ranks_(&ranks), sockets_(&sockets) {}

  /// Throws std::runtime_error when no rank came for so long.
  void let_in(std::chrono::milliseconds patience) {
    auto end = Clock::now() + patience;
    for (std::vector<Address> missing = those_missing(); !missing.empty();) {
      if (!wait_until(end, missing.size())) fail_unanswered(missing, patience);
      take_connections(missing.size());
      if (hear_all() == 0) continue;
      missing = those_missing();
      end = Clock::now() + patience;
    }
  }

 private:
  static constexpr std::size_t crowd = 64;

  [[nodiscard]] std::vector<Address> those_missing() const {
    std::vector<Address> missing;
    for (const Address& one : *ranks_) {
      if (one.rank > mine_.rank && socket_of(one.rank) < 0) missing.push_back(one);
    }
    return missing;
  }
  [[nodiscard]] int socket_of(int rank) const {
    return sockets_->at(static_cast<std::size_t>(rank));
  }
  /// False when the time is over.
  bool wait_until(Clock::time_point end, std::size_t missing) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    std::vector<pollfd> watched{{listener_, POLLIN, 0}};
    watched.reserve(1 + missing + crowd);
    for (const Unknown& one : unknown_) watched.push_back({one.link.get(), POLLIN, 0});
    if (left <= 0) return false;
    const int found = poll(watched.data(), watched.size(), static_cast<int>(left));
    return found > 0 || (found < 0 && errno == EINTR);
  }
  void take_connections(std::size_t missing) {
    while (true) {
      const int file = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (file < 0) return;
      if (unknown_.size() >= missing + crowd) unknown_.pop_front();
      unknown_.emplace_back(file);
      if (unknown_.size() >= missing + crowd) return;  // who has spoken is heard first
    }
  }
  std::size_t hear_all() {
    std::size_t known = 0;
    for (auto one = unknown_.begin(); one != unknown_.end();) {
      if (one->hear()) {
        ++one;
        continue;
      }
      if (one->heard == sizeof one->hello && is_of_a_rank(one->hello) && greet(one->link.get())) {
        sockets_->at(static_cast<std::size_t>(one->hello.rank)) = one->link.release();
        ++known;
      }
      one = unknown_.erase(one);
    }
    return known;
  }
  [[nodiscard]] bool is_of_a_rank(const Hello& hello) const {
    return hello.secret == mine_.secret && hello.rank > mine_.rank &&
           static_cast<std::size_t>(hello.rank) < sockets_->size() && socket_of(hello.rank) < 0;
  }
  /// A byte fits a socket that nothing was sent through.
  static bool greet(int file) { return send(file, &welcome, 1, MSG_NOSIGNAL) == 1; }

  int listener_;
  Hello mine_;
  const std::vector<Address>* ranks_;
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

std::vector<Address> addresses_of(const std::vector<std::string>& texts) {
  std::vector<Address> addresses;
  for (const std::string& raw : texts) {
    addresses.push_back({static_cast<int>(addresses.size()), {}});
    std::memcpy(&addresses.back().address, raw.data(), sizeof(sockaddr_in));
  }
  return addresses;
}

/// Comes to the ranks below this one, lets in those above it, and waits until those below have let
/// it in.
void connect_all(int listener, const Hello& mine, const std::vector<Address>& ranks,
                 std::chrono::milliseconds patience, std::vector<int>& sockets) {
  std::list<Host> hosts;
  const auto end = Clock::now() + patience;
  for (int rank = 0; rank < mine.rank; ++rank) {
    hosts.emplace_back(ranks[static_cast<std::size_t>(rank)], mine);
  }
  for (Host& host : hosts) {
    if (!host.introduce_until(end)) fail_unanswered({host.where()}, patience);
  }
  Door(listener, mine, ranks, sockets).let_in(patience);
  for (Host& host : hosts) {
    const std::optional<int> file = host.welcomed_until(Clock::now() + patience);
    if (!file) fail_unanswered({host.where()}, patience);
    sockets.at(static_cast<std::size_t>(host.where().rank)) = *file;
  }
}

}  // namespace

TcpMesh connect_mesh(const LinkOptions& options, Bootstrap& boot,
                     std::chrono::milliseconds patience) {
  TcpMesh mesh;
  const std::string named = options.text("interface");
  const int first_port = options.number(tcp_port_setting, 0);
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
  const Socket listener = listen_on(address, first_port, boot.rank(), boot.size(), chosen.name);
  const std::string raw(reinterpret_cast<const char*>(&address), sizeof address);  // NOLINT
  connect_all(listener.get(), mine, addresses_of(boot.exchange(raw)), patience, mesh.sockets);
  for (const int file : mesh.sockets) {
    const int on = 1;
    if (file >= 0) setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  return mesh;
}

}  // namespace weft

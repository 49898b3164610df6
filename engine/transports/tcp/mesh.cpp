#include "transports/tcp/mesh.hpp"

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
#include <thread>
#include <utility>

#include "bootstrap/patience.hpp"
#include "host/hosts.hpp"
#include "host/network.hpp"
#include "transports/parts/traffic_class.hpp"

namespace weft {

namespace {

constexpr std::size_t secret_bytes = 16;
using Secret = std::array<unsigned char, secret_bytes>;
using Clock = std::chrono::steady_clock;
/// What a rank answers to one that it has let in.
constexpr unsigned char welcome = 1;

[[noreturn]] void fail_with_errno(const std::string& what, const std::string& fix) {
  throw CannotConnect(what + ": " + std::strerror(errno) + "; " + fix);
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

// `ranks` may all come at once.
Socket listen_on(SocketAddress& address, int first_port, int rank, std::size_t ranks,
                 const std::string& interface) {
  Socket listener(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // Those that came by the same port before are no hindrance; another program that listens is.
  const int on = 1;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const int port = first_port == 0 ? 0 : first_port + rank;
  address.set_port(static_cast<std::uint16_t>(port));
  if (bind(listener.get(), address.generic(), address.length()) != 0) {
    fail_with_errno("cannot use port " + std::to_string(port) + " on " + interface,
                    "choose another tcp.port, or none");
  }
  if (listen(listener.get(), std::max(SOMAXCONN, static_cast<int>(ranks))) != 0)
    fail_with_errno("cannot listen", "try another tcp.port");
  socklen_t length = sizeof address.storage;
  getsockname(listener.get(), address.generic(), &length);
  return listener;
}

/// A rank to connect with, and what it said to this one: where it is, and what it wants to hear.
struct Address {
  int rank = 0;
  SocketAddress address;
  Secret secret{};
};

std::string name_of(const Address& one, const Bootstrap& boot) {
  return boot.names_of({&one.rank, 1}) + " at " + one.address.text();
}

/// Names the first of those that did not come.
[[noreturn]] void fail_unanswered(const std::vector<Address>& missing, const Bootstrap& boot,
                                  std::chrono::milliseconds patience) {
  std::string names = name_of(missing.front(), boot);
  if (missing.size() > 1) {
    std::vector<int> others;
    for (const Address& one : std::span(missing).subspan(1)) others.push_back(one.rank);
    names += ", " + boot.names_of(others);
  }
  throw CannotConnect(names + " did not connect in " + seconds_of(patience) +
                      "; check that a firewall lets the ranks through, or choose another "
                      "tcp.interface");
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
  Host(const Address& where, int rank, const Bootstrap& boot)
      : boot_(&boot), where_(where), mine_{where.secret, rank} {
    come();
  }

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
      fail_with_errno("cannot reach " + name_of(where_, *boot_), "choose another tcp.interface");
    }
    // It fits the socket's buffer whole, which is empty.
    const std::span<unsigned char> hello = bytes_of(mine_);
    const ssize_t moved = send(link_->get(), hello.data(), hello.size(), MSG_NOSIGNAL);
    said_ = moved == static_cast<ssize_t>(hello.size());
    if (moved < 0 && errno != EAGAIN && errno != EINTR) come();
  }
  void come() {
    said_ = false;
    link_.emplace(socket(where_.address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (connect(link_->get(), where_.address.generic(), where_.address.length()) == 0) return say();
    if (errno == EINPROGRESS) return;
    fail_with_errno("cannot reach " + name_of(where_, *boot_), "choose another tcp.interface");
  }

  const Bootstrap* boot_;
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

/// Takes the connections of ranks that know this one's secret. One without it is a stranger's: it
/// is closed once it has said so much, or when more have come than ranks may and a crowd besides,
/// and costs the ranks nothing: a rank that was closed with them comes again.
class Door {
 public:
  Door(int listener, const Secret& secret, std::vector<Address> missing, const Bootstrap& boot)
      : listener_(listener), secret_(secret), missing_(std::move(missing)), boot_(&boot) {}

  /// Throws CannotConnect when no rank came for so long.
  void let_in(std::chrono::milliseconds patience, std::vector<int>& sockets) {
    auto end = Clock::now() + patience;
    while (!missing_.empty()) {
      if (!wait_until(end)) fail_unanswered(missing_, *boot_, patience);
      take_connections();
      if (hear_all(sockets)) end = Clock::now() + patience;
    }
  }

 private:
  static constexpr std::size_t crowd = 64;

  /// False when the time is over.
  bool wait_until(Clock::time_point end) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    std::vector<pollfd> watched{{listener_, POLLIN, 0}};
    watched.reserve(1 + missing_.size() + crowd);
    for (const Unknown& one : unknown_) watched.push_back({one.link.get(), POLLIN, 0});
    if (left <= 0) return false;
    const int found = poll(watched.data(), watched.size(), static_cast<int>(left));
    return found > 0 || (found < 0 && errno == EINTR);
  }
  void take_connections() {
    while (true) {
      const int file = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (file < 0) return;
      if (unknown_.size() >= missing_.size() + crowd) unknown_.pop_front();
      unknown_.emplace_back(file);
      if (unknown_.size() >= missing_.size() + crowd) return;  // who has spoken is heard first
    }
  }
  /// Whether a rank was let in.
  bool hear_all(std::vector<int>& sockets) {
    const std::size_t before = missing_.size();
    for (auto one = unknown_.begin(); one != unknown_.end();) {
      if (one->hear()) {
        ++one;
        continue;
      }
      if (const auto rank = rank_of(*one); rank != missing_.end() && greet(one->link.get())) {
        sockets.at(static_cast<std::size_t>(rank->rank)) = one->link.release();
        missing_.erase(rank);
      }
      one = unknown_.erase(one);
    }
    return missing_.size() < before;
  }
  std::vector<Address>::iterator rank_of(const Unknown& one) {
    if (one.heard != sizeof one.hello || one.hello.secret != secret_) return missing_.end();
    return std::find_if(missing_.begin(), missing_.end(),
                        [&](const Address& address) { return address.rank == one.hello.rank; });
  }
  /// A byte fits a socket that nothing was sent through.
  static bool greet(int file) { return send(file, &welcome, 1, MSG_NOSIGNAL) == 1; }

  int listener_;
  Secret secret_;
  std::vector<Address> missing_;
  const Bootstrap* boot_;
  std::list<Unknown> unknown_;
};

// A socket a peer; a shell's usual limit is 1,024 files, and more are a program's to ask for.
void ask_for_sockets(std::size_t peers) {
  constexpr rlim_t beside = 256;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t wanted = static_cast<rlim_t>(peers) + beside;
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

Secret new_secret() {
  Secret secret{};
  if (getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size())) {
    fail_with_errno("no random numbers from the kernel", "look at /dev/urandom");
  }
  return secret;
}

std::string packed(const Address& own) {
  constexpr std::size_t bytes = sizeof own.address.storage;
  std::string text(bytes + own.secret.size(), '\0');
  std::memcpy(text.data(), &own.address.storage, bytes);
  std::memcpy(&text[bytes], own.secret.data(), own.secret.size());
  return text;
}

Address unpacked(int rank, const std::string& text) {
  Address peer;
  peer.rank = rank;
  constexpr std::size_t bytes = sizeof peer.address.storage;
  std::memcpy(&peer.address.storage, text.data(), bytes);
  std::memcpy(peer.secret.data(), &text[bytes], peer.secret.size());
  return peer;
}

/// Comes to the ranks below this one, lets in those above it, and waits until those below have let
/// it in.
void connect_all(const Socket& listener, const Address& own, const std::vector<Address>& peers,
                 const Bootstrap& boot, std::chrono::milliseconds patience,
                 std::vector<int>& sockets) {
  std::list<Host> below;
  std::vector<Address> above;
  const auto end = Clock::now() + patience;
  for (const Address& peer : peers) {
    if (peer.rank > own.rank) {
      above.push_back(peer);
    } else {
      below.emplace_back(peer, own.rank, boot);
    }
  }
  for (Host& host : below) {
    if (!host.introduce_until(end)) fail_unanswered({host.where()}, boot, patience);
  }
  Door(listener.get(), own.secret, std::move(above), boot).let_in(patience, sockets);
  for (Host& host : below) {
    const std::optional<int> file = host.welcomed_until(Clock::now() + patience);
    if (!file) fail_unanswered({host.where()}, boot, patience);
    sockets.at(static_cast<std::size_t>(host.where().rank)) = *file;
  }
}

/// The level and the name of a socket's option.
std::pair<int, int> traffic_class_option(int file) {
  int family = AF_INET;
  socklen_t length = sizeof family;
  getsockopt(file, SOL_SOCKET, SO_DOMAIN, &family, &length);
  if (family == AF_INET6) return {IPPROTO_IPV6, IPV6_TCLASS};
  return {IPPROTO_IP, IP_TOS};
}

void set_traffic_class(int file, int traffic_class) {
  const auto [level, name] = traffic_class_option(file);
  if (setsockopt(file, level, name, &traffic_class, sizeof traffic_class) == 0) return;
  fail_with_errno("the kernel does not take traffic class " + std::to_string(traffic_class),
                  "choose another tcp.traffic_class");
}

int traffic_class_of(int file) {
  int traffic_class = 0;
  socklen_t length = sizeof traffic_class;
  const auto [level, name] = traffic_class_option(file);
  getsockopt(file, level, name, &traffic_class, &length);
  return traffic_class;
}

}  // namespace

TcpMesh::TcpMesh(const LinkOptions& options, Bootstrap& boot, std::chrono::milliseconds patience)
    : boot_(&boot),
      patience_(patience),
      first_port_(options.number(tcp_port_setting, 0)),
      traffic_class_(options.number(traffic_class_setting, 0)),
      known_(boot.size()),
      sockets_(static_cast<std::size_t>(boot.size()), -1) {
  const std::string named = options.text("interface");
  const std::string other = other_host(boot);
  const Interface chosen = named.empty() ? interface_towards(other) : interface_called(named);
  own_ = chosen.address;
  interface_ = chosen.name;
  interfaces_ = of_each_host(boot, interface_);
}

TcpMesh::~TcpMesh() {
  for (const int file : sockets_) {
    if (file >= 0) close(file);
  }
}

void TcpMesh::connect(std::span<const int> ranks) {
  const std::vector<int> unknown = known_.take_new(ranks);
  if (unknown.empty()) return;
  ask_for_sockets(known_.count());
  Address own{boot_->rank(), own_, new_secret()};
  const Socket listener = listen_on(own.address, first_port_, own.rank, unknown.size(), interface_);
  const std::vector<std::string> texts =
      boot_->swap(unknown, std::vector<std::string>(unknown.size(), packed(own)));
  std::vector<Address> peers;
  for (std::size_t at = 0; at < texts.size(); ++at) {
    peers.push_back(unpacked(unknown[at], texts[at]));
    peers.back().address.set_scope_of(own_);
  }
  connect_all(listener, own, peers, *boot_, patience_, sockets_);
  for (const int rank : unknown) {
    const int on = 1;
    setsockopt(socket_of(rank), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (traffic_class_ != 0) set_traffic_class(socket_of(rank), traffic_class_);
  }
}

std::string TcpMesh::traffic_class() const {
  for (const int file : sockets_) {
    if (file >= 0) return std::to_string(traffic_class_of(file));
  }
  return unknown_class;
}

std::string TcpMesh::address() const {
  return own_.text();
}

}  // namespace weft

// Sockets: one TCP stream for each pair of ranks, TCP_NODELAY, polled without blocking.
//
// Messages follow each other without a header, as both sides know their sizes. A stream has no
// empty message, so one of zero bytes crosses as one byte.
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <string_view>
#include <vector>

#include "bootstrap/patience.hpp"
#include "contract/faults.hpp"
#include "program/rank.hpp"
#include "transports/parts/connecting.hpp"
#include "transports/parts/ended_peers.hpp"
#include "transports/parts/fixed_queue.hpp"
#include "transports/parts/known_peers.hpp"
#include "transports/parts/traffic_class.hpp"
#include "transports/rails/rails.hpp"
#include "transports/tcp/mesh.hpp"

namespace weft {

class Tcp final {
 public:
  static constexpr std::string_view name = "tcp";
  static constexpr std::string_view mode = "single";
  static constexpr std::string_view summary =
      "TCP sockets with TCP_NODELAY, polled; zero bytes cross as one";
  static constexpr std::array settings{
      Setting{"interface",
              "network interface, or several (a,b) as rails, of which mode single takes the first; "
              "default: loopback, or the one that joins the hosts"},
      tcp_port_setting,
      traffic_class_setting,
      stripe_setting,
  };
  static constexpr std::string_view rail_setting = "interface";

  Tcp(const LinkOptions& options, Bootstrap& boot)
      : mesh_(options.of_rail(0), boot, patience_of(boot.size())),
        connections_(static_cast<std::size_t>(boot.size())),
        busy_(connections_.size()),
        watched_(connections_.size()),
        ended_(boot.size()) {
    for (std::size_t rank = 0; rank < connections_.size(); ++rank) {
      connections_[rank].rank = static_cast<int>(rank);
    }
    connecting_ns_ = connecting_ns(boot, [&] { connect(first_neighbours(boot)); });
  }
  Tcp(const Tcp&) = delete;
  Tcp& operator=(const Tcp&) = delete;
  Tcp(Tcp&&) = delete;
  Tcp& operator=(Tcp&&) = delete;
  ~Tcp() = default;

  /// Sockets copy from any memory.
  [[nodiscard]] static Buffer adopt(const Buffer& memory) { return memory; }
  void disown(const Buffer& /*buffer*/) const {}
  void reserve(std::size_t depth, std::span<const int> ranks) {
    connect(ranks);
    for (const int rank : ranks) {
      Connection& connection = connections_[static_cast<std::size_t>(rank)];
      connection.sends.reserve(depth);
      connection.receives.reserve(depth);
    }
  }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    Connection& connection = busy(peer);
    if (!enqueue(connection.sends, buffer, sends_)) return;
    // Most messages fit the socket's buffer: sent here, they are on their way at once.
    if (connection.sends.size() == 1) push_out(connection);
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    enqueue(busy(peer).receives, buffer, receives_);
  }
  void poll() noexcept {
    for (std::size_t at = 0; at < busy_count_;) {
      Connection& connection = *busy_[at];
      if (!connection.sends.empty()) push_out(connection);
      if (!connection.receives.empty()) take_in(connection);
      if (connection.is_idle()) {
        connection.is_listed = false;
        busy_[at] = busy_[--busy_count_];
      } else {
        ++at;
      }
    }
  }

  void block() noexcept {
    const std::uint32_t before = sends_ + receives_;
    poll();
    if (sends_ + receives_ < before || fault_.code != 0) return;
    constexpr int longest_ms = 100;
    for (std::size_t at = 0; at < busy_count_; ++at) watched_[at] = wanted(*busy_[at]);
    // A wait that a signal cuts short is one poll more; the deadline of the case is elsewhere.
    (void)::poll(watched_.data(), busy_count_, longest_ms);
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return sends_; }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept { return receives_; }
  [[nodiscard]] std::uint32_t sends_in_flight(Peer peer) const noexcept {
    return static_cast<std::uint32_t>(
        connections_[static_cast<std::size_t>(peer.rank)].sends.size());
  }
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept {
    return static_cast<std::uint32_t>(
        connections_[static_cast<std::size_t>(peer.rank)].receives.size());
  }
  int take_ended() noexcept { return ended_.take(); }
  [[nodiscard]] const Fault* fault() const noexcept { return fault_.code == 0 ? nullptr : &fault_; }

  /// What was really used, for the record.
  [[nodiscard]] Details details() const {
    return {{"interface", mesh_.interfaces()},
            {"address", mesh_.address()},
            {"TCP_NODELAY", "1"},
            {traffic_class_note, mesh_.traffic_class()},
            connecting_note(connecting_ns_)};
  }

 private:
  using Queue = FixedQueue<iovec>;
  static constexpr std::size_t most_pieces = 16;
  /// Enough for one system call: a list of long messages costs the kernel more than it spares.
  static constexpr std::size_t enough_bytes = std::size_t{128} * 1024;

  struct Connection {
    int file = -1;
    int rank = 0;
    Queue sends = {};
    Queue receives = {};
    bool is_listed = false;

    [[nodiscard]] bool is_idle() const noexcept { return sends.empty() && receives.empty(); }
  };

  void connect(std::span<const int> ranks) {
    mesh_.connect(ranks);
    for (const int rank : ranks) {
      connections_[static_cast<std::size_t>(rank)].file = mesh_.socket_of(rank);
    }
  }

  /// A peer's connection, which is looked at from now on until it has nothing under way: what the
  /// other ranks of a launch are costs a poll nothing.
  Connection& busy(Peer peer) noexcept {
    Connection& connection = connections_[static_cast<std::size_t>(peer.rank)];
    if (!connection.is_listed) {
      connection.is_listed = true;
      busy_[busy_count_++] = &connection;
    }
    return connection;
  }

  bool enqueue(Queue& queue, const Buffer& buffer, std::uint32_t& in_flight) noexcept {
    if (queue.full()) {
      if (fault_.code == 0) fault_ = too_much_posted(ENOBUFS);
      return false;
    }
    queue.push({buffer.data, std::max<std::size_t>(buffer.bytes, 1)});
    ++in_flight;
    return true;
  }

  // What to sleep for.
  static pollfd wanted(const Connection& connection) noexcept {
    const int out = connection.sends.empty() ? 0 : POLLOUT;
    const int in = connection.receives.empty() ? 0 : POLLIN;
    return {connection.file, static_cast<short>(out | in), 0};
  }

  void push_out(Connection& connection) noexcept {
    move<send, sendmsg>(connection, connection.sends, sends_, "send");
  }
  void take_in(Connection& connection) noexcept {
    move<recv, recvmsg>(connection, connection.receives, receives_, "recv");
  }

  // One system call for as many posted messages as fit, then those that are whole are done. A
  // single one, or a long one, goes by the plain call, which spares the kernel the list.
  template <auto plain, auto call>
  void move(const Connection& connection, Queue& queue, std::uint32_t& in_flight,
            const char* during) noexcept {
    constexpr int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    const auto moved_so_far = [&](ssize_t moved) {
      if (moved > 0) {
        advance(queue, in_flight, static_cast<std::size_t>(moved));
        ended_.note(connection.rank);
      } else if (moved == 0) {
        latch(ECONNRESET, during);
      } else if (errno != EAGAIN && errno != EINTR) {
        latch(errno, during);
      }
    };
    const iovec& first = queue.front();
    if (queue.size() == 1 || first.iov_len >= enough_bytes) {
      return moved_so_far(plain(connection.file, first.iov_base, first.iov_len, flags));
    }
    std::array<iovec, most_pieces> pieces;  // NOLINT(*-member-init): filled as far as it is read
    const std::size_t most = std::min(queue.size(), most_pieces);
    std::size_t count = 0;
    for (std::size_t bytes = 0; count < most && bytes < enough_bytes; ++count) {
      pieces[count] = queue[count];
      bytes += pieces[count].iov_len;
    }
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = count;
    moved_so_far(call(connection.file, &message, flags));
  }

  static void advance(Queue& queue, std::uint32_t& in_flight, std::size_t moved) noexcept {
    while (moved > 0) {
      iovec& first = queue.front();
      if (moved < first.iov_len) {
        first.iov_base = static_cast<std::byte*>(first.iov_base) + moved;
        first.iov_len -= moved;
        return;
      }
      moved -= first.iov_len;
      queue.pop();
      --in_flight;
    }
  }

  void latch(int code, const char* during) noexcept {
    if (fault_.code == 0) fault_ = {code, during, cause_of_errno(code)};
  }

  TcpMesh mesh_;
  std::int64_t connecting_ns_ = 0;
  std::vector<Connection> connections_;
  /// Those with something under way, in no order.
  std::vector<Connection*> busy_;
  std::size_t busy_count_ = 0;
  std::vector<pollfd> watched_;
  EndedPeers ended_;
  std::uint32_t sends_ = 0;
  std::uint32_t receives_ = 0;
  Fault fault_;
};

}  // namespace weft

int main(int argc, char** argv) {
  return weft::rank_main<weft::Tcp, weft::Rails<weft::Tcp, weft::Stripe>,
                         weft::Rails<weft::Tcp, weft::Turn>>(argc, argv);
}

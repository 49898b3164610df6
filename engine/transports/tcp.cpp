// Sockets: one TCP stream for each pair of ranks, TCP_NODELAY, polled without blocking.
//
// Messages follow each other without a header, as both sides know their sizes. A stream has no
// empty message, so one of zero bytes crosses as one byte.
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <vector>

#include "../connecting.hpp"
#include "../memory.hpp"
#include "../rank.hpp"
#include "../ring.hpp"
#include "../tcp_mesh.hpp"

namespace weft {

class Tcp final {
 public:
  static constexpr std::string_view name = "tcp";
  static constexpr std::string_view summary =
      "TCP sockets with TCP_NODELAY, polled; zero bytes cross as one";
  static constexpr std::array settings{
      Setting{"interface", "network interface to use; usual: loopback, or the default route's"},
      Setting{"port", "first TCP port of the ranks; usual: any"},
  };

  Tcp(const LinkOptions& options, Bootstrap& boot)
      : connecting_ns_(connecting_ns(boot, [&] { mesh_ = connect_mesh(options, boot); })) {
    for (const int file : mesh_.sockets) lanes_.push_back({.file = file});
  }
  Tcp(const Tcp&) = delete;
  Tcp& operator=(const Tcp&) = delete;
  Tcp(Tcp&&) = delete;
  Tcp& operator=(Tcp&&) = delete;
  ~Tcp() {
    for (const int file : mesh_.sockets) {
      if (file >= 0) close(file);
    }
  }

  [[nodiscard]] Buffer allocate(std::size_t bytes) const { return map_memory(bytes); }
  void release(const Buffer& buffer) const { unmap_memory(buffer); }
  void reserve(std::size_t depth) {
    for (Lane& lane : lanes_) {
      lane.sends.reserve(depth);
      lane.receives.reserve(depth);
    }
  }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    Lane& lane = lanes_[static_cast<std::size_t>(peer.rank)];
    if (!enqueue(lane.sends, buffer, sends_)) return;
    // Most messages fit the socket's buffer: sent here, they are on their way at once.
    if (lane.sends.size() == 1) push_out(lane);
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    enqueue(lanes_[static_cast<std::size_t>(peer.rank)].receives, buffer, receives_);
  }
  void poll() noexcept {
    for (Lane& lane : lanes_) {
      if (!lane.sends.empty()) push_out(lane);
      if (!lane.receives.empty()) take_in(lane);
    }
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return sends_; }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept { return receives_; }
  [[nodiscard]] const Fault* fault() const noexcept { return fault_.code == 0 ? nullptr : &fault_; }

  /// What was really used, for the record.
  [[nodiscard]] Details details() const {
    return {{"interface", mesh_.interface},
            {"address", mesh_.address},
            {"TCP_NODELAY", "1"},
            connecting_note(connecting_ns_)};
  }

 private:
  using Queue = Ring<iovec>;
  static constexpr std::size_t most_pieces = 16;

  struct Lane {
    int file = -1;
    Queue sends = {};
    Queue receives = {};
  };

  bool enqueue(Queue& queue, const Buffer& buffer, std::uint32_t& in_flight) noexcept {
    if (queue.full()) {
      latch(ENOBUFS, "posting beyond the queue's depth");
      return false;
    }
    queue.push({buffer.data, std::max<std::size_t>(buffer.bytes, 1)});
    ++in_flight;
    return true;
  }

  void push_out(Lane& lane) noexcept { move<sendmsg>(lane.file, lane.sends, sends_, "send"); }
  void take_in(Lane& lane) noexcept { move<recvmsg>(lane.file, lane.receives, receives_, "recv"); }

  // One system call for as many posted messages as fit, then those that are whole are done.
  template <auto call>
  void move(int file, Queue& queue, std::uint32_t& in_flight, const char* during) noexcept {
    std::array<iovec, most_pieces> pieces;  // NOLINT(*-member-init): filled as far as it is read
    const std::size_t count = std::min(queue.size(), most_pieces);
    for (std::size_t piece = 0; piece < count; ++piece) pieces[piece] = queue[piece];
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = count;
    const ssize_t moved = call(file, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (moved > 0) {
      advance(queue, in_flight, static_cast<std::size_t>(moved));
    } else if (moved == 0) {
      latch(ECONNRESET, during);
    } else if (errno != EAGAIN && errno != EINTR) {
      latch(errno, during);
    }
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
    if (fault_.code == 0) fault_ = {code, during};
  }

  TcpMesh mesh_;
  std::int64_t connecting_ns_;
  std::vector<Lane> lanes_;
  std::uint32_t sends_ = 0;
  std::uint32_t receives_ = 0;
  Fault fault_;
};

}  // namespace weft

int main(int argc, char** argv) {
  return weft::rank_main<weft::Tcp>(argc, argv);
}

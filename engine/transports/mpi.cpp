// MPI over whatever the library chooses: nonblocking calls, or persistent requests.
#include <mpi.h>

#include <string_view>

#include "../memory.hpp"
#include "../mpi_library.hpp"
#include "../mpi_persistent.hpp"
#include "../rank.hpp"
#include "../ring.hpp"

namespace weft {

/// MPI_Isend, MPI_Irecv, MPI_Put and MPI_Get.
class Mpi final {
 public:
  static constexpr std::string_view name = "mpi";
  static constexpr std::string_view summary =
      "MPI_Isend and MPI_Irecv, completed by MPI_Wait; MPI_Put and MPI_Get";
  static constexpr std::string_view mode = "nonblocking";
  static constexpr auto settings = mpi_settings;

  Mpi(const LinkOptions& /*options*/, Bootstrap& boot) : library_(boot) {}

  [[nodiscard]] Buffer allocate(std::size_t bytes) { return library_.allocate(bytes); }
  void release(const Buffer& buffer) const { unmap_memory(buffer); }
  void reserve(std::size_t depth) {
    sends_.reserve(depth);
    receives_.reserve(depth);
  }
  [[nodiscard]] Exposed allocate_exposed(std::size_t bytes) {
    return library_.allocate_exposed(bytes);
  }
  void release_exposed(const Exposed& exposed) { library_.release_exposed(exposed); }
  [[nodiscard]] static std::string memory_polling_hazard() {
    return "MPI does not promise that the last byte of a put becomes visible last";
  }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    MPI_Request request = MPI_REQUEST_NULL;
    const MpiShape shape = library_.shape(buffer.bytes);
    library_.latch(
        MPI_Isend(buffer.data, shape.count, shape.type, peer.rank, tag, library_.comm(), &request),
        "MPI_Isend");
    enqueue(sends_, request);
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    MPI_Request request = MPI_REQUEST_NULL;
    const MpiShape shape = library_.shape(buffer.bytes);
    library_.latch(
        MPI_Irecv(buffer.data, shape.count, shape.type, peer.rank, tag, library_.comm(), &request),
        "MPI_Irecv");
    enqueue(receives_, request);
  }
  void put(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    library_.put(peer, local, remote);
  }
  void get(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    library_.get(peer, local, remote);
  }
  void flush(Peer peer) noexcept { library_.flush(peer); }

  void poll() noexcept {
    complete_one(sends_);
    complete_one(receives_);
    library_.complete_transfers();
  }
  void await(std::uint32_t sends, std::uint32_t receives) noexcept {
    wait_until(sends_, sends);
    wait_until(receives_, receives);
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept {
    return static_cast<std::uint32_t>(sends_.size());
  }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept {
    return static_cast<std::uint32_t>(receives_.size());
  }
  [[nodiscard]] std::uint32_t transfers_in_flight() const noexcept {
    return library_.transfers_in_flight();
  }
  [[nodiscard]] const Fault* fault() const noexcept { return library_.fault(); }
  [[nodiscard]] Details details() const { return library_.details(); }
  static void before_start(const LinkOptions& options) { MpiLink::before_start(options); }

 private:
  static constexpr int tag = 1;

  void enqueue(Ring<MPI_Request>& ring, MPI_Request request) noexcept {
    if (ring.full()) {
      library_.latch(MPI_ERR_OTHER, "posting beyond the queue's depth");
      return;
    }
    ring.push(request);
  }

  // Messages of a pair complete in order, so the oldest is the one to ask after. One a call: to ask
  // after the next as well would cost a turn of the library's progress on the way that is timed.
  void complete_one(Ring<MPI_Request>& ring) noexcept {
    if (ring.empty()) return;
    int done = 0;
    library_.latch(MPI_Test(&ring.front(), &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) ring.pop();
  }

  void wait_until(Ring<MPI_Request>& ring, std::uint32_t most) noexcept {
    while (ring.size() > most) {
      library_.latch(MPI_Wait(&ring.front(), MPI_STATUS_IGNORE), "MPI_Wait");
      ring.pop();
    }
  }

  MpiLink library_;
  Ring<MPI_Request> sends_;
  Ring<MPI_Request> receives_;
};

/// MPI_Send_init and MPI_Recv_init once, MPI_Start for every message.
class PersistentMpi final {
 public:
  static constexpr std::string_view name = "mpi";
  static constexpr std::string_view summary =
      "persistent requests: MPI_Send_init and MPI_Recv_init once, MPI_Start for every message";
  static constexpr std::string_view mode = "persistent";
  static constexpr auto settings = mpi_settings;

  PersistentMpi(const LinkOptions& /*options*/, Bootstrap& boot)
      : library_(boot), requests_(library_, boot.size()) {}

  [[nodiscard]] Buffer allocate(std::size_t bytes) {
    Buffer buffer = library_.allocate(bytes);
    buffer.key = requests_.add(depth_);
    return buffer;
  }
  void release(const Buffer& buffer) {
    requests_.remove(buffer.key);
    unmap_memory(buffer);
  }
  void reserve(std::size_t depth) {
    depth_ = depth;
    sends_.reserve(depth);
    receives_.reserve(depth);
  }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    enqueue(sends_, requests_.start_send(peer, buffer));
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    enqueue(receives_, requests_.start_recv(peer, buffer));
  }
  void poll() noexcept {
    complete_one(sends_);
    complete_one(receives_);
  }
  void await(std::uint32_t sends, std::uint32_t receives) noexcept {
    wait_until(sends_, sends);
    wait_until(receives_, receives);
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept {
    return static_cast<std::uint32_t>(sends_.size());
  }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept {
    return static_cast<std::uint32_t>(receives_.size());
  }
  [[nodiscard]] const Fault* fault() const noexcept { return library_.fault(); }
  [[nodiscard]] Details details() const { return library_.details(); }
  static void before_start(const LinkOptions& options) { MpiLink::before_start(options); }

 private:
  using Queue = Ring<PersistentRequests::Started>;

  void enqueue(Queue& queue, const PersistentRequests::Started& started) noexcept {
    if (queue.full()) {
      library_.latch(MPI_ERR_OTHER, "posting beyond the queue's depth");
      return;
    }
    queue.push(started);
  }

  void complete_one(Queue& queue) noexcept {
    if (queue.empty()) return;
    int done = 0;
    library_.latch(MPI_Test(&queue.front().request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) take_back(queue);
  }

  void wait_until(Queue& queue, std::uint32_t most) noexcept {
    while (queue.size() > most) {
      library_.latch(MPI_Wait(&queue.front().request, MPI_STATUS_IGNORE), "MPI_Wait");
      take_back(queue);
    }
  }

  void take_back(Queue& queue) noexcept {
    requests_.give_back(queue.front());
    queue.pop();
  }

  MpiLink library_;
  PersistentRequests requests_;
  Queue sends_;
  Queue receives_;
  std::size_t depth_ = 2;
};

}  // namespace weft

int main(int argc, char** argv) {
  return weft::rank_main<weft::Mpi, weft::PersistentMpi>(argc, argv);
}

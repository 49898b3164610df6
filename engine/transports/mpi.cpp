// MPI point-to-point, nonblocking, over whatever the MPI library chooses.
#include <mpi.h>

#include <climits>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "../memory.hpp"
#include "../rank.hpp"
#include "../ring.hpp"

namespace weft {

class Mpi final {
 public:
  static constexpr std::string_view name = "mpi";
  static constexpr std::string_view summary = "MPI_Isend and MPI_Irecv, completed by MPI_Test";

  Mpi(const LinkOptions& /*options*/, const Bootstrap& /*boot*/) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
  Mpi(Mpi&&) = delete;
  Mpi& operator=(Mpi&&) = delete;
  ~Mpi() { MPI_Comm_free(&comm_); }

  [[nodiscard]] Buffer allocate(std::size_t bytes) const {
    if (bytes > INT_MAX) throw std::invalid_argument("an MPI count does not reach 2 GiB; use less");
    return map_memory(bytes);
  }
  void release(const Buffer& buffer) const { unmap_memory(buffer); }
  void reserve(std::size_t depth) {
    sends_.reserve(depth);
    receives_.reserve(depth);
  }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    MPI_Request request = MPI_REQUEST_NULL;
    latch(MPI_Isend(buffer.data, static_cast<int>(buffer.bytes), MPI_BYTE, peer.rank, tag, comm_,
                    &request),
          "MPI_Isend");
    enqueue(sends_, request);
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    MPI_Request request = MPI_REQUEST_NULL;
    latch(MPI_Irecv(buffer.data, static_cast<int>(buffer.bytes), MPI_BYTE, peer.rank, tag, comm_,
                    &request),
          "MPI_Irecv");
    enqueue(receives_, request);
  }
  void poll() noexcept {
    complete(sends_);
    complete(receives_);
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept {
    return static_cast<std::uint32_t>(sends_.size());
  }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept {
    return static_cast<std::uint32_t>(receives_.size());
  }
  [[nodiscard]] const Fault* fault() const noexcept { return fault_.code == 0 ? nullptr : &fault_; }

  /// What was really used, for the record.
  [[nodiscard]] static Details details() {
    int version = 0;
    int subversion = 0;
    MPI_Get_version(&version, &subversion);
    return {{"standard", std::to_string(version) + "." + std::to_string(subversion)}};
  }

 private:
  static constexpr int tag = 1;

  void latch(int code, const char* during) noexcept {
    if (code != MPI_SUCCESS && fault_.code == 0) fault_ = {code, during};
  }

  void enqueue(Ring<MPI_Request>& ring, MPI_Request request) noexcept {
    if (ring.full()) {
      latch(MPI_ERR_OTHER, "posting beyond the queue's depth");
      return;
    }
    ring.push(request);
  }

  // Messages of a pair complete in order, so the oldest is the one to ask after.
  void complete(Ring<MPI_Request>& ring) noexcept {
    while (!ring.empty()) {
      int done = 0;
      latch(MPI_Test(&ring.front(), &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done == 0) return;
      ring.pop();
    }
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  Ring<MPI_Request> sends_;
  Ring<MPI_Request> receives_;
  Fault fault_;
};

}  // namespace weft

int main(int argc, char** argv) {
  return weft::rank_main<weft::Mpi>(argc, argv);
}

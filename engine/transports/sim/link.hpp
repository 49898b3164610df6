// MPI on a simulated platform: a rank that waits lets virtual time go on, one that asks does not.
#pragma once

#include <smpi/smpi.h>

#include <bit>
#include <climits>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "contract/details.hpp"
#include "contract/options.hpp"
#include "contract/transport.hpp"
#include "transports/parts/mpi_collectives.hpp"
#include "transports/sim/clock.hpp"
#include "transports/sim/pending.hpp"
#include "transports/sim/sums.hpp"

namespace weft {

/// MPI_Send and MPI_Recv for a ping-pong, else MPI_Isend and MPI_Irecv, waited for by MPI_Waitany.
class Sim final {
 public:
  static constexpr std::string_view name = "sim";
  static constexpr bool is_model = true;
  static constexpr bool measures_mpi = true;
  static constexpr std::string_view summary =
      "MPI on a simulated platform (SimGrid's SMPI), in virtual time";

  Sim(const LinkOptions& options, Bootstrap& boot);
  Sim(const Sim&) = delete;
  Sim& operator=(const Sim&) = delete;
  Sim(Sim&&) = delete;
  Sim& operator=(Sim&&) = delete;
  ~Sim() = default;

  /// With the option `heads`, which is rank-sim's own, no more of a message is there than this: a
  /// thousand ranks share the memory of one process. Sums and control messages are shorter.
  static constexpr std::size_t head_bytes = 256;

  /// How much of the messages of the next case is there; the same on every rank, before any sends.
  [[nodiscard]] Carried carry(bool whole) const;
  [[nodiscard]] static Buffer adopt(const Buffer& memory) { return memory; }
  void disown(const Buffer& /*buffer*/) const {}
  [[nodiscard]] static std::string refusal(std::size_t bytes, std::size_t /*depth*/) {
    return bytes <= INT_MAX ? "" : "a simulated message has less than 2 GiB; choose smaller sizes";
  }
  void reserve(std::size_t depth, std::span<const int> /*ranks*/) {
    sends_.reserve(depth);
    receives_.reserve(depth);
  }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    if (sends_.full(peer.rank)) return latch(too_much_posted(MPI_ERR_OTHER));
    MPI_Request request = MPI_REQUEST_NULL;
    latch(MPI_Isend(buffer.data, count_of(buffer), MPI_BYTE, peer.rank, tag_of(buffer), comm_,
                    &request),
          "MPI_Isend");
    sends_.push(peer.rank, request);
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    if (receives_.full(peer.rank)) return latch(too_much_posted(MPI_ERR_OTHER));
    MPI_Request request = MPI_REQUEST_NULL;
    latch(MPI_Irecv(buffer.data, count_of(buffer), MPI_BYTE, peer.rank, tag_of(buffer), comm_,
                    &request),
          "MPI_Irecv");
    receives_.push(peer.rank, request);
  }
  /// Takes what has ended. Where that is nothing several times at one moment the rank has nothing
  /// else to do, and time goes on to the next end: the clock would stand still for all otherwise. A
  /// rank that computes between its looks is not idle.
  void poll() noexcept {
    const bool came = take(sends_);
    const Ticks now = VirtualClock::now();
    if (take(receives_) || came || now != looked_) {
      looked_ = now;
      idle_ = 0;
    } else if (++idle_ > idle_polls) {
      wait_for_any(&sends_, &receives_);
    }
  }
  void await(std::uint32_t sends, std::uint32_t receives) noexcept {
    await(sends_, sends);
    await(receives_, receives);
  }

  void send(Peer peer, const Buffer& buffer) noexcept {
    latch(MPI_Send(buffer.data, count_of(buffer), MPI_BYTE, peer.rank, tag_of(buffer), comm_),
          "MPI_Send");
  }
  void receive(Peer peer, const Buffer& buffer) noexcept {
    latch(MPI_Recv(buffer.data, count_of(buffer), MPI_BYTE, peer.rank, tag_of(buffer), comm_,
                   MPI_STATUS_IGNORE),
          "MPI_Recv");
  }

  void sum(std::span<double> numbers) noexcept {
    latch(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE,
                        MPI_SUM, comm_),
          "MPI_Allreduce");
  }

  void allreduce(const Buffer& out, const Buffer& in) noexcept {
    latch(mpi_collectives::allreduce(out, in, comm_, sum_.operation()), "MPI_Allreduce");
  }
  void broadcast(Peer root, const Buffer& buffer) noexcept {
    latch(mpi_collectives::broadcast(root, buffer, comm_), "MPI_Bcast");
  }
  void alltoall(const Buffer& out, const Buffer& in) noexcept {
    latch(mpi_collectives::alltoall(out, in, size_, comm_), "MPI_Alltoall");
  }
  void allgather(const Buffer& out, const Buffer& in) noexcept {
    latch(mpi_collectives::allgather(out, in, comm_), "MPI_Allgather");
  }
  void barrier() noexcept { latch(MPI_Barrier(comm_), "MPI_Barrier"); }
  /// At one moment: whom a barrier of messages lets go last, the next one would let go first.
  void meet() noexcept { boot_->barrier(); }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return number(sends_.size()); }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept {
    return number(receives_.size());
  }
  [[nodiscard]] std::uint32_t sends_in_flight(Peer peer) const noexcept {
    return number(sends_.size(peer.rank));
  }
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept {
    return number(receives_.size(peer.rank));
  }
  int take_ended() noexcept {
    const int peer = sends_.take_ended();
    return peer < 0 ? receives_.take_ended() : peer;
  }
  [[nodiscard]] const Fault* fault() const noexcept { return fault_.code == 0 ? nullptr : &fault_; }
  [[nodiscard]] static Details details();

 private:
  /// More than a pattern makes before it looks at what came.
  static constexpr std::uint32_t idle_polls = 4;
  /// SMPI has a mailbox for small messages and one for large ones, and a small message takes a
  /// large receive that waits before a small one that was posted earlier: the two must not match.
  static int tag_of(const Buffer& buffer) noexcept {
    return static_cast<int>(std::bit_width(buffer.bytes));
  }
  static int count_of(const Buffer& buffer) noexcept { return static_cast<int>(buffer.bytes); }
  static std::uint32_t number(std::size_t count) noexcept {
    return static_cast<std::uint32_t>(count);
  }
  void latch(int code, const char* during) noexcept {
    if (code != MPI_SUCCESS) latch(Fault{code, during});
  }
  void latch(const Fault& fault) noexcept {
    if (fault_.code == 0) fault_ = fault;
  }
  bool take(Pending& pending) noexcept;
  void await(Pending& pending, std::uint32_t most) noexcept;
  void wait_for_any(Pending* one, Pending* other) noexcept;

  Bootstrap* boot_;
  int size_;
  /// No other messages are simulated. A communicator of its own could not be made with each of the
  /// algorithms that a platform may name.
  MPI_Comm comm_ = MPI_COMM_WORLD;
  bool heads_;
  ChargedSum sum_;
  Pending sends_;
  Pending receives_;
  /// Polls in a row that found nothing at one moment, and that moment.
  std::uint32_t idle_ = 0;
  Ticks looked_ = 0;
  /// The oldest requests of all peers, for MPI_Waitany.
  std::vector<MPI_Request> oldest_;
  Fault fault_;
};

}  // namespace weft

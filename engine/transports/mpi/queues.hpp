// Two-sided messages over MPI, completed in the order of posting; how a request is made is open.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <span>
#include <type_traits>

#include "transports/mpi/library.hpp"
#include "transports/parts/ended_peers.hpp"
#include "transports/parts/fixed_queue.hpp"

namespace weft {

inline constexpr int mpi_tag = 1;

/// A request for each message: MPI_Isend and MPI_Irecv. None where one waits for it: MPI_Send and
/// MPI_Recv.
class FreshRequests {
 public:
  using Started = MPI_Request;

  FreshRequests(MpiLink& link, int /*peers*/) : link_(&link), comm_(link.comm()) {}

  void start_send(Peer peer, const Buffer& buffer, Started& request) noexcept {
    start<MPI_Isend>(peer, buffer, request, "MPI_Isend");
  }
  void start_recv(Peer peer, const Buffer& buffer, Started& request) noexcept {
    start<MPI_Irecv>(peer, buffer, request, "MPI_Irecv");
  }
  static MPI_Request& request(Started& started) noexcept { return started; }
  void give_back(const Started& /*done*/) noexcept {}

  void send(Peer peer, const Buffer& buffer) noexcept {
    const MpiShape shape = link_->shape(buffer.bytes);
    link_->latch(MPI_Send(buffer.data, shape.count, shape.type, peer.rank, mpi_tag, comm_),
                 "MPI_Send");
  }
  void receive(Peer peer, const Buffer& buffer) noexcept {
    const MpiShape shape = link_->shape(buffer.bytes);
    link_->latch(MPI_Recv(buffer.data, shape.count, shape.type, peer.rank, mpi_tag, comm_,
                          MPI_STATUS_IGNORE),
                 "MPI_Recv");
  }

 private:
  template <auto call>
  void start(Peer peer, const Buffer& buffer, Started& request, const char* during) noexcept {
    const MpiShape shape = link_->shape(buffer.bytes);
    const int code =
        call(buffer.data, shape.count, shape.type, peer.rank, mpi_tag, comm_, &request);
    if (code == MPI_SUCCESS) [[likely]]
      return;
    request = MPI_REQUEST_NULL;  // not one that ended before
    link_->latch(code, during);
  }

  MpiLink* link_;
  /// The link's: one test less on the way of every message.
  MPI_Comm comm_;
};

/// The data plane of a transport over MPI, but for one-sided operations. `Requests` starts them.
template <class Requests>
class MpiQueues {
 public:
  MpiQueues(const LinkOptions& options, Bootstrap& boot)
      : library_(options, boot),
        requests_(library_, boot.size()),
        sends_(boot.size()),
        receives_(boot.size()),
        ended_(boot.size()) {}

  void reserve(std::size_t depth, std::span<const int> ranks) {
    library_.meet(ranks);
    sends_.reserve(depth, ranks);
    receives_.reserve(depth, ranks);
    library_.reserve_transfers(depth * std::max<std::size_t>(ranks.size(), 1));
  }
  void post_send(Peer peer, const Buffer& buffer) noexcept {
    if (sends_.full(peer.rank)) [[unlikely]]
      return library_.refuse();
    requests_.start_send(peer, buffer, sends_.claim(peer.rank));
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    if (receives_.full(peer.rank)) [[unlikely]]
      return library_.refuse();
    requests_.start_recv(peer, buffer, receives_.claim(peer.rank));
  }
  template <class Next>
  void post_sends(Peer peer, std::uint32_t count, const Next& next) noexcept {
    if (sends_.room(peer.rank) < count) [[unlikely]]
      return library_.refuse();
    sends_.claim(peer.rank, count,
                 [&](Started& started) { requests_.start_send(peer, next(), started); });
  }
  template <class Next>
  void post_recvs(Peer peer, std::uint32_t count, const Next& next) noexcept {
    if (receives_.room(peer.rank) < count) [[unlikely]]
      return library_.refuse();
    receives_.claim(peer.rank, count,
                    [&](Started& started) { requests_.start_recv(peer, next(), started); });
  }
  // Messages of a pair complete in order, so the oldest is the one to ask after. One a call: to ask
  // after the next as well would cost a turn of the library's progress on the way that is timed.
  void poll() noexcept {
    poll_sends();
    probe(receives_);
  }
  void poll_sends() noexcept { probe(sends_); }
  void await(std::uint32_t sends, std::uint32_t receives) noexcept {
    await(sends_, sends);
    await(receives_, receives);
  }

  void send(Peer peer, const Buffer& buffer) noexcept requires requires(Requests& requests) {
    requests.send(peer, buffer);
  }
  { requests_.send(peer, buffer); }
  void receive(Peer peer, const Buffer& buffer) noexcept requires requires(Requests& requests) {
    requests.receive(peer, buffer);
  }
  { requests_.receive(peer, buffer); }

  void sum(std::span<double> numbers) noexcept {
    library_.latch(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()),
                                 MPI_DOUBLE, MPI_SUM, library_.comm()),
                   "MPI_Allreduce");
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept {
    return static_cast<std::uint32_t>(sends_.size());
  }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept {
    return static_cast<std::uint32_t>(receives_.size());
  }
  [[nodiscard]] std::uint32_t sends_in_flight(Peer peer) const noexcept {
    return static_cast<std::uint32_t>(sends_.of(peer.rank).size());
  }
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept {
    return static_cast<std::uint32_t>(receives_.of(peer.rank).size());
  }
  int take_ended() noexcept { return ended_.take(); }
  [[nodiscard]] const Fault* fault() const noexcept { return library_.fault(); }
  [[nodiscard]] Details details() const { return library_.details(); }
  static void before_start(const LinkOptions& options) { MpiLink::before_start(options); }
  static ThreadLevel thread_level(const LinkOptions& options) { return thread_level_in(options); }

 protected:
  [[nodiscard]] MpiLink& library() noexcept { return library_; }
  [[nodiscard]] const MpiLink& library() const noexcept { return library_; }
  [[nodiscard]] Requests& requests() noexcept { return requests_; }

 private:
  using Started = typename Requests::Started;

  bool is_done(Started& started) noexcept {
    int done = 0;
    library_.latch(MPI_Test(&Requests::request(started), &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }
  void finish(Started& started) noexcept {
    library_.latch(MPI_Wait(&Requests::request(started), MPI_STATUS_IGNORE), "MPI_Wait");
  }
  /// Several at once, as an application waits for a window. Statuses would be written for each
  /// message, and no application of a benchmark's kind asks for them.
  void finish(std::span<MPI_Request> oldest) noexcept {
    library_.latch(MPI_Waitall(static_cast<int>(oldest.size()), oldest.data(), MPI_STATUSES_IGNORE),
                   "MPI_Waitall");
  }
  void probe(QueuePerPeer<Started>& queue) noexcept {
    Started* const oldest = queue.oldest();
    if (oldest != nullptr && is_done(*oldest)) take_back(queue);
  }
  void await(QueuePerPeer<Started>& queue, std::uint32_t most) noexcept {
    while (queue.size() > most && library_.fault() == nullptr) {
      Started& oldest = *queue.oldest();
      if constexpr (std::is_same_v<Started, MPI_Request>) {
        if (queue.is_of_one() && queue.size() > most + 1) {
          const std::span<MPI_Request> several = queue.current(queue.size() - most);
          finish(several);
          ended_.note(queue.current_peer());
          queue.pop(several.size());
          continue;
        }
      }
      // Of several peers any may be the next, so none of them can be waited for.
      if (!queue.is_of_one() && !is_done(oldest)) continue;
      finish(oldest);
      take_back(queue);
    }
  }
  void take_back(QueuePerPeer<Started>& queue) noexcept {
    requests_.give_back(queue.current());
    ended_.note(queue.current_peer());
    queue.pop();
  }

  MpiLink library_;
  Requests requests_;
  QueuePerPeer<Started> sends_;
  QueuePerPeer<Started> receives_;
  EndedPeers ended_;
};

}  // namespace weft

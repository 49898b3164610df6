// Two-sided messages over MPI, completed in the order of posting; how a request is made is open.
#pragma once

#include <mpi.h>

#include "mpi_library.hpp"
#include "ring.hpp"

namespace weft {

inline constexpr int mpi_tag = 1;

/// A request for each message: MPI_Isend and MPI_Irecv.
class FreshRequests {
 public:
  struct Started {
    MPI_Request request;
  };

  FreshRequests(MpiLink& link, int /*peers*/) : link_(&link) {}

  Started start_send(Peer peer, const Buffer& buffer) noexcept {
    MPI_Request request = MPI_REQUEST_NULL;
    const MpiShape shape = link_->shape(buffer.bytes);
    link_->latch(MPI_Isend(buffer.data, shape.count, shape.type, peer.rank, mpi_tag, link_->comm(),
                           &request),
                 "MPI_Isend");
    return {request};
  }
  Started start_recv(Peer peer, const Buffer& buffer) noexcept {
    MPI_Request request = MPI_REQUEST_NULL;
    const MpiShape shape = link_->shape(buffer.bytes);
    link_->latch(MPI_Irecv(buffer.data, shape.count, shape.type, peer.rank, mpi_tag, link_->comm(),
                           &request),
                 "MPI_Irecv");
    return {request};
  }
  void give_back(const Started& /*done*/) noexcept {}

 private:
  MpiLink* link_;
};

/// The data plane of a transport over MPI, but for one-sided operations. `Requests` starts them.
template <class Requests>
class MpiQueues {
 public:
  explicit MpiQueues(const Bootstrap& boot) : library_(boot), requests_(library_, boot.size()) {}

  void reserve(std::size_t depth) {
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
  [[nodiscard]] static Details details() { return MpiLink::details(); }

 protected:
  [[nodiscard]] MpiLink& library() noexcept { return library_; }
  [[nodiscard]] const MpiLink& library() const noexcept { return library_; }
  [[nodiscard]] Requests& requests() noexcept { return requests_; }

 private:
  using Queue = Ring<typename Requests::Started>;

  void enqueue(Queue& queue, const typename Requests::Started& started) noexcept {
    if (queue.full()) {
      library_.latch(MPI_ERR_OTHER, "posting beyond the queue's depth");
      return;
    }
    queue.push(started);
  }

  // Messages of a pair complete in order, so the oldest is the one to ask after. One a call: to ask
  // after the next as well would cost a turn of the library's progress on the way that is timed.
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
  Requests requests_;
  Queue sends_;
  Queue receives_;
};

}  // namespace weft

// Operations that UCX has not ended yet: their room is made before the clock starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory.hpp"

namespace weft {

class UcxLink;
struct UcxRequest;

/// Operations of one kind with one peer, in the order of posting. Those that end early wait for
/// the earlier ones, for a count in flight only tells which are done if they are done in order.
struct UcxQueue {
  UcxRequest* first = nullptr;
  UcxRequest* last = nullptr;
};

/// One operation in flight. `memory` is where UCX keeps its own part of it.
struct UcxRequest {
  UcxRequest* next = nullptr;
  UcxQueue* queue = nullptr;
  std::uint32_t* in_flight = nullptr;
  UcxLink* owner = nullptr;
  void* memory = nullptr;
  Buffer buffer;
  bool done = false;
};

/// A fixed number of operations. UCX wants its part of a request right before the handle.
class UcxRequests {
 public:
  UcxRequests() = default;
  UcxRequests(const UcxRequests&) = delete;
  UcxRequests& operator=(const UcxRequests&) = delete;
  UcxRequests(UcxRequests&&) = delete;
  UcxRequests& operator=(UcxRequests&&) = delete;
  ~UcxRequests() { unmap_memory(memory_); }

  /// Allocates; nothing may be in flight.
  void reserve(std::size_t count, std::size_t ucx_bytes, UcxLink* owner) {
    constexpr std::size_t line = 64;
    if (count <= count_) return;
    count_ = count;
    const std::size_t stride = (ucx_bytes + line - 1) / line * line + line;
    unmap_memory(memory_);
    memory_ = map_memory(count * stride);
    requests_.assign(count, UcxRequest{});
    free_ = nullptr;
    for (std::size_t at = 0; at < count; ++at) {
      requests_[at].owner = owner;
      requests_[at].memory = memory_.data + (at + 1) * stride - line;
      requests_[at].next = free_;
      free_ = &requests_[at];
    }
  }

  /// Nothing if all are in flight. The request is the last of its queue and not done.
  UcxRequest* take(UcxQueue& queue, std::uint32_t& in_flight) noexcept {
    UcxRequest* request = free_;
    if (request == nullptr) return nullptr;
    free_ = request->next;
    request->next = nullptr;
    request->queue = &queue;
    request->in_flight = &in_flight;
    request->done = false;
    (queue.first == nullptr ? queue.first : queue.last->next) = request;
    queue.last = request;
    ++in_flight;
    return request;
  }

  /// The operation ended: it and those after it that ended before no longer count.
  void finish(UcxRequest* request) noexcept {
    request->done = true;
    UcxQueue& queue = *request->queue;
    while (queue.first != nullptr && queue.first->done) {
      UcxRequest* ended = queue.first;
      queue.first = ended->next;
      --*ended->in_flight;
      ended->next = free_;
      free_ = ended;
    }
  }

 private:
  Buffer memory_;
  std::vector<UcxRequest> requests_;
  UcxRequest* free_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace weft

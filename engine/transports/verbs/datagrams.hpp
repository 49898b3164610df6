// Where the datagrams of several peers come in.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transports/verbs/memory.hpp"

namespace weft {

/// Registered memory for datagrams, each with room for the packet's global header before it.
class DatagramSlots {
 public:
  static constexpr std::size_t header_bytes = 40;

  DatagramSlots(VerbsMemory& memory, std::size_t most_bytes)
      : memory_(&memory), bytes_(header_bytes + most_bytes) {}

  /// At least so many. Allocates. Throws std::runtime_error.
  void have(std::size_t count) {
    if (count <= slots_.size()) return;
    const std::size_t more = count - slots_.size();
    const Buffer chunk = memory_->allocate(more * bytes_, IBV_ACCESS_LOCAL_WRITE);
    for (std::size_t at = 0; at < more; ++at) {
      std::byte* const slot = chunk.data + at * bytes_;
      slots_.push_back({slot,
                        {reinterpret_cast<std::uintptr_t>(slot),  // NOLINT(*-reinterpret-cast)
                         static_cast<std::uint32_t>(bytes_), local_key(chunk)}});
    }
  }
  /// How many a queue pair has, and the next one for it. There may be more than the queue pair of
  /// today has room for.
  [[nodiscard]] std::size_t posted() const noexcept { return posted_; }
  std::uint64_t take_unposted() noexcept { return posted_++; }
  void forget_posted() noexcept { posted_ = 0; }

  [[nodiscard]] ibv_sge* piece(std::uint64_t slot) noexcept { return &slots_[slot].piece; }
  [[nodiscard]] const std::byte* content(std::uint64_t slot) const noexcept {
    return slots_[slot].data + header_bytes;
  }

 private:
  struct Slot {
    std::byte* data;
    ibv_sge piece;
  };

  VerbsMemory* memory_;
  std::size_t bytes_;
  std::vector<Slot> slots_;
  std::size_t posted_ = 0;
};

}  // namespace weft

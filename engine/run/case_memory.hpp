// The memory of a case on one rank: its messages and control messages, for both passes the same.
#pragma once

#include <cstddef>
#include <vector>

#include "host/pages.hpp"
#include "run/batch.hpp"
#include "run/buffer_set.hpp"
#include "run/case_plan.hpp"

namespace weft {

/// Where the messages of one side lie: buffers for each lane, a pass' own one lane after the other.
struct SideLayout {
  std::size_t lanes = 0;
  /// Of a lane, for the pass that has more.
  std::size_t slots = 0;
  std::size_t stride = 0;
  /// What the library may read behind the last one.
  std::size_t behind = 0;
  /// Whether the peers reach into it.
  bool is_opened = false;

  [[nodiscard]] std::size_t bytes() const { return lanes * slots * stride + behind; }
};

/// Where messages go out, or where they come in.
SideLayout layout_of(const CasePlan& plan, Opens side);

class CaseMemory {
 public:
  /// Of the launch's memory; `link_opens`: memory that is opened is the library's own. Throws
  /// std::runtime_error where the pages are not to be had, std::bad_alloc where the memory is not.
  CaseMemory(const CasePlan& plan, MessageMemory& memory, bool link_opens);
  CaseMemory(const CaseMemory&) = delete;
  CaseMemory& operator=(const CaseMemory&) = delete;
  CaseMemory(CaseMemory&&) = delete;
  CaseMemory& operator=(CaseMemory&&) = delete;
  ~CaseMemory() { memory_->give_back(); }

  /// The control messages of a rank: some for each pass, for the handshake before it, and to close
  /// the case.
  [[nodiscard]] std::byte* control() const { return memory_->control.data(); }
  /// Room for the messages of a pattern that has them in place of buffers; none for another.
  [[nodiscard]] Buffer own() const { return {memory_->in.data(), own_bytes_, 0}; }
  /// What this rank opens; no address where the library has its own.
  [[nodiscard]] Buffer to_open() const;

  /// The buffers of one pass and side, all lanes', behind so many of each lane.
  [[nodiscard]] std::vector<Buffer> slices(Opens side, const OpenedMemory* opened,
                                           std::size_t slots, std::size_t behind) const;
  /// The peer's end of what is opened.
  [[nodiscard]] std::vector<RemoteBuffer> remote(const RemoteBuffer& whole, std::size_t slots,
                                                 std::size_t behind) const;

  /// Of the memory where messages arrive, or lie if none do: as it is now.
  [[nodiscard]] PagesGot pages_had(const std::vector<Buffer>& in,
                                   const std::vector<Buffer>& out) const;

 private:
  [[nodiscard]] const SideLayout& layout(Opens side) const {
    return side == Opens::outgoing ? out_layout_ : in_layout_;
  }

  /// Whole before anything is taken: what was is given back where more cannot be had.
  CaseMemory(MessageMemory& memory, const CasePlan* plan) : memory_(&memory), plan_(plan) {}
  [[nodiscard]] const SideMemory& side_of(Opens side) const {
    return side == Opens::outgoing ? memory_->out : memory_->in;
  }

  MessageMemory* memory_;
  const CasePlan* plan_;
  SideLayout out_layout_;
  SideLayout in_layout_;
  std::size_t own_bytes_ = 0;
};

/// How many control messages of others may be awaited at once: two of each, and of one two samples'
/// more. One is sent, so a pass has one more.
std::size_t control_messages_of_pass(const CasePlan& plan);
/// One is sent, one of each neighbour comes in: before a pass, and at the end of a case.
std::size_t control_messages_of_handshake(const CasePlan& plan);

/// Of sums over ranks that are made of messages.
std::size_t messages_of_sums(const CasePlan& plan);

inline constexpr std::size_t control_bytes = 32;
/// From one control message to the next: a page of its own, as messages have, but where thousands
/// of ranks are simulated in one process.
inline std::size_t control_stride_of(const CasePlan& plan) {
  return plan.carried.is_whole() ? page_stride_of(control_bytes) : stride_of(control_bytes);
}

}  // namespace weft

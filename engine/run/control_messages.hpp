// What ranks say to each other over the link besides their messages.
#pragma once

#include <span>

#include "run/batch.hpp"
#include "run/buffer_set.hpp"
#include "run/case_memory.hpp"
#include "run/case_plan.hpp"

namespace weft {

/// The control messages of a rank that takes part, with memory from before anything is measured:
/// ranks that are omitted sleep meanwhile and could not hear that there is none.
class ControlMessages {
 public:
  /// Throws.
  ControlMessages(const CasePlan& plan, LinkControl& link, const CaseMemory& memory);

  /// Those of the pattern: the one that it sends, and where those of others come in.
  [[nodiscard]] const Buffer& own() const { return of_pass_[0]; }
  [[nodiscard]] std::span<const Buffer> of_others() const {
    return std::span(of_pass_.buffers()).subspan(1);
  }

  /// Those of sums over ranks.
  [[nodiscard]] std::span<const Buffer> of_sums() const { return sums_.buffers(); }

  /// One to and from each neighbour. Nobody may send before the other side's buffers are poisoned;
  /// the link carries it, so ranks outside the pattern stay out of it. A fault stays latched and
  /// ends the run that follows.
  void shake_hands();

  /// One more message to and from each neighbour: after a lost or repeated message it is not the
  /// one that the receiver gets. False once the link has a fault.
  bool close(Outcome& outcome);

 private:
  const CasePlan* plan_;
  LinkControl* link_;
  /// Where the case blocks: ranks that share a core would wait for each other a turn of the
  /// scheduler long.
  bool sleeps_;
  BufferSet of_pass_;
  BufferSet handshake_;
  BufferSet closing_;
  BufferSet sums_;
};

}  // namespace weft

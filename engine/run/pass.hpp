// One pass of a case on one rank: its buffers in their order of use, its loop, what arrived.
#pragma once

#include <cstdint>
#include <vector>

#include "contract/task.hpp"
#include "run/batch.hpp"
#include "run/buffer_set.hpp"
#include "run/case_memory.hpp"
#include "run/case_plan.hpp"
#include "run/control_messages.hpp"

namespace weft {

class Pass {
 public:
  /// Gives the link the buffers; `first` is the content number of the first message. Throws.
  Pass(const CasePlan& plan, LinkControl& link, const CaseMemory& memory,
       const OpenedMemory* opened, std::uint64_t first);

  /// Into what a pattern is given; `control` are in it for as long as it runs.
  void give_to(Task& task, const ControlMessages& control);
  void fill_and_poison() const;
  /// What of the pass' messages arrived, and whether it is what was sent.
  void check(Outcome& outcome, const Task& task) const;

  [[nodiscard]] PagesGot pages_had(const CaseMemory& memory) const {
    return memory.pages_had(in_.buffers(), out_.buffers());
  }

 private:
  [[nodiscard]] bool is_timed() const;
  [[nodiscard]] const BufferOrders& orders() const;
  void make_lanes();

  const CasePlan* plan_;
  std::uint64_t first_;
  BufferSet out_;
  BufferSet in_;
  /// The buffers of every lane in the order of use.
  std::vector<std::vector<Buffer>> out_orders_;
  std::vector<std::vector<Buffer>> in_orders_;
  std::vector<Lane> lanes_;
  std::vector<Peer> followers_;
  std::vector<Peer> partners_;
  std::vector<RemoteBuffer> remote_;
  std::vector<Buffer> registered_;
  std::uint8_t mark_period_ = 255;
};

}  // namespace weft

#include "run/control_messages.hpp"

#include "contract/sums.hpp"
#include "run/verification.hpp"

namespace weft {

ControlMessages::ControlMessages(const CasePlan& plan, LinkControl& link, const CaseMemory& memory)
    : plan_(&plan), link_(&link), sleeps_(plan.loop->wait == BlockOnEvent::name) {
  const std::size_t stride = control_stride_of(plan);
  const std::size_t of_pass = control_messages_of_pass(plan);
  const std::size_t of_handshake = control_messages_of_handshake(plan);
  std::byte* const handshake = memory.control() + of_pass * stride;
  std::byte* const closing = handshake + of_handshake * stride;
  const auto slices = [&](std::byte* from, std::size_t count, std::size_t bytes) {
    return slices_of({from, 0, 0}, count, bytes, stride);
  };
  of_pass_ = {link, slices(memory.control(), of_pass, control_bytes)};
  handshake_ = {link, slices(handshake, of_handshake, 1)};
  closing_ = {link, slices(closing, of_handshake, control_bytes)};
  static_assert(control_bytes == summed_numbers * sizeof(double));
  sums_ = {link, slices(closing + of_handshake * stride, messages_of_sums(plan), control_bytes)};
}

void ControlMessages::shake_hands() {
  (void)link_->swap_control_messages(plan_->role.neighbours, handshake_.buffers(), sleeps_);
}

bool ControlMessages::close(Outcome& outcome) {
  const auto from = [&](int rank) {
    return Content{static_cast<std::uint32_t>(rank), plan_->spec.id, closing_message};
  };
  const std::vector<int>& ranks = plan_->role.neighbours;
  fill({closing_[0].data, closing_[0].bytes}, from(plan_->rank));
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    poison({closing_[at + 1].data, closing_[at + 1].bytes}, from(ranks[at]));
  }
  if (!link_->swap_control_messages(ranks, closing_.buffers(), sleeps_)) return false;
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    check(outcome, closing_[at + 1], from(ranks[at]),
          "the closing message (one was lost or came twice)");
  }
  return true;
}

}  // namespace weft

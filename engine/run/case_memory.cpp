#include "run/case_memory.hpp"

#include <algorithm>
#include <bit>

#include "contract/sums.hpp"

namespace weft {

SideLayout layout_of(const CasePlan& plan, Opens side) {
  SideLayout layout;
  if (!plan.role.takes_part()) return layout;  // nor is there an order of buffers
  layout.is_opened = plan.pattern->opens == side;
  layout.lanes = side == Opens::outgoing ? plan.role.to.size() : plan.role.from.size();
  // What is opened is opened by every rank of the case, and as much of it.
  if (layout.is_opened) layout.lanes = std::max<std::size_t>(layout.lanes, 1);
  const std::size_t timed =
      side == Opens::outgoing ? slots_of(plan.orders.out) : plan.orders.sent_from.size();
  layout.slots = std::max(plan.checked.slots, plan.slots_before_timed + timed);
  const std::size_t message = message_bytes_of(plan.spec);
  if (layout.is_opened) {
    layout.stride = stride_of(plan.spec.bytes);
  } else if (plan.carried.is_whole()) {
    layout.stride = page_stride_of(message);
  } else {
    layout.stride = stride_of(std::min(message, plan.carried.content));
    const std::size_t read = std::min(message, plan.carried.read);
    if (side == Opens::outgoing) layout.behind = read - std::min(read, layout.stride);
  }
  return layout;
}

std::size_t control_messages_of_pass(const CasePlan& plan) {
  return 1 + 2 * plan.role.neighbours.size() + 2;
}

std::size_t messages_of_sums(const CasePlan& plan) {
  return messages_of_partner * plan.role.partners.size();
}

std::size_t control_messages_of_handshake(const CasePlan& plan) {
  return 1 + plan.role.neighbours.size();
}

CaseMemory::CaseMemory(const CasePlan& plan, MessageMemory& memory, bool link_opens)
    : CaseMemory(memory, &plan) {
  out_layout_ = layout_of(plan, Opens::outgoing);
  in_layout_ = layout_of(plan, Opens::incoming);
  const Pages pages = pages_of(plan.spec.pages);
  // Not where it matters whether memory was registered before, or what its pages are.
  const bool is_kept =
      plan.spec.pages.empty() && !plan.pattern->registers && is_repeated(plan.spec.schedule);
  const auto take = [&](SideMemory& of_launch, const SideLayout& side) {
    if (side.lanes == 0 || (side.is_opened && link_opens)) return;
    of_launch.take(side.bytes(), pages, is_kept && !side.is_opened);
  };
  take(memory_->out, out_layout_);
  take(memory_->in, in_layout_);
  const Footprint& pattern = plan.pattern->footprint;
  const std::size_t own = pattern.own_messages + std::size_t{pattern.own_messages_per_rank} *
                                                     static_cast<std::size_t>(plan.size);
  own_bytes_ =
      static_cast<std::size_t>(own_bytes_of(static_cast<double>(own), message_bytes_of(plan.spec)));
  if (own_bytes_ > 0) memory_->in.take(own_bytes_, Pages::usual, true);
  if (!plan.role.takes_part()) return;
  const std::size_t messages = control_messages_of_pass(plan) +
                               2 * control_messages_of_handshake(plan) + messages_of_sums(plan);
  memory_->control.take(messages * control_stride_of(plan), Pages::usual, true);
}

Buffer CaseMemory::to_open() const {
  const bool goes_out = out_layout_.is_opened;
  return {side_of(goes_out ? Opens::outgoing : Opens::incoming).data(),
          layout(goes_out ? Opens::outgoing : Opens::incoming).bytes(), 0};
}

std::vector<Buffer> CaseMemory::slices(Opens side, const OpenedMemory* opened, std::size_t slots,
                                       std::size_t behind) const {
  const SideLayout& lay = layout(side);
  if (lay.lanes == 0) return {};
  Buffer memory{side_of(side).data(), lay.bytes(), 0};
  if (lay.is_opened) memory = opened->local();
  memory.data += behind * lay.lanes * lay.stride;
  std::vector<Buffer> all = slices_of(memory, slots * lay.lanes, plan_->spec.bytes, lay.stride);
  const std::vector<std::size_t>& own = plan_->role.bytes;
  for (std::size_t at = 0; at < all.size() && !own.empty(); ++at) all[at].bytes = own[at / slots];
  return all;
}

std::vector<RemoteBuffer> CaseMemory::remote(const RemoteBuffer& whole, std::size_t slots,
                                             std::size_t behind) const {
  const SideLayout& lay = out_layout_.is_opened ? out_layout_ : in_layout_;
  std::vector<RemoteBuffer> remote;
  remote.reserve(slots);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    remote.push_back(whole.slice((behind + slot) * lay.stride, plan_->spec.bytes));
  }
  return remote;
}

PagesGot CaseMemory::pages_had(const std::vector<Buffer>& in,
                               const std::vector<Buffer>& out) const {
  if (in.empty() && out.empty()) return {};
  const Opens where = in.empty() ? Opens::outgoing : Opens::incoming;
  const SideMemory& own = side_of(where);
  if (!own.empty()) return {own.bytes(), own.huge_bytes()};
  const std::vector<Buffer>& side = in.empty() ? out : in;
  const auto first = std::bit_cast<std::uint64_t>(side.front().data);
  const std::uint64_t bytes = side.size() * layout(where).stride;
  return {bytes, huge_bytes_between(first, first + bytes)};
}

}  // namespace weft

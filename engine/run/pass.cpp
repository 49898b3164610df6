#include "run/pass.hpp"

#include <algorithm>

#include "run/verification.hpp"

namespace weft {

namespace {

BufferSet known_to(LinkControl& link, std::vector<Buffer> slices, bool is_known) {
  if (is_known) return BufferSet(std::move(slices));
  return {link, slices};
}

}  // namespace

Pass::Pass(const CasePlan& plan, LinkControl& link, const CaseMemory& memory,
           const OpenedMemory* opened, std::uint64_t first)
    : plan_(&plan), first_(first) {
  const Opens opens = plan.pattern->opens;
  const std::size_t behind = is_timed() ? plan.slots_before_timed : 0;
  const std::size_t outgoing = slots_of(orders().out);
  const std::size_t incoming = orders().sent_from.size();
  // A pattern that registers what it sends has its messages in memory that the link does not know.
  out_ = known_to(link, memory.slices(Opens::outgoing, opened, outgoing, behind),
                  opens == Opens::outgoing || plan.pattern->registers);
  in_ = known_to(link, memory.slices(Opens::incoming, opened, incoming, behind),
                 opens == Opens::incoming);
  make_lanes();
  for (const int rank : plan.role.followers) followers_.push_back(Peer{rank});
  for (const int rank : plan.role.partners) partners_.push_back(Peer{rank});
  if (opens != Opens::none) {
    const bool is_out = opens == Opens::outgoing;
    const RemoteBuffer& whole = opened->of_rank(plan.role.neighbours.front());
    remote_ = in_order(memory.remote(whole, is_out ? outgoing : incoming, behind),
                       is_out ? orders().out : orders().in);
  }
  if (plan.pattern->polls_memory) mark_period_ = mark_period_of(orders().in);
  if (plan.pattern->registers) registered_.resize(room_for(plan.spec));
}

bool Pass::is_timed() const {
  return first_ == timed_message;
}

const BufferOrders& Pass::orders() const {
  return is_timed() ? plan_->orders : plan_->checked_orders;
}

void Pass::make_lanes() {
  const Role& role = plan_->role;
  const auto of_lane = [](const BufferSet& set, std::size_t lane, std::size_t slots,
                          const std::vector<std::uint32_t>& order) {
    const auto first = set.buffers().begin() + static_cast<std::ptrdiff_t>(lane * slots);
    return in_order(std::vector<Buffer>(first, first + static_cast<std::ptrdiff_t>(slots)), order);
  };
  for (std::size_t lane = 0; lane < role.to.size(); ++lane) {
    out_orders_.push_back(of_lane(out_, lane, slots_of(orders().out), orders().out));
  }
  for (std::size_t lane = 0; lane < role.from.size(); ++lane) {
    in_orders_.push_back(of_lane(in_, lane, orders().sent_from.size(), orders().in));
  }
  lanes_.resize(std::max(role.to.size(), role.from.size()));
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lane < role.to.size()) {
      lanes_[lane].peer = lanes_[lane].target = Peer{role.to[lane]};
      lanes_[lane].out = Rotation<Buffer>(out_orders_[lane]);
    }
    if (lane < role.from.size()) {
      lanes_[lane].peer = Peer{role.from[lane]};
      lanes_[lane].in = Rotation<Buffer>(in_orders_[lane]);
    }
  }
}

void Pass::give_to(Task& task, const ControlMessages& control) {
  task.rank = plan_->rank;
  task.size = plan_->pattern->every_rank ? plan_->size : plan_->pattern->info.ranks;
  task.point = plan_->spec.point;
  task.is_back = plan_->spec.is_back;
  task.checks = !is_timed();
  task.ops_per_sample = is_timed() ? plan_->operations : plan_->checked.operations;
  task.queue_depth = is_timed() ? plan_->spec.queue_depth : plan_->checked.depth;
  if (!lanes_.empty()) {
    task.out = lanes_.front().out;
    task.in = lanes_.front().in;
  }
  task.lattice = plan_->spec.lattice;
  // What is checked is what arrives: no work is done beside it.
  task.work = is_timed() ? plan_->work : 0;
  task.lanes = lanes_;
  task.followers = followers_;
  task.partners = partners_;
  task.sum_messages = control.of_sums();
  task.streams = plan_->role.streams;
  task.remote = Rotation<RemoteBuffer>(remote_);
  task.mark_period = mark_period_;
  task.registered = registered_;
  task.control_out = control.own();
  task.control_in = Rotation<Buffer>(control.of_others());
}

void Pass::fill_and_poison() const {
  fill_lanes(*plan_, out_.buffers(), slots_of(orders().out), first_);
  poison_lanes(*plan_, in_.buffers(), orders(), first_);
}

void Pass::check(Outcome& outcome, const Task& task) const {
  for (std::size_t lane = 0; lane < plan_->role.from.size(); ++lane) {
    // A pattern takes from its lanes, or from the task's own where it has but one.
    const std::size_t taken = lanes_[lane].in.taken() + (lane == 0 ? task.in.taken() : 0);
    check_lane(outcome, *plan_, in_.buffers(), lane, orders(), taken, first_);
  }
}

}  // namespace weft

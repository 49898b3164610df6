#include "run/case_run.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <numeric>
#include <set>
#include <stdexcept>

#include "contract/wording.hpp"
#include "run/verification.hpp"

namespace weft {

namespace {

constexpr std::uint32_t no_probe = std::numeric_limits<std::uint32_t>::max();

// The median, of two in the middle the larger.
std::uint32_t middle_of(std::vector<std::uint32_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

bool CaseRun::run(Batch& batch, Report& report) {
  batch.warmup = plan_->warmup;
  batch.ops_per_sample = plan_->operations;
  const std::vector<std::size_t>& lanes = plan_->role.bytes;
  batch.sent_messages = lanes.size() * plan_->pattern->footprint.messages_per_operation;
  batch.sent_bytes = std::accumulate(lanes.begin(), lanes.end(), std::uint64_t{0}) *
                     plan_->pattern->footprint.messages_per_operation;
  const auto refuse = [&] {
    std::string reason = refuse_buffers(*plan_);
    return reason.empty() ? link_->refuse_peers(room_for(plan_->spec), peers()) : reason;
  };
  if (std::string reason = agree(*boot_, refuse); !reason.empty()) {
    report.outcome = {Status::unsupported, std::move(reason), 0};
    return true;
  }
  together(*boot_, [&] { connect(); });
  if (std::string reason = agree(*boot_, [&] { return take_memory(); }); !reason.empty()) {
    report.outcome = {Status::unsupported, std::move(reason), 0};
    return true;
  }
  open_memory();
  if (plan_->pattern->prepare != nullptr) {
    together(*boot_, [&] {
      application_ = plan_->pattern->prepare(plan_->spec, plan_->rank, plan_->size, memory_->own());
    });
  }
  if (plan_->spec.verify && !checked_pass(report.outcome)) return false;
  wait_for_all();
  if (!timed_pass(batch, report)) return false;
  if (control_messages_ && !control_messages_->close(report.outcome)) return false;
  // Behind it nobody reaches into opened memory any more.
  wait_for_all();
  return true;
}

// Each once: a neighbour to whom and from whom messages go is named twice.
std::vector<int> CaseRun::peers() const {
  const std::vector<int>& named = plan_->role.neighbours;
  const std::set<int> each(named.begin(), named.end());
  return {each.begin(), each.end()};
}

// What is half connected is of no use to any later case.
void CaseRun::connect() {
  try {
    link_->reserve(room_for(plan_->spec), peers());
  } catch (const std::runtime_error& error) {
    throw CannotConnect(error.what());
  } catch (const std::bad_alloc&) {
    throw CannotConnect("there was no memory to connect with " + counted(peers().size(), "rank") +
                        "; choose a smaller --queue-depth or fewer ranks");
  }
}

// By itself: a library may open memory by a call that every rank of the case has to come to. One
// that cannot open its own is heard of before the others ask it for its name.
void CaseRun::open_memory() {
  if (plan_->pattern->opens == Opens::none) return;
  together(*boot_, [&] {
    if (plan_->role.takes_part()) opened_.emplace(*link_, memory_->to_open());
  });
  together(*boot_, [&] {
    if (opened_) opened_->reach(*boot_, plan_->role.neighbours);
  });
}

std::string CaseRun::take_memory() {
  try {
    memory_.emplace(*plan_, *kept_, link_->opens_own_memory());
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  if (plan_->role.takes_part()) control_messages_.emplace(*plan_, *link_, *memory_);
  return "";
}

void CaseRun::wait_for_all() {
  boot_->barrier_asleep(!plan_->role.takes_part());
}

bool CaseRun::checked_pass(Outcome& outcome) {
  std::array<Ticks, 1 + most_parts> ignored{};
  Task task;
  task.samples = {ignored.data(), 1};
  for (std::size_t at = 0; at < most_parts; ++at) task.parts.at(at) = {&ignored.at(1 + at), 1};
  return one_pass(0, task, outcome, [] {});
}

void CaseRun::make_series(Batch& batch, Report& report, Task& task) {
  const std::size_t values = plan_->role.takes_part() ? plan_->samples : 0;
  batch.ticks.assign(values, 0);
  task.samples = batch.ticks;
  const PatternOn& pattern = *plan_->pattern;
  held_.assign(pattern.footprint.streams ? plan_->warmup : 0, no_probe);
  task.held = held_;
  report.parts.reserve(pattern.parts.size() + 1);
  for (std::size_t at = 0; at < pattern.parts.size(); ++at) {
    report.parts.push_back({std::string(pattern.parts[at]), std::vector<Ticks>(values, 0)});
    task.parts.at(at) = report.parts.back().ticks;
  }
  if (pattern.every_rank_times) report.parts.push_back({"", {}});
  report.is_of_all = pattern.info.splits_operations;
  report.keeps_all = plan_->spec.keeps_all;
}

bool CaseRun::timed_pass(Batch& batch, Report& report) {
  Task task;
  const auto make = [&] { make_series(batch, report, task); };
  if (!one_pass(timed_message, task, report.outcome, make)) return false;
  batch.pages = pages_;
  batch.timed_ns = spent_.wall_ns;
  if (application_ != nullptr) batch.application = application_->answers();
  report.cpu_ns = spent_.cpu_ns;
  if (!held_.empty() && held_.front() != no_probe) report.queue_held = middle_of(held_);
  if (plan_->pattern->every_rank_times && plan_->rank > 0) {
    report.parts.back().ticks = std::move(batch.ticks);
  }
  return true;
}

bool CaseRun::one_pass(std::uint64_t first, Task& task, Outcome& outcome,
                       const std::function<void()>& before) {
  std::optional<Pass> pass;
  together(*boot_, [&] {
    before();
    if (!plan_->role.takes_part()) return;
    pass.emplace(*plan_, *link_, *memory_, opened_ ? &*opened_ : nullptr, first);
  });
  if (link_->fault() != nullptr) return false;
  if (!pass) return true;
  pass->fill_and_poison();
  control_messages_->shake_hands();
  pass->give_to(task, *control_messages_);
  task.application = application_.get();
  const Spent start = spent_so_far();
  if (!plan_->loop->run(link_->link(), task)) return false;
  spent_ = spent_so_far() - start;
  if (first == timed_message && plan_->rank == 0) pages_ = pass->pages_had(*memory_);
  // An application looks at its messages itself.
  if (application_ == nullptr) pass->check(outcome, task);
  outcome.verified_bytes += task.verified_bytes;
  if (task.wrong != nullptr && outcome.status == Status::ok) {
    outcome.status = Status::failed;
    outcome.reason = task.wrong;
  }
  return true;
}

}  // namespace weft

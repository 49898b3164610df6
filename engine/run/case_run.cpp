#include "run/case_run.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <numeric>
#include <stdexcept>

#include "contract/wording.hpp"
#include "host/memory.hpp"
#include "run/ranks_of_case.hpp"
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
  report.pairs = pair_counts(plan_->role, plan_->rank, plan_->spec.hosts.get());
  const bool by_pairs = plan_->goes_by_pairs;
  if (std::string reason = by_pairs ? "" : prepare(batch, report); !reason.empty()) {
    report.parts.clear();
    report.outcome = {Status::unsupported, std::move(reason), 0};
    return true;
  }
  if (plan_->spec.verify) {
    if (!run_pass(checked_, report.outcome)) return false;
    // Behind it every rank has looked at its messages.
    if (!by_pairs)
      (void)agree_awake_or_asleep([&] {
        prepare_timed(batch, report);
        return std::string();
      });
  }
  if (!timed_pass(batch, report)) return false;
  if (control_messages_ && !control_messages_->close(report.outcome)) return false;
  // Behind it nobody reaches into opened memory any more, and ranks that stand by have slept. Where
  // there are none of both, rank 0 hears of every rank before it goes on.
  if (opens() || !takes_all_ranks(*plan_->pattern, plan_->size))
    (void)agree_awake_or_asleep([] { return ""; });
  return true;
}

std::string CaseRun::begin(Batch& batch, Report& report) {
  connect();
  std::string reason = take_memory();
  if (!reason.empty()) return reason;
  prepare_application();
  if (!opens()) prepare_passes(batch, report);
  return reason;
}

// One exchange of all ranks, as far as nobody waits for what another one did.
std::string CaseRun::prepare(Batch& batch, Report& report) {
  std::string refusal = agree_awake_or_asleep([&] { return begin(batch, report); });
  if (!refusal.empty() || !opens()) return refusal;
  if (link_->shares_opened_memory()) {
    // By now every rank has closed the windows of earlier cases.
    refusal = agree_awake_or_asleep([&] { return refuse_opening(); });
    if (!refusal.empty()) return refusal;
  }
  open_memory();
  return agree_awake_or_asleep([&] {
    prepare_passes(batch, report);
    return std::string();
  });
}

// Pairs that go on by themselves have both passes before anyone waits for them.
void CaseRun::prepare_passes(Batch& batch, Report& report) {
  if (plan_->spec.verify) prepare_checked();
  if (!plan_->spec.verify || plan_->goes_by_pairs) prepare_timed(batch, report);
}

template <class Act>
std::string CaseRun::agree_awake_or_asleep(const Act& act) {
  if (takes_all_ranks(*plan_->pattern, plan_->size)) return agree(*boot_, act);
  return agree_asleep(*boot_, !plan_->role.takes_part(), first_of_case(*plan_), act);
}

// What is half connected is of no use to any later case.
void CaseRun::connect() {
  try {
    link_->reserve(room_for(plan_->spec), peers_of(*plan_));
  } catch (const std::runtime_error& error) {
    throw CannotConnect(error.what());
  } catch (const std::bad_alloc&) {
    throw CannotConnect("there was no memory to connect with " +
                        counted(peers_of(*plan_).size(), "rank") +
                        "; choose a smaller --queue-depth or fewer ranks");
  }
}

// The library would map more than there is, and a touch would end the rank.
std::string CaseRun::refuse_opening() const {
  const RanksOfCase here = ranks_of_case(plan_->spec, *plan_->pattern, plan_->size);
  return refuse_shared_memory(here.ranks, memory_->to_open().bytes, free_shared_memory_bytes());
}

// By itself: a library may open memory by a call that every rank of the case has to come to. One
// that cannot open its own is heard of before the others ask it for its name.
void CaseRun::open_memory() {
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

void CaseRun::prepare_application() {
  if (plan_->pattern->prepare == nullptr) return;
  application_ = plan_->pattern->prepare(plan_->spec, plan_->rank, plan_->size, memory_->own());
}

void CaseRun::prepare_checked() {
  Task& task = checked_.task;
  task.samples = {ignored_.data(), 1};
  for (std::size_t at = 0; at < most_parts; ++at) task.parts.at(at) = {&ignored_.at(1 + at), 1};
  prepare_pass(checked_, 0);
}

void CaseRun::prepare_timed(Batch& batch, Report& report) {
  Task& task = timed_.task;
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
  report.most_values = std::uint64_t{plan_->spec.warmup} + plan_->spec.samples;
  report.is_of_all = pattern.info.splits_operations;
  report.keeps_all = plan_->spec.keeps_all;
  prepare_pass(timed_, timed_message);
}

void CaseRun::prepare_pass(Prepared& prepared, std::uint64_t first) {
  prepared.first = first;
  if (!plan_->role.takes_part()) return;
  prepared.pass.emplace(*plan_, *link_, *memory_, opened_ ? &*opened_ : nullptr, first);
}

bool CaseRun::timed_pass(Batch& batch, Report& report) {
  if (!run_pass(timed_, report.outcome)) return false;
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

bool CaseRun::run_pass(Prepared& prepared, Outcome& outcome) {
  if (link_->fault() != nullptr) return false;
  if (!prepared.pass) return true;
  Pass& pass = *prepared.pass;
  Task& task = prepared.task;
  pass.fill_and_poison();
  control_messages_->shake_hands();
  pass.give_to(task, *control_messages_);
  task.application = application_.get();
  const Spent start = spent_so_far();
  if (!plan_->loop->run(link_->link(), task)) return false;
  spent_ = spent_so_far() - start;
  if (prepared.first == timed_message && plan_->rank == 0) pages_ = pass.pages_had(*memory_);
  // An application looks at its messages itself.
  if (application_ == nullptr) pass.check(outcome, task);
  prepared.pass.reset();
  outcome.verified_bytes += task.verified_bytes;
  if (task.wrong != nullptr && outcome.status == Status::ok) {
    outcome.status = Status::failed;
    outcome.reason = task.wrong;
  }
  return true;
}

}  // namespace weft

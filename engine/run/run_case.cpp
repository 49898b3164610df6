#include "run/run_case.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "contract/wording.hpp"
#include "host/clock.hpp"
#include "host/hosts.hpp"
#include "host/memory.hpp"
#include "run/case_plan.hpp"
#include "run/case_run.hpp"
#include "run/gather.hpp"
#include "run/ranks_of_case.hpp"

namespace weft {

std::string refuse_memory(const Case& spec, const PatternOn& pattern, int ranks,
                          const Carried& carried) {
  const std::uint64_t available = available_memory_bytes();
  const RanksOfCase here = ranks_of_case(spec, pattern, ranks);
  const double needed = needed_bytes(spec, pattern.footprint, ranks, here, carried.content);
  if (available == 0 || needed <= static_cast<double>(available)) return {};
  const auto mebibytes = [](double bytes) {
    constexpr double mebibyte = 1 << 20U;
    std::ostringstream digits;
    digits << std::fixed << std::setprecision(0) << bytes / mebibyte;
    return in_thousands(digits.str()) + " MiB";
  };
  std::ostringstream text;
  text << "needs " << mebibytes(needed) << " of memory where "
       << mebibytes(static_cast<double>(available)) << " are free"
       << (spec.ranks_here.empty() ? "" : " on " + host_name())
       << "; choose smaller sizes, fewer buffers or samples"
       << (pattern.footprint.receives_per_queue > 0 ? ", or a shorter queue (--queue-depth)" : "");
  return text.str();
}

namespace {

// Why this link cannot run a pattern, known only once it is connected; empty when it can.
std::string refuse_on_link(const LinkControl& link, const Case& spec, const PatternOn& pattern) {
  if (pattern.opens != Opens::none && link.opens_own_memory() && !spec.pages.empty()) {
    return "the library allocates the memory that peers access: its pages cannot be chosen";
  }
  return pattern.polls_memory ? link.memory_polling_hazard() : "";
}

const LoopOn* loop_of(const Case& spec, const PatternOn& pattern) {
  const auto found =
      std::find_if(pattern.loops.begin(), pattern.loops.end(),
                   [&](const LoopOn& one) { return spec.wait.empty() || spec.wait == one.wait; });
  return found == pattern.loops.end() ? nullptr : &*found;
}

// Why nobody can wait so in a pattern, whatever the link; empty where it can.
std::string refuse_wait(const Case& spec, const PatternOn& pattern) {
  const bool sleeps = spec.wait == BlockOnEvent::name;
  if (pattern.keeps_time && sleeps) {
    return "messages are due at set times: the rank that sends them cannot block";
  }
  if (pattern.polls_memory && sleeps) return "a target that polls memory cannot block";
  return loop_of(spec, pattern) == nullptr
             ? "the transport cannot wait by " + spec.wait + "; choose another --wait"
             : "";
}

// What speaks against a case whatever the link.
Outcome refuse_on_ranks(const Case& spec, const PatternOn& pattern, int ranks) {
  if (!pattern.lack.empty()) return {Status::unsupported, std::string(pattern.lack), 0};
  if (ranks < pattern.info.ranks) {
    const std::string least = std::to_string(pattern.info.ranks);
    return {Status::failed, "needs at least " + least + " ranks: start it with mpirun -n " + least,
            0};
  }
  if (spec.bytes < static_cast<std::size_t>(pattern.info.least_bytes)) {
    return {Status::unsupported, "the test has no message of zero bytes", 0};
  }
  if (spec.is_back && !pattern.info.has_directions) {
    return {Status::unsupported, "the test has one direction", 0};
  }
  std::string reason = refuse_values(spec.application, pattern.info.lattice.options);
  if (reason.empty() && pattern.lacks != nullptr) reason = pattern.lacks(spec, ranks);
  if (reason.empty()) reason = refuse_wait(spec, pattern);
  if (!reason.empty()) return {Status::unsupported, std::move(reason), 0};
  return {};
}

// What speaks against a case on every rank alike.
Outcome refuse_everywhere(const LinkControl& link, const Case& spec, const PatternOn& pattern,
                          int ranks) {
  Outcome refused = refuse_on_ranks(spec, pattern, ranks);
  if (refused.status != Status::ok) return refused;
  std::string reason = refuse_on_link(link, spec, pattern);
  if (!reason.empty()) return {Status::unsupported, std::move(reason), 0};
  return {};
}

// A case of an application that names no lattice has four sites each way on every rank.
Case on_usual_lattice(const Case& asked, const PatternInfo& info) {
  Case spec = asked;
  if (info.lattice.dimensions == 0 || spec.lattice.dimensions > 0) return spec;
  spec.lattice.dimensions = info.lattice.dimensions;
  std::fill_n(spec.lattice.extents.begin(), info.lattice.dimensions, 4U);
  return spec;
}

// The case's pattern; nothing where there is none of the name.
const PatternOn* pattern_of(std::span<const PatternOn> patterns, const Case& spec) {
  const auto found = std::find_if(patterns.begin(), patterns.end(),
                                  [&](const PatternOn& one) { return one.info.name == spec.test; });
  return found == patterns.end() ? nullptr : &*found;
}

Outcome unknown_test(const Case& spec) {
  return {Status::failed, "unknown test: " + spec.test, 0};
}

// Before a reason why this case cannot run anywhere: not for want of memory.
constexpr char at_all = '\x19';

// Whether the plan of a case is small, on all ranks alike.
bool is_short(const Case& spec, const PatternOn& pattern) {
  constexpr std::uint64_t most_places = 1U << 16U;
  const std::uint64_t receives = pattern.footprint.receives_of(spec.queue_depth, spec.point);
  return size_of(at_least(spec.schedule, pattern.footprint.buffers), receives).places <=
         most_places;
}

// What the ranks agree on before anything is taken: `refuse` says why a rank's host or link cannot
// have the case, and `plan` makes its plan and says why the plan cannot be, whose rank may have
// been refused before. `give_back` what a plan took and said.
template <class Refuse, class Plan, class GiveBack>
Outcome admit(Bootstrap& boot, MessageMemory& memory, bool plan_is_short, const Refuse& refuse,
              const Plan& plan, const GiveBack& give_back) {
  const auto make_plan = [&](bool is_refused) {
    std::string reason = plan(is_refused);
    return reason.empty() ? reason : at_all + reason;
  };
  const auto ask = [&] {
    return agree(boot, [&] {
      std::string reason = refuse();
      if (!plan_is_short) return reason;
      std::string unfit = make_plan(!reason.empty());
      return reason.empty() ? unfit : reason;
    });
  };
  std::string refusal = ask();
  if (!refusal.empty() && refusal.front() != at_all) {
    // Memory that earlier cases left is not free: every rank of the host gives it back first.
    give_back();
    memory.drop();
    boot.barrier();
    refusal = ask();
  }
  // A plan may be large itself: no rank makes one of what is refused.
  if (refusal.empty() && !plan_is_short) refusal = agree(boot, [&] { return make_plan(false); });
  if (refusal.empty()) return {};
  give_back();
  if (refusal.front() != at_all) return {Status::failed, std::move(refusal), 0};
  return {Status::unsupported, refusal.substr(1), 0};
}

// False: the link has a fault.
bool run_known(LinkControl& link, Bootstrap& boot, MessageMemory& memory,
               std::span<const PatternOn> patterns, const Case& asked, Batch& batch,
               Report& report) {
  const PatternOn* const pattern = pattern_of(patterns, asked);
  if (pattern == nullptr) {
    report.outcome = unknown_test(asked);
    return true;
  }
  const Case spec = on_usual_lattice(asked, pattern->info);
  report.outcome = refuse_everywhere(link, spec, *pattern, boot.size());
  if (report.outcome.status != Status::ok) return true;
  const LoopOn& loop = *loop_of(spec, *pattern);
  CasePlan plan;
  const Carried carried = link.carry(pattern->is_collective);
  const double tick_ns = report.tick_ns;
  // A link may know limits of its own.
  std::string of_link;
  const auto refuse = [&] {
    of_link = link.refusal(message_bytes_of(spec), room_for(spec));
    if (!asks_for_host(spec, boot.rank())) return of_link;
    std::string reason = refuse_memory(spec, *pattern, boot.size(), carried);
    return reason.empty() ? of_link : reason;
  };
  std::optional<CaseRun> run;
  // Pairs that go on by themselves have all agree to what they begin with, too. A rank that refuses
  // the case comes to its peers all the same: they would wait for it to connect.
  const auto make_plan = [&](bool is_refused) {
    plan = plan_case(spec, *pattern, loop, boot.rank(), boot.size(), tick_ns, carried);
    std::string reason = refuse_buffers(plan);
    if (reason.empty()) reason = link.refuse_peers(room_for(spec), peers_of(plan));
    if (!reason.empty()) return reason;
    run.emplace(link, boot, memory, plan);
    if (!plan.goes_by_pairs) return reason;
    if (!is_refused) return run->begin(batch, report);
    if (of_link.empty()) run->connect();
    return reason;
  };
  report.outcome = admit(boot, memory, is_short(spec, *pattern), refuse, make_plan, [&] {
    run.reset();
    report = {};
    report.tick_ns = tick_ns;
  });
  if (report.outcome.status != Status::ok) return true;
  return run->run(batch, report);
}

// Rank 0 writes the batch as it hears of it.
void answer_for_all(Bootstrap& boot, const Report& report, const Instant& start, Batch& batch,
                    Answer& answer, const CountersOfHosts* counters, bool& has_begun) {
  Gathering others(boot, report, batch);
  if (counters != nullptr) batch.counters = counters->named(batch.rises);
  has_begun = true;
  answer.begin(batch);
  others.parts(answer);
  batch.elapsed_ns = read_both_clocks().nanoseconds - start.nanoseconds;
  answer.end(batch);
}

}  // namespace

Outcome refuse_before_start(std::span<const PatternOn> patterns, const Case& asked, int ranks,
                            const std::optional<Carried>& carried) {
  const PatternOn* const pattern = pattern_of(patterns, asked);
  if (pattern == nullptr) return unknown_test(asked);
  Case spec = on_usual_lattice(asked, pattern->info);
  // Only started ranks know their cores.
  spec.spare_cpus.resize(spec.lattice.threads);
  Outcome refused = refuse_on_ranks(spec, *pattern, ranks);
  if (refused.status != Status::ok || !carried) return refused;
  // The library moves all of what it moves on by itself.
  const Carried there = pattern->is_collective ? Carried{} : *carried;
  std::string reason = refuse_memory(spec, *pattern, ranks, there);
  if (!reason.empty()) return {Status::failed, std::move(reason), 0};
  return {};
}

bool run_case_on(LinkControl& link, Bootstrap& boot, MessageMemory& memory,
                 std::span<const PatternOn> patterns, const Case& spec, double tick_ns,
                 Batch& batch, Answer& answer, CountersOfHosts* counters) {
  const Instant start = read_both_clocks();
  batch.id = spec.id;
  Report report;
  report.tick_ns = tick_ns;
  bool has_begun = false;
  try {
    const bool is_whole = run_known(link, boot, memory, patterns, spec, batch, report);
    if (is_whole && counters != nullptr) report.rises = counters->rises();
    if (!is_whole) {
      say_broken(batch, *link.fault());
    } else if (boot.rank() == 0) {
      answer_for_all(boot, report, start, batch, answer, counters, has_begun);
    } else {
      has_begun = true;
      hand_over(boot, report);
    }
  } catch (const NotConnected& error) {
    batch.ended_launch = true;
    refuse(batch, {Status::failed, error.what(), 0});
  } catch (const std::exception& error) {
    if (has_begun) throw;  // half an answer: the ranks are out of step
    refuse(batch, {Status::failed, error.what(), 0});
  }
  if (!has_begun && boot.rank() == 0) {
    answer.begin(batch);
    answer.end(batch);
  }
  return !batch.ended_launch;
}

}  // namespace weft

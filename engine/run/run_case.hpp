// From a case to its batch: which pattern, which wait, and what all ranks say of it.
#pragma once

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "patterns/all.hpp"
#include "run/batch.hpp"

namespace weft {

/// Why a pattern cannot run on a transport, decided at compile time; empty when it can.
template <class Pattern, TwoSided T, Clock Now>
constexpr std::string_view lack_of() {
  if constexpr (RunsOn<Pattern, T, Now, UsualWait<T>>) return "";
  if constexpr (HasCast<Pattern> && !TellsPeers<T>) {
    return "the transport does not report whose message arrived";
  }
  if constexpr (RegistersItself<Pattern>) return "the transport registers no memory by itself";
  if constexpr (OneSided<T>) return "the transport cannot notify the target of a put";
  return "the transport has no one-sided operations";
}

/// What a list says of a pattern on a transport.
template <class Pattern, TwoSided T, Clock Now>
Support support_of() {
  if constexpr (lack_of<Pattern, T, Now>().empty()) {
    return {Pattern::info, parts_of<Pattern>(), footprint_of<Pattern, T>(), true, ""};
  } else {
    return {Pattern::info, parts_of<Pattern>(), {}, false, lack_of<Pattern, T, Now>()};
  }
}

/// What of the engine's patterns a transport can run.
template <TwoSided T, Clock Now, class... Patterns>
std::vector<Support> supported(const std::tuple<Patterns...>* /*list*/) {
  return {support_of<Patterns, T, Now>()...};
}

/// The ways of waiting that a transport has, the usual one first.
template <TwoSided T>
std::vector<std::string_view> waits_of() {
  std::vector<std::string_view> names{UsualWait<T>::name};
  if (names.front() != SpinOnCompletions::name) names.push_back(SpinOnCompletions::name);
  if constexpr (Waiting<BlockOnEvent, T>) names.push_back(BlockOnEvent::name);
  return names;
}

/// The memory a case needs on a host, against what the host has.
std::string refuse_memory(const Case& test, const Footprint& pattern, int ranks);

/// Why a link cannot run a case of a pattern; empty when it can. It may know limits of its own.
template <class Pattern, TwoSided T>
std::string refuse(const T& link, const Case& test, int ranks) {
  std::string reason = refuse_memory(test, footprint_of<Pattern, T>(), ranks);
  if constexpr (requires { link.refusal(test.bytes, room_for(test)); }) {
    if (reason.empty()) reason = link.refusal(test.bytes, room_for(test));
  }
  return reason;
}

/// Why the pages of a pattern's memory cannot be chosen; empty when they can.
template <class Pattern>
std::string refuse_pages(const Case& test) {
  const bool opens = window_of<Pattern>() != Window::none;
  return opens && !test.pages.empty() ? "the pages of memory that peers access cannot be chosen"
                                      : "";
}

/// A pattern of which a rank acts at set times.
template <class P>
concept KeepsTime = P::keeps_time;

/// Why this link cannot run a pattern, known only once it is connected; empty when it can.
template <class Pattern, TwoSided T>
std::string refuse_on_link(const T& link, const Case& test) {
  if (std::string reason = refuse_pages<Pattern>(test); !reason.empty()) return reason;
  if constexpr (KeepsTime<Pattern>) {
    if (test.wait == BlockOnEvent::name) {
      return "messages are due at set times: the rank that sends them cannot block";
    }
  }
  if constexpr (PollsMemory<Pattern> && OneSided<T>) {
    if (test.wait == BlockOnEvent::name) return "a target that polls memory cannot block";
    return link.memory_polling_hazard();
  }
  return "";
}

/// Run with a wait. False: the link has a fault.
template <class Pattern, TwoSided T, Clock Now, class Wait>
bool run_with(T& link, Bootstrap& boot, MessageMemory& memory, const Case& asked, Batch& batch,
              Report& report) {
  Case test = asked;
  test.schedule = at_least(asked.schedule, least_buffers<Pattern>());
  // What earlier cases left must not be in the way of this one, on any rank of the host.
  if (!refuse_memory(test, footprint_of<Pattern, T>(), boot.size()).empty()) memory.drop();
  boot.barrier();
  std::string refusal = any_refusal(boot, refuse<Pattern>(link, test, boot.size()));
  if (!refusal.empty()) {
    report.outcome = {Status::failed, std::move(refusal), 0};
    return true;
  }
  return BatchRun<Pattern, Now, Wait, T>(link, boot, memory, test).run(batch, report);
}

/// Run with the wait that the case asks for. False: the link has a fault.
template <class Pattern, TwoSided T, Clock Now>
bool run_supported(T& link, Bootstrap& boot, MessageMemory& memory, const Case& test, Batch& batch,
                   Report& report) {
  if (boot.size() < Pattern::info.ranks) {
    const std::string least = std::to_string(Pattern::info.ranks);
    report.outcome = {Status::failed,
                      "needs at least " + least + " ranks: start it with mpirun -n " + least, 0};
    return true;
  }
  if (test.bytes < static_cast<std::size_t>(Pattern::info.least_bytes)) {
    report.outcome = {Status::unsupported, "the test has no message of zero bytes", 0};
    return true;
  }
  if constexpr (HasCast<Pattern>) {
    if (std::string reason = Pattern::lacks(test, boot.size()); !reason.empty()) {
      report.outcome = {Status::unsupported, std::move(reason), 0};
      return true;
    }
  }
  if (std::string reason = refuse_on_link<Pattern>(link, test); !reason.empty()) {
    report.outcome = {Status::unsupported, std::move(reason), 0};
    return true;
  }
  if (test.wait.empty() || test.wait == UsualWait<T>::name) {
    return run_with<Pattern, T, Now, UsualWait<T>>(link, boot, memory, test, batch, report);
  }
  if (test.wait == SpinOnCompletions::name) {
    return run_with<Pattern, T, Now, SpinOnCompletions>(link, boot, memory, test, batch, report);
  }
  if constexpr (Waiting<BlockOnEvent, T>) {
    if (test.wait == BlockOnEvent::name) {
      return run_with<Pattern, T, Now, BlockOnEvent>(link, boot, memory, test, batch, report);
    }
  }
  report.outcome = {Status::unsupported, "the transport cannot wait by " + test.wait, 0};
  return true;
}

/// Run a case's pattern if the transport can. False: the link has a fault.
template <class Pattern, TwoSided T, Clock Now>
bool run_pattern(T& link, Bootstrap& boot, MessageMemory& memory, const Case& test, Batch& batch,
                 Report& report) {
  if constexpr (lack_of<Pattern, T, Now>().empty()) {
    return run_supported<Pattern, T, Now>(link, boot, memory, test, batch, report);
  } else {
    report.outcome = {Status::unsupported, std::string(lack_of<Pattern, T, Now>()), 0};
    return true;
  }
}

/// What all ranks report, in rank order, as the batch has it: the failure of any rank is the
/// batch's; verified bytes add up; series are rank 0's, and of other ranks what they filled.
void merge_reports(Batch& batch, const std::vector<std::string>& all);

/// The batch of a link that broke.
inline void say_broken(Batch& batch, const Fault& fault) {
  batch.ticks.clear();
  batch.ended_launch = true;
  batch.outcome = {Status::failed,
                   std::string("the link failed in ") + fault.during + " (code " +
                       std::to_string(fault.code) + "): " + fault.cause,
                   0};
}

template <TwoSided T, Clock Now, class... Patterns>
bool run_known(T& link, Bootstrap& boot, MessageMemory& memory, const Case& test, Batch& batch,
               double tick_ns) {
  const Instant start = read_both_clocks();
  bool known = false;
  bool whole = true;
  Report report;
  report.tick_ns = tick_ns;
  ((test.test == Patterns::info.name ? (known = true, whole = run_pattern<Patterns, T, Now>(
                                                          link, boot, memory, test, batch, report))
                                     : true),
   ...);
  if (!known) report.outcome = {Status::failed, "unknown test: " + test.test, 0};
  if (!whole) {
    say_broken(batch, *link.fault());
    return false;
  }
  const std::vector<std::string> all = boot.gather(to_line(report));
  if (boot.rank() == 0) merge_reports(batch, all);
  batch.elapsed_ns = read_both_clocks().nanoseconds - start.nanoseconds;
  return true;
}

/// Run one case in the launch's memory; the batch of rank 0 tells for all ranks. `tick_ns` is what
/// a tick of this rank is worth. What was thrown, on all ranks or behind the last exchange, fails
/// this case and no other. False: the link has a fault.
template <TwoSided T, Clock Now, class... Patterns>
bool run_case(T& link, Bootstrap& boot, MessageMemory& memory, const Case& test, Batch& batch,
              double tick_ns, const std::tuple<Patterns...>* /*list*/) {
  if constexpr (requires { link.in_pieces(); }) {
    // Chosen here, so that the loop over usual messages does not look at their length.
    if (test.bytes > link.longest_message()) {
      auto pieces = link.in_pieces();
      return run_case<decltype(pieces), Now>(pieces, boot, memory, test, batch, tick_ns,
                                             static_cast<std::tuple<Patterns...>*>(nullptr));
    }
  }
  if constexpr (requires { link.expect_messages_of(test.bytes); }) {
    link.expect_messages_of(test.bytes);
  }
  batch.id = test.id;
  try {
    return run_known<T, Now, Patterns...>(link, boot, memory, test, batch, tick_ns);
  } catch (const std::exception& error) {
    batch.ticks.clear();
    batch.parts.clear();
    batch.outcome = {Status::failed, error.what(), 0};
    return true;
  }
}

}  // namespace weft

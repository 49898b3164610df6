// From a case to its batch: which pattern, which wait, and what all ranks say of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "host/pages.hpp"
#include "run/batch_line.hpp"
#include "run/case.hpp"
#include "run/counters_of_hosts.hpp"
#include "run/link_control.hpp"
#include "run/pattern_on.hpp"

namespace weft {

/// The memory that a case on so many ranks needs on this host, against what the host has.
std::string refuse_memory(const Case& spec, const PatternOn& pattern, int ranks,
                          const Carried& carried = {});

/// What speaks against a case on so many ranks before one of them is there; ok where nothing is
/// known. With `carried`, which is how much there is of messages that the library does not move on
/// by itself, all ranks are of this host, and have to fit its memory.
Outcome refuse_before_start(std::span<const PatternOn> patterns, const Case& asked, int ranks,
                            const std::optional<Carried>& carried);

/// Run one case over a link, in the launch's memory. The batch and the answer are rank 0's and tell
/// for all ranks; `tick_ns` is what a tick of this rank is worth. What was thrown, on all ranks or
/// behind the last exchange, fails this case and no other. False: the link has a fault. The rises
/// of `counters` are read behind the timed pass.
bool run_case_on(LinkControl& link, Bootstrap& boot, MessageMemory& memory,
                 std::span<const PatternOn> patterns, const Case& spec, double tick_ns,
                 Batch& batch, Answer& answer, CountersOfHosts* counters = nullptr);

/// The same for a link by its type and a list of patterns.
template <TwoSided T, Clock Now, class... Patterns>
bool run_case(T& link, Bootstrap& boot, MessageMemory& memory, const Case& spec, Batch& batch,
              Answer& answer, double tick_ns, const std::tuple<Patterns...>* list,
              CountersOfHosts* counters = nullptr) {
  if constexpr (requires { link.in_pieces(); }) {
    // Chosen here, so that the loop over usual messages does not look at their length.
    if (spec.bytes > link.longest_message()) {
      auto pieces = link.in_pieces();
      return run_case<decltype(pieces), Now>(pieces, boot, memory, spec, batch, answer, tick_ns,
                                             list, counters);
    }
  }
  if constexpr (requires { link.expect_messages_of(spec.bytes); }) {
    link.expect_messages_of(spec.bytes);
  }
  static const std::vector<PatternOn> patterns = patterns_on<T, Now>(list);
  ControlOf<T> control(link);
  return run_case_on(control, boot, memory, patterns, spec, tick_ns, batch, answer, counters);
}

}  // namespace weft

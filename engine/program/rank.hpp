// The program of one rank: reads cases, runs them, writes batches.
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/first_neighbours.hpp"
#include "bootstrap/mpi.hpp"
#include "contract/options.hpp"
#include "contract/rank_hosts.hpp"
#include "host/arithmetic.hpp"
#include "host/binding.hpp"
#include "host/counters.hpp"
#include "host/deadline.hpp"
#include "host/hosts.hpp"
#include "host/memory.hpp"
#include "host/network.hpp"
#include "patterns/all.hpp"
#include "run/counters_of_hosts.hpp"
#include "run/describe.hpp"
#include "run/gather.hpp"
#include "run/inspection.hpp"
#include "run/lines.hpp"
#include "run/run_case.hpp"

namespace weft {

inline constexpr int exit_bad_usage = 2;

/// What a rank runs on: a core of this host that it keeps, and the processor's counter.
struct ThisHost {
  using Now = CycleCounter;
  using Place = Binding;
  static constexpr auto calibrate_since = calibrate;
  /// Collective.
  static std::shared_ptr<const RankHosts> hosts_of_ranks(Bootstrap& boot) {
    return std::make_shared<const RankHosts>(rank_hosts(hosts_of(boot)));
  }
  /// The first rank of each host reads the counters of its host. Collective.
  static std::unique_ptr<CountersOfHosts> counters(Bootstrap& boot) {
    return std::make_unique<CountersOfHosts>(
        boot, reads_counters(boot) ? std::make_unique<HostCounters>() : nullptr);
  }
  /// The time of a case, as long as what this returns is there.
  static Deadline limit(Bootstrap& /*boot*/, unsigned seconds) { return Deadline(seconds); }
};

/// False when the link broke. `tick_ns` is what a tick of this rank is worth.
template <class Machine, TwoSided T>
bool serve(T& link, Bootstrap& boot, typename Machine::Place& place, double tick_ns,
           CountersOfHosts* counters) {
  MessageMemory memory;
  const std::vector<int> ranks_here = ranks_that_share(boot);
  const std::shared_ptr<const RankHosts> hosts = Machine::hosts_of_ranks(boot);
  while (true) {
    std::optional<std::string> line;
    if (boot.rank() == 0) line = next_case_line();
    const std::string text = boot.broadcast(line.value_or(""));
    if (text.empty()) return true;
    Case spec = parse_case(text);
    spec.spare_cpus = place.spare_cpus();
    spec.ranks_here = ranks_here;
    spec.hosts = hosts;
    [[maybe_unused]] const auto deadline = Machine::limit(boot, spec.deadline_s);
    place.release_helpers();  // such as the last case made
    Batch batch;
    BatchLine answer(write_text);
    const bool whole =
        run_case<T, typename Machine::Now>(link, boot, memory, spec, batch, answer, tick_ns,
                                           static_cast<AllPatterns*>(nullptr), counters);
    if (!whole) {
      write_error(T::name, batch.outcome.reason);
      return false;
    }
  }
}

/// What can be set of the transport with --option.
template <TwoSided T>
constexpr std::span<const Setting> settings_of() {
  if constexpr (requires { T::settings; }) return T::settings;
  return {};
}

template <TwoSided T>
constexpr MpiUse use_of_mpi() {
  if constexpr (requires { T::measures_mpi; }) return MpiUse::measured;
  return MpiUse::meeting;
}

/// The level that MPI is started at: the chosen one if MPI is measured, else one for ranks that
/// compute in several threads.
template <TwoSided T>
ThreadLevel thread_level_of(const LinkOptions& options) {
  if constexpr (requires { T::thread_level(options); }) return T::thread_level(options);
  return ThreadLevel::funneled;
}

/// The interface or RDMA device that messages go by, where ranks are to be near it. Collective.
template <TwoSided T>
std::string device_of(const Options& options, Bootstrap& boot) {
  if (options.placement != Placement::near_device) return "";
  const std::string other = other_host(boot);
  for (const char* name : {"device", "domain", "interface"}) {
    const std::string named = options.link.of_rail(0).text(name);
    if (!named.empty()) return named.substr(0, named.find(':'));
  }
  // What takes an interface stays on it; MPI takes what it likes best.
  const auto known = settings_of<T>();
  const bool takes_interface = std::any_of(known.begin(), known.end(), [](const Setting& setting) {
    return setting.name == "interface";
  });
  const bool takes_rdma = use_of_mpi<T>() == MpiUse::measured || !takes_interface;
  return takes_rdma ? device_towards(other) : interface_towards(other).name;
}

template <class Machine, TwoSided T>
void measure(const Options& options, Bootstrap& boot) {
  constexpr std::int64_t first_baseline_ns = 20'000'000;
  const Instant start = read_both_clocks();
  // Before the link, so that its memory is near this rank's CPU.
  typename Machine::Place place(options, device_of<T>(options, boot), boot);
  T link(options.link, boot);
  place.release_helpers();
  const std::vector<std::string> locations = gather_texts(boot, to_line(place.location()));
  const Calibration at_start = Machine::calibrate_since(start, first_baseline_ns);
  std::unique_ptr<CountersOfHosts> counters;
  if constexpr (requires { Machine::counters(boot); }) counters = Machine::counters(boot);
  if (boot.rank() == 0) {
    Details details = link.details();
    if constexpr (!IsModel<T>) {
      details.emplace_back("connected_peers", std::to_string(first_neighbours(boot).size()));
    }
    details.emplace_back("helper threads", place.helpers());
    details.emplace_back("flush to zero", flushes_to_zero() ? "on" : "off");
    write_line(hello_line(T::name, boot.library(), locations, at_start, details,
                          counters == nullptr ? CountedKinds{} : counters->kinds()));
  }
  if (!serve<Machine>(link, boot, place, at_start.tick_ns, counters.get()))
    boot.abort(exit_link_fault);
  if (boot.rank() != 0) return;
  const Calibration at_end = Machine::calibrate_since(start, first_baseline_ns);
  if constexpr (requires { Machine::link_bytes(boot); }) {
    write_line(bye_line(at_end, {Machine::link_bytes(boot), peak_memory_bytes()}));
  } else {
    write_line(bye_line(at_end));
  }
}

/// The mode of the library that a class stands for; empty where there is only one.
template <TwoSided T>
constexpr std::string_view mode_of() {
  if constexpr (requires { T::mode; }) return T::mode;
  return "";
}

/// Why the transport cannot run on this host (no device); empty when it can.
template <TwoSided T>
std::string unusable() {
  if constexpr (requires { T::unusable(); }) return T::unusable();
  return "";
}

/// `mpi` starts the ranks.
template <class Machine, TwoSided T>
void describe(std::string_view mpi) {
  const auto patterns = supported<T, typename Machine::Now>(static_cast<AllPatterns*>(nullptr));
  write_line(describe_line({.transport = T::name,
                            .mode = mode_of<T>(),
                            .mpi = mpi,
                            .summary = T::summary,
                            .reason = unusable<T>(),
                            .settings = settings_of<T>(),
                            .waits = waits_of<T>(),
                            .patterns = patterns}));
}

/// For each case on standard input what speaks against it on so many ranks, before there is one;
/// `carried` as refuse_before_start has it.
template <class Machine, TwoSided T>
void refuse_cases(int ranks, const std::optional<Carried>& carried) {
  const auto patterns = patterns_on<T, typename Machine::Now>(static_cast<AllPatterns*>(nullptr));
  while (const std::optional<std::string> line = next_case_line()) {
    const Case spec = parse_case(*line);
    Batch batch;
    batch.id = spec.id;
    refuse(batch, refuse_before_start(patterns, spec, ranks, carried));
    BatchLine answer(write_text);
    answer.begin(batch);
    answer.end(batch);
  }
}

template <TwoSided T>
void run_as(const Options& options, int argc, char** argv) {
  if (options.refuses_on > 0) {
    refuse_cases<ThisHost, T>(options.refuses_on, std::nullopt);
    return;
  }
  options.link.refuse_unknown(T::name, settings_of<T>());
  if constexpr (requires { T::before_start(options.link); }) T::before_start(options.link);
  die_with_parent();
  MpiBootstrap boot(&argc, &argv, use_of_mpi<T>(), thread_level_of<T>(options.link));
  try {
    boot.share_host(static_cast<long>(ranks_of_host(boot)));
    measure<ThisHost, T>(options, boot);
  } catch (const std::exception& error) {
    write_error(T::name, error.what());
    boot.abort(exit_bad_usage);
  }
}

/// The program of a transport: a class for each mode, the usual one first.
template <TwoSided Usual, TwoSided... Others>
int rank_main(int argc, char** argv) {
  try {
    const Options options = parse_options(argc, argv);
    if (options.describe) {
      describe<ThisHost, Usual>(mpi_name());
      (describe<ThisHost, Others>(mpi_name()), ...);
      return 0;
    }
    if (!options.inspect.empty()) {
      write_line(
          inspection_line(inspectors_of(static_cast<AllPatterns*>(nullptr)), options.inspect));
      return 0;
    }
    if (options.mode.empty() || options.mode == mode_of<Usual>()) {
      run_as<Usual>(options, argc, argv);
      return 0;
    }
    const bool known =
        ((options.mode == mode_of<Others>() && (run_as<Others>(options, argc, argv), true)) || ...);
    if (!known) throw std::invalid_argument("no mode " + options.mode + "; see --describe");
  } catch (const std::exception& error) {
    write_error(Usual::name, error.what());
    return exit_bad_usage;
  }
  return 0;
}

}  // namespace weft

// The program of one rank: reads cases, runs them, writes batches.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "batch.hpp"
#include "bootstrap_mpi.hpp"
#include "options.hpp"
#include "place.hpp"

namespace weft {

inline constexpr int exit_bad_usage = 2;
inline constexpr int exit_link_fault = 3;

void write_line(const std::string& line);
void write_error(std::string_view transport, std::string_view text);

/// Rank 0's next case that can be parsed, as text; nothing at the end of input. A line that cannot
/// be parsed is answered with a failed batch.
std::optional<std::string> next_case_line();

/// Ends this process when a case outlives its deadline: inside a measured loop nothing else can.
class Deadline {
 public:
  explicit Deadline(unsigned seconds);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  Deadline(Deadline&&) = delete;
  Deadline& operator=(Deadline&&) = delete;
  ~Deadline();
};

/// False when the link broke.
template <TwoSided T>
bool serve(T& link, Bootstrap& boot) {
  while (true) {
    std::optional<std::string> line;
    if (boot.rank() == 0) line = next_case_line();
    const std::string text = boot.broadcast(line.value_or(""));
    if (text.empty()) return true;
    const Case test = parse_case(text);
    const Deadline deadline(test.deadline_s);
    Batch batch;
    const bool whole =
        run_case<T, CycleCounter>(link, boot, test, batch, static_cast<AllPatterns*>(nullptr));
    if (boot.rank() == 0) write_line(to_line(batch));
    if (!whole) {
      write_error(T::name, batch.outcome.reason);
      return false;
    }
  }
}

template <TwoSided T>
void measure(const Options& options, Bootstrap& boot) {
  constexpr std::int64_t first_baseline_ns = 20'000'000;
  const Instant start = read_both_clocks();
  const Place place = bind_rank(options.cpus, boot);
  T link(options.link, boot);
  const std::vector<std::string> places = boot.exchange(to_line(place));
  const Calibration at_start = calibrate(start, first_baseline_ns);
  if (boot.rank() == 0) {
    write_line(hello_line(T::name, boot.library(), places, at_start, link.details()));
  }
  if (!serve(link, boot)) boot.abort(exit_link_fault);
  if (boot.rank() == 0) write_line(bye_line(calibrate(start, first_baseline_ns)));
}

template <TwoSided T>
int rank_main(int argc, char** argv) {
  Options options;
  try {
    options = parse_options(argc, argv);
  } catch (const std::exception& error) {
    write_error(T::name, error.what());
    return exit_bad_usage;
  }
  if (options.describe) {
    const auto patterns = supported<T, CycleCounter>(static_cast<AllPatterns*>(nullptr));
    write_line(describe_line(T::name, T::summary, patterns));
    return 0;
  }
  die_with_parent();
  MpiBootstrap boot(&argc, &argv);
  try {
    measure<T>(options, boot);
  } catch (const std::exception& error) {
    write_error(T::name, error.what());
    boot.abort(exit_bad_usage);
  }
  return 0;
}

}  // namespace weft

#include "run/run_case.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace weft {

std::string refuse_memory(const Case& test, const Footprint& pattern, int ranks) {
  const std::uint64_t available = available_memory_bytes();
  const double needed = needed_bytes(test, pattern, ranks);
  if (available == 0 || needed <= static_cast<double>(available)) return {};
  constexpr double mebibyte = 1 << 20U;
  std::ostringstream text;
  text << std::fixed << std::setprecision(0) << "needs " << needed / mebibyte
       << " MiB of memory where " << static_cast<double>(available) / mebibyte
       << " MiB are free; choose smaller sizes, fewer buffers or samples"
       << (pattern.receives_per_queue > 0 ? ", or a shorter queue (--queue-depth)" : "");
  return text.str();
}

namespace {

// Two counters of one kind differ by the noise of their calibration; a tick of another kind is
// turned into rank 0's.
void to_ticks_of(double tick_ns, double own_tick_ns, std::vector<Ticks>& ticks) {
  constexpr double noise = 1e-3;
  const double ratio = own_tick_ns / tick_ns;
  if (std::abs(ratio - 1) < noise) return;
  for (Ticks& value : ticks) {
    value = static_cast<Ticks>(std::llround(static_cast<double>(value) * ratio));
  }
}

std::string name_at(std::size_t rank, const std::string& name) {
  if (rank == 0) return name;
  const std::string prefix = "rank" + std::to_string(rank);
  return name.empty() ? prefix : prefix + "." + name;
}

}  // namespace

void merge_reports(Batch& batch, const std::vector<std::string>& all) {
  const double tick_ns = parse_report(all.front()).tick_ns;
  std::uint64_t verified = 0;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    Report report = parse_report(all[rank]);
    verified += report.outcome.verified_bytes;
    batch.cpu_ns.push_back(report.cpu_ns);
    batch.queue_held = std::max(batch.queue_held, report.queue_held);
    if (batch.outcome.status == Status::ok) batch.outcome = report.outcome;
    for (Part& part : report.parts) {
      const bool filled =
          std::any_of(part.ticks.begin(), part.ticks.end(), [](Ticks value) { return value != 0; });
      if (!filled) continue;
      to_ticks_of(tick_ns, report.tick_ns, part.ticks);
      batch.parts.push_back({name_at(rank, part.name), std::move(part.ticks)});
    }
  }
  batch.outcome.verified_bytes = verified;
  if (batch.outcome.status == Status::ok) return;
  batch.ticks.clear();
  batch.parts.clear();
}

}  // namespace weft

#include "run/report.hpp"

#include <algorithm>
#include <cmath>

#include "contract/wording.hpp"

namespace weft {

ReportHead head_of(const Report& report) {
  ReportHead head;
  head.status = static_cast<std::uint8_t>(report.outcome.status);
  head.verified_bytes = report.outcome.verified_bytes;
  head.cpu_ns = report.cpu_ns;
  head.tick_ns = report.tick_ns;
  head.has_queue_held = report.queue_held ? 1 : 0;
  head.queue_held = report.queue_held.value_or(0);
  head.reason_bytes =
      static_cast<std::uint32_t>(std::min(report.outcome.reason.size(), most_reason_bytes));
  for (std::size_t at = 0; at < report.parts.size(); ++at) {
    const std::vector<Ticks>& ticks = report.parts[at].ticks;
    if (std::all_of(ticks.begin(), ticks.end(), [](Ticks value) { return value == 0; })) continue;
    head.filled |= 1U << at;
    head.values = ticks.size();
  }
  return head;
}

std::string refuse_head(const ReportHead& head, std::size_t series, std::size_t values) {
  const auto is_no = [](const std::string& what) { return "its report has " + what; };
  if (head.status > static_cast<std::uint8_t>(Status::unsupported)) {
    return is_no("the unknown status " + std::to_string(head.status));
  }
  const bool is_ok = head.status == static_cast<std::uint8_t>(Status::ok);
  if (head.reason_bytes > most_reason_bytes || (is_ok && head.reason_bytes > 0)) {
    return is_no("a reason of " + std::to_string(head.reason_bytes) + " bytes");
  }
  if (series < most_series && head.filled >> series != 0)
    return is_no("series that nobody asked for");
  if (head.filled != 0 && head.values != values) {
    return is_no("series of " + counted(head.values, "value") + " where there are " +
                 counted(values, "sample"));
  }
  if (!std::isfinite(head.tick_ns) || head.tick_ns <= 0) return is_no("a tick that takes no time");
  return "";
}

}  // namespace weft

#include "run/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

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
  head.pairs = report.pairs.all;
  head.pairs_between_hosts = report.pairs.between_hosts;
  head.reason_bytes =
      static_cast<std::uint32_t>(std::min(report.outcome.reason.size(), most_reason_bytes));
  head.rises = static_cast<std::uint16_t>(std::min(report.rises.size(), most_rises));
  std::copy_n(report.rises.begin(), head.rises, head.rise.begin());
  for (std::size_t at = 0; at < report.parts.size(); ++at) {
    const std::vector<Ticks>& ticks = report.parts[at].ticks;
    if (std::all_of(ticks.begin(), ticks.end(), [](Ticks value) { return value == 0; })) continue;
    head.filled |= 1U << at;
    head.values = ticks.size();
  }
  return head;
}

std::vector<std::size_t> series_by_name(const Report& report) {
  std::vector<std::size_t> order(report.parts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return report.parts[one].name < report.parts[other].name;
  });
  return order;
}

std::vector<Ticks> filled_series(const Report& report, const ReportHead& head) {
  std::vector<Ticks> all;
  for (const std::size_t series : series_by_name(report)) {
    const std::vector<Ticks>& ticks = report.parts[series].ticks;
    if ((head.filled >> series & 1U) != 0) all.insert(all.end(), ticks.begin(), ticks.end());
  }
  return all;
}

std::size_t bytes_with_head(const Report& report, int ranks) {
  constexpr std::uint64_t most = 4096;
  const std::uint64_t values = report.most_values * report.parts.size();
  const auto all = static_cast<std::uint64_t>(ranks);
  if (report.most_values == 0 || values * sizeof(Ticks) > most) return 0;
  // Few ranks never have so many.
  if (values * all > most_whole_values) return 0;
  const std::size_t bytes = std::max(values * sizeof(Ticks), most_short_reason_bytes);
  return (sizeof(ReportHead) + bytes) * all <= window_bytes ? bytes : 0;
}

std::vector<std::byte> head_with_more(const Report& report, ReportHead head, int ranks) {
  std::vector<std::byte> bytes(sizeof head + bytes_with_head(report, ranks));
  const auto room = std::span(bytes).subspan(sizeof head);
  if (!room.empty()) {
    const std::string& reason = report.outcome.reason;
    const std::vector<Ticks> all = filled_series(report, head);
    const auto more =
        head.reason_bytes > 0 ? std::as_bytes(std::span(reason)) : std::as_bytes(std::span(all));
    head.reason_bytes =
        static_cast<std::uint32_t>(std::min<std::size_t>(head.reason_bytes, room.size()));
    std::ranges::copy(more.first(std::min(more.size(), room.size())), room.begin());
  }
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
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
  if (head.rises > most_rises) return is_no(counted(head.rises, "counter") + " that rose");
  if (!std::isfinite(head.tick_ns) || head.tick_ns <= 0) return is_no("a tick that takes no time");
  return "";
}

}  // namespace weft

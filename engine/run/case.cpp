#include "run/case.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "host/pages.hpp"

namespace weft {

namespace {

using nlohmann::json;

// A number of a case: present or the default, whole, and inside its bounds.
template <class N>
N number(const json& object, const char* key, N fallback, std::uint64_t low, std::uint64_t high) {
  if (!object.contains(key)) return fallback;
  const json& value = object.at(key);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() < low ||
      value.get<std::uint64_t>() > high) {
    throw std::invalid_argument(std::string(key) + " must be a whole number from " +
                                std::to_string(low) + " to " + std::to_string(high) + ", not " +
                                value.dump());
  }
  return value.get<N>();
}

constexpr std::uint64_t most_messages = 1ULL << 32U;

void read_schedule(const json& object, Schedule& schedule) {
  schedule.kind = object.value("kind", schedule.kind);
  constexpr std::array<std::string_view, 4> kinds{"one", "shared", "turn", "reuse"};
  if (std::find(kinds.begin(), kinds.end(), schedule.kind) == kinds.end()) {
    throw std::invalid_argument("schedule.kind must be one, shared, turn or reuse, not " +
                                schedule.kind);
  }
  schedule.count = number<std::uint32_t>(object, "count", 1, 1, 1U << 20U);
  schedule.reuse_percent = number<std::uint32_t>(object, "reuse_percent", 100, 0, 100);
}

std::string_view name_of(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::failed:
      return "failed";
    case Status::unsupported:
      return "unsupported";
  }
  return "failed";
}

std::string_view name_of(Figure figure) {
  switch (figure) {
    case Figure::latency:
      return "latency";
    case Figure::exchange:
      return "exchange";
    case Figure::one_sided_latency:
      return "one_sided_latency";
    case Figure::bandwidth:
      return "bandwidth";
    case Figure::burst:
      return "burst";
    case Figure::overhead:
      return "overhead";
    case Figure::overlap:
      return "overlap";
    case Figure::loaded_latency:
      return "loaded_latency";
    case Figure::registration:
      return "registration";
    case Figure::copy:
      return "copy";
  }
  return "";
}

json to_json(const Support& pattern) {
  const PatternInfo& info = pattern.info;
  json part_reads = json::object();
  for (std::size_t part = 0; part < pattern.parts.size(); ++part) {
    if (info.part_clock_reads.at(part) == 0) continue;
    part_reads[std::string(pattern.parts[part])] = info.part_clock_reads.at(part);
  }
  return {
      {"name", info.name},
      {"title", info.title},
      {"summary", info.summary},
      {"figure", name_of(info.figure)},
      {"ranks", info.ranks},
      {"latency_divisor", info.latency_divisor},
      {"bandwidth_factor", info.bandwidth_factor},
      {"least_bytes", info.least_bytes},
      {"time_factor", info.time_factor},
      {"every_operation", info.every_operation},
      {"axis", {{"name", info.axis.name}, {"unit", info.axis.unit}, {"points", info.axis.points}}},
      {"has_queue", info.has_queue},
      {"latencies_per_sample", info.latencies_per_sample},
      {"messages_per_burst", info.messages_per_burst},
      {"pause_trips", info.pause_trips},
      {"clock_reads", info.clock_reads},
      {"part_clock_reads", part_reads},
      {"splits_operations", info.splits_operations},
      {"footprint",
       {{"messages_per_operation", pattern.footprint.messages_per_operation},
        {"messages_before", pattern.footprint.messages_before},
        {"series", pattern.footprint.series},
        {"streams", pattern.footprint.streams},
        {"receives", pattern.footprint.receives},
        {"receives_per_queue", pattern.footprint.receives_per_queue},
        {"buffers", pattern.footprint.buffers}}},
      {"supported", pattern.supported},
      {"reason", pattern.reason},
  };
}

json to_json(const Calibration& clock) {
  return {{"name", CycleCounter::name},
          {"tick_ns", clock.tick_ns},
          {"overhead_ticks", clock.overhead_ticks},
          {"baseline_ns", clock.baseline_ns}};
}

// A library's text (a host name, a reason) may hold any byte; a line must stay JSON all the same.
std::string dump(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

void append_ticks(std::string& line, std::span<const Ticks> ticks) {
  std::array<char, std::numeric_limits<Ticks>::digits10 + 2> digits{};
  for (const Ticks value : ticks) {
    if (line.back() != '[') line += ',';
    const auto written = std::to_chars(digits.begin(), digits.end(), value);
    line.append(digits.begin(), written.ptr);
  }
}

void append_parts(std::string& line, std::span<const Part> parts) {
  line += R"("parts":{)";
  for (const Part& part : parts) {
    if (line.back() != '{') line += ',';
    line += json(part.name).dump() + ":[";
    append_ticks(line, part.ticks);
    line += ']';
  }
  line += '}';
}

}  // namespace

Case parse_case(const std::string& line) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object()) throw std::invalid_argument("a case must be one JSON object on a line");
  Case test;
  try {
    test.id = number<std::uint64_t>(object, "id", 0, 0, ~0ULL);
    test.test = object.value("test", "");
    test.bytes = number<std::size_t>(object, "bytes", 0, 0, 1ULL << 46U);
    test.samples = number<std::uint32_t>(object, "samples", 1, 1, most_samples);
    test.warmup = number<std::uint32_t>(object, "warmup", 0, 0, most_samples);
    test.ops_per_sample = number<std::uint32_t>(object, "ops_per_sample", 1, 1, 1U << 30U);
    test.queue_depth = number<std::uint32_t>(object, "queue_depth", 64, 1, 1U << 16U);
    test.seed = number<std::uint64_t>(object, "seed", 1, 0, ~0ULL);
    test.deadline_s = number<std::uint32_t>(object, "deadline_s", 60, 1, 86'400);
    test.verify = object.value("verify", true);
    test.wait = object.value("wait", "");
    test.pages = object.value("pages", "");
    (void)pages_of(test.pages);
    test.point = number<std::uint64_t>(object, "point", 0, 0, most_point);
    if (object.contains("schedule")) read_schedule(object.at("schedule"), test.schedule);
  } catch (const json::exception& error) {
    throw std::invalid_argument(error.what());
  }
  if ((std::uint64_t{test.samples} + test.warmup) * test.ops_per_sample > most_messages) {
    throw std::invalid_argument("samples times ops_per_sample must not exceed 2^32");
  }
  return test;
}

std::string to_line(const Batch& batch) {
  json head{{"kind", "batch"},
            {"id", batch.id},
            {"status", name_of(batch.outcome.status)},
            {"reason", batch.outcome.reason},
            {"warmup", batch.warmup},
            {"ops_per_sample", batch.ops_per_sample},
            {"verified_bytes", batch.outcome.verified_bytes},
            {"elapsed_ns", batch.elapsed_ns},
            {"timed_ns", batch.timed_ns},
            {"cpu_ns", batch.cpu_ns},
            {"memory_bytes", batch.pages.bytes},
            {"huge_bytes", batch.pages.huge_bytes}};
  if (batch.queue_held) head["queue_held"] = *batch.queue_held;
  std::string line = dump(head);
  line.back() = ',';
  line += R"("ticks":[)";
  append_ticks(line, batch.ticks);
  line += "],";
  append_parts(line, batch.parts);
  line += batch.ended_launch ? R"(,"ended_launch":true})" : "}";
  return line;
}

std::string to_line(const Report& report) {
  json head{{"status", static_cast<int>(report.outcome.status)},
            {"reason", report.outcome.reason},
            {"verified_bytes", report.outcome.verified_bytes},
            {"cpu_ns", report.cpu_ns},
            {"tick_ns", report.tick_ns}};
  if (report.queue_held) head["queue_held"] = *report.queue_held;
  std::string line = dump(head);
  line.back() = ',';
  append_parts(line, report.parts);
  line += '}';
  return line;
}

Report parse_report(const std::string& line) {
  const json object = json::parse(line);
  Report report{{static_cast<Status>(object.at("status").get<int>()), object.at("reason"),
                 object.at("verified_bytes")},
                object.at("cpu_ns"),
                object.at("tick_ns"),
                {},
                {}};
  if (object.contains("queue_held"))
    report.queue_held = object.at("queue_held").get<std::uint32_t>();
  for (const auto& [name, ticks] : object.at("parts").items())
    report.parts.push_back({name, ticks});
  return report;
}

std::string to_line(const Place& place) {
  return dump({{"host", place.host}, {"pid", place.pid}, {"cpu", place.cpu}, {"numa", place.numa}});
}

std::string describe_line(const Description& self) {
  json settings = json::array();
  for (const Setting& setting : self.settings) {
    settings.push_back({{"name", setting.name}, {"summary", setting.summary}});
  }
  json list = json::array();
  for (const Support& pattern : self.patterns) list.push_back(to_json(pattern));
  return dump({{"kind", "describe"},
               {"protocol", protocol_version},
               {"transport", self.transport},
               {"mode", self.mode},
               {"mpi", self.mpi},
               {"summary", self.summary},
               {"reason", self.reason},
               {"settings", settings},
               {"waits", self.waits},
               {"patterns", list}});
}

std::string hello_line(std::string_view transport, const std::string& library,
                       std::span<const std::string> places, const Calibration& clock,
                       const Details& details) {
  json ranks = json::array();
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    json place = json::parse(places[rank]);
    place["rank"] = rank;
    ranks.push_back(place);
  }
  json notes = json::object();
  for (const auto& [key, value] : details) notes[key] = value;
  return dump({{"kind", "hello"},
               {"protocol", protocol_version},
               {"transport", transport},
               {"mpi", library},
               {"ranks", ranks},
               {"clock", to_json(clock)},
               {"details", notes}});
}

std::string bye_line(const Calibration& clock) {
  return dump({{"kind", "bye"}, {"clock", to_json(clock)}});
}

}  // namespace weft

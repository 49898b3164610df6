#include "run/describe.hpp"

#include <nlohmann/json.hpp>

#include "run/json_text.hpp"

namespace weft {

namespace {

using nlohmann::json;

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
    case Figure::iteration:
      return "iteration";
    case Figure::collective:
      return "collective";
    case Figure::pairs:
      return "pairs";
  }
  return "";
}

json to_json(const ApplicationOption& option) {
  return {{"name", option.name},
          {"summary", option.summary},
          {"is_text", option.is_text},
          {"usual", option.usual},
          {"least", option.least},
          {"most", option.most},
          {"step", option.step},
          {"moved_bytes_per_site", option.moved_bytes_per_site},
          {"set_bytes_per_site", option.set_bytes_per_site}};
}

json to_json(const LatticeInfo& lattice) {
  json options = json::array();
  for (const ApplicationOption& option : lattice.options) options.push_back(to_json(option));
  return {{"dimensions", lattice.dimensions},
          {"extents", lattice.extents},
          {"bytes", lattice.bytes},
          {"least_extent", lattice.least_extent},
          {"multiple", lattice.multiple},
          {"sums", lattice.sums},
          {"flops_per_site", lattice.flops_per_site},
          {"moved_bytes_per_site", lattice.moved_bytes_per_site},
          {"set_bytes_per_site", lattice.set_bytes_per_site},
          {"rest", lattice.rest},
          {"options", options},
          {"answers", lattice.answers}};
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
      {"has_size", info.has_size},
      {"time_factor", info.time_factor},
      {"every_operation", info.every_operation},
      {"axis", {{"name", info.axis.name}, {"unit", info.axis.unit}, {"points", info.axis.points}}},
      {"has_queue", info.has_queue},
      {"has_directions", info.has_directions},
      {"latencies_per_sample", info.latencies_per_sample},
      {"messages_per_burst", info.messages_per_burst},
      {"pause_trips", info.pause_trips},
      {"clock_reads", info.clock_reads},
      {"part_clock_reads", part_reads},
      {"splits_operations", info.splits_operations},
      {"parts", pattern.parts},
      {"lattice", to_json(info.lattice)},
      {"footprint",
       {{"messages_per_operation", pattern.footprint.messages_per_operation},
        {"messages_before", pattern.footprint.messages_before},
        {"series", pattern.footprint.series},
        {"streams", pattern.footprint.streams},
        {"receives", pattern.footprint.receives},
        {"receives_per_queue", pattern.footprint.receives_per_queue},
        {"receives_per_point", pattern.footprint.receives_per_point},
        {"buffers", pattern.footprint.buffers},
        {"bytes_per_site", pattern.footprint.bytes_per_site},
        {"own_messages", pattern.footprint.own_messages},
        {"own_messages_per_rank", pattern.footprint.own_messages_per_rank},
        {"ranks", pattern.footprint.ranks},
        {"ranks_per_point", pattern.footprint.ranks_per_point},
        {"is_star", pattern.footprint.is_star}}},
      {"supported", pattern.supported},
      {"reason", pattern.reason},
  };
}

json to_json(const Calibration& clock) {
  return {{"name", clock.name},
          {"tick_ns", clock.tick_ns},
          {"overhead_ticks", clock.overhead_ticks},
          {"baseline_ns", clock.baseline_ns}};
}

}  // namespace

std::string to_line(const Location& location) {
  return dump({{"host", location.host},
               {"pid", location.pid},
               {"cpu", location.cpu},
               {"numa", location.numa},
               {"socket", location.socket},
               {"core", location.core}});
}

std::string describe_line(const Description& self) {
  json settings = json::array();
  for (const Setting& setting : self.settings) {
    settings.push_back({{"name", setting.name},
                        {"summary", setting.summary},
                        {"least", setting.least},
                        {"most", setting.most},
                        {"choices", setting.choices}});
  }
  json list = json::array();
  for (const Support& pattern : self.patterns) list.push_back(to_json(pattern));
  return dump({{"kind", "describe"},
               {"protocol", protocol_version},
               {"weft", WEFT_VERSION},
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
                       std::span<const std::string> locations, const Calibration& clock,
                       const Details& details, const CountedKinds& counters) {
  json ranks = json::array();
  for (std::size_t rank = 0; rank < locations.size(); ++rank) {
    json location = json::parse(locations[rank]);
    location["rank"] = rank;
    ranks.push_back(location);
  }
  json notes = json::object();
  for (const auto& [key, value] : details) notes[key] = value;
  json line{
      {"kind", "hello"}, {"protocol", protocol_version}, {"transport", transport}, {"mpi", library},
      {"ranks", ranks},  {"clock", to_json(clock)},      {"details", notes}};
  if (!counters.empty()) line["counters"] = counters;
  return dump(line);
}

std::string bye_line(const Calibration& clock, const SimulationEnd& simulation) {
  json line{{"kind", "bye"}, {"clock", to_json(clock)}};
  if (!simulation.link_bytes.empty()) line["link_bytes"] = simulation.link_bytes;
  if (simulation.peak_bytes > 0) line["peak_bytes"] = simulation.peak_bytes;
  return dump(line);
}

}  // namespace weft

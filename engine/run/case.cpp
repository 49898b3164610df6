#include "run/case.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

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
constexpr std::uint64_t most_sites = 1ULL << 32U;
constexpr std::uint64_t most_bytes = 1ULL << 46U;

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

void read_lattice(const json& object, Lattice& lattice) {
  const json extents = object.value("extents", json::array());
  if (!extents.is_array() || extents.empty() || extents.size() > lattice.extents.size()) {
    throw std::invalid_argument("lattice.extents must be a list of one to four numbers");
  }
  for (const json& extent : extents) {
    lattice.extents.at(lattice.dimensions++) =
        number<std::uint32_t>({{"extent", extent}}, "extent", 1, 1, 4096);
  }
  if (lattice.sites() > most_sites) {
    throw std::invalid_argument("a lattice has at most 2^32 sites");
  }
  lattice.is_global = object.value("is_global", lattice.is_global);
  lattice.overlaps = object.value("overlaps", lattice.overlaps);
  lattice.depth = number<std::uint32_t>(object, "depth", 1, 1, 16);
  lattice.sums = number<std::uint32_t>(object, "sums", 0, 0, 2);
  lattice.threads = number<std::uint32_t>(object, "threads", 1, 1, 1024);
  lattice.compute_ps_per_site =
      number<std::uint64_t>(object, "compute_ps_per_site", 0, 0, 1'000'000'000);
}

// Before anything is multiplied by the bytes of a site: the product would pass 64 bits.
void refuse_long_faces(const Case& spec) {
  Case of_a_byte = spec;
  of_a_byte.bytes = 1;
  if (spec.bytes <= most_bytes / message_bytes_of(of_a_byte)) return;
  throw std::invalid_argument("the message of a face must not exceed 2^46 bytes");
}

// Only the application knows its names and their ranges.
void read_application(const json& object, Values& application) {
  if (!object.is_object()) throw std::invalid_argument("application must be an object");
  for (const auto& [name, value] : object.items()) {
    if (value.is_number()) {
      application[name] = value.get<double>();
    } else if (value.is_string()) {
      application[name] = value.get<std::string>();
    } else {
      throw std::invalid_argument("application." + name + " must be a number or a text, not " +
                                  value.dump());
    }
  }
}

}  // namespace

Case parse_case(const std::string& line) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object()) throw std::invalid_argument("a case must be one JSON object on a line");
  Case spec;
  try {
    spec.id = number<std::uint64_t>(object, "id", 0, 0, ~0ULL);
    spec.test = object.value("test", "");
    spec.bytes = number<std::size_t>(object, "bytes", 0, 0, most_bytes);
    spec.samples = number<std::uint32_t>(object, "samples", 1, 1, most_samples);
    spec.warmup = number<std::uint32_t>(object, "warmup", 0, 0, most_samples);
    spec.ops_per_sample = number<std::uint32_t>(object, "ops_per_sample", 1, 1, 1U << 30U);
    spec.queue_depth = number<std::uint32_t>(object, "queue_depth", 64, 1, 1U << 16U);
    spec.seed = number<std::uint64_t>(object, "seed", 1, 0, ~0ULL);
    spec.deadline_s = number<std::uint32_t>(object, "deadline_s", 60, 1, 86'400);
    spec.verify = object.value("verify", true);
    spec.most_checked = number<std::uint32_t>(object, "most_checked", 256, 1, 256);
    spec.keeps_all = object.value("keep_all", false);
    spec.wait = object.value("wait", "");
    spec.pages = object.value("pages", "");
    (void)pages_of(spec.pages);
    const std::string direction = object.value("direction", "");
    if (!direction.empty() && direction != "back") {
      throw std::invalid_argument("direction must be back or empty, not " + direction);
    }
    spec.is_back = direction == "back";
    spec.point = number<std::uint64_t>(object, "point", 0, 0, most_point);
    spec.at_once = number<std::uint32_t>(object, "at_once", 0, 0, 1U << 20U);
    if (object.contains("schedule")) read_schedule(object.at("schedule"), spec.schedule);
    if (object.contains("lattice")) read_lattice(object.at("lattice"), spec.lattice);
    if (object.contains("application")) {
      read_application(object.at("application"), spec.application);
    }
  } catch (const json::exception& error) {
    throw std::invalid_argument(error.what());
  }
  if ((std::uint64_t{spec.samples} + spec.warmup) * spec.ops_per_sample > most_messages) {
    throw std::invalid_argument("samples times ops_per_sample must not exceed 2^32");
  }
  refuse_long_faces(spec);
  return spec;
}

std::uint64_t id_of(const std::string& line) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object() || !object.contains("id")) return 0;
  const json& id = object.at("id");
  return id.is_number_unsigned() ? id.get<std::uint64_t>() : 0;
}

}  // namespace weft

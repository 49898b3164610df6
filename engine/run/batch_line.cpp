#include "run/batch_line.hpp"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "run/json_text.hpp"

namespace weft {

namespace {

using nlohmann::json;

constexpr std::size_t piece_bytes = std::size_t{1} << 16U;

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

}  // namespace

void say_broken(Batch& batch, const Fault& fault) {
  batch.ended_launch = true;
  refuse(batch, {Status::failed,
                 std::string("the link failed in ") + fault.during + " (code " +
                     std::to_string(fault.code) + "): " + fault.cause,
                 0});
}

void BatchLine::begin(const Batch& batch) {
  json head{{"kind", "batch"},
            {"id", batch.id},
            {"status", name_of(batch.outcome.status)},
            {"reason", batch.outcome.reason},
            {"warmup", batch.warmup},
            {"ops_per_sample", batch.ops_per_sample},
            {"verified_bytes", batch.outcome.verified_bytes},
            {"timed_ns", batch.timed_ns},
            {"cpu_ns", batch.cpu_ns},
            {"memory_bytes", batch.pages.bytes},
            {"huge_bytes", batch.pages.huge_bytes}};
  if (batch.sent_messages > 0) {
    head["sent_bytes"] = batch.sent_bytes;
    head["sent_messages"] = batch.sent_messages;
  }
  if (!batch.application.empty()) head["application"] = to_json(batch.application);
  if (batch.outcome.status == Status::ok && batch.pairs.all > 0) {
    head["pairs"] = batch.pairs.all;
    head["pairs_between_hosts"] = batch.pairs.between_hosts;
  }
  for (const NamedRise& one : batch.counters) {
    head["counters"].push_back({{"host", one.host},
                                {"device", one.device},
                                {"name", one.name},
                                {"kind", one.kind},
                                {"rise", one.rise}});
  }
  if (batch.queue_held) head["queue_held"] = *batch.queue_held;
  text_ = dump(head);
  text_.back() = ',';
  text_ += R"("ticks":[)";
  first_value_ = first_part_ = true;
  values(batch.ticks);
  text_ += R"(],"parts":{)";
}

void BatchLine::begin_part(const std::string& name) {
  if (!first_part_) text_ += "],";
  text_ += dump(name) + ":[";
  first_value_ = true;
  first_part_ = false;
}

void BatchLine::values(std::span<const Ticks> ticks) {
  numbers(ticks);
}

template <class Number>
void BatchLine::numbers(std::span<const Number> all) {
  constexpr std::size_t longest = 32;
  std::array<char, longest> digits{};
  for (const Number value : all) {
    if (!first_value_) text_ += ',';
    first_value_ = false;
    const auto written = std::to_chars(digits.begin(), digits.end(), value);
    text_.append(digits.begin(), written.ptr);
    if (text_.size() >= piece_bytes) flush();
  }
}

template <class Number>
void BatchLine::list(std::span<const Number> all) {
  text_ += '[';
  first_value_ = true;
  numbers(all);
  text_ += ']';
}

template <class Each>
void BatchLine::by_name(const char* key, const OverRanks& found, const Each& each) {
  text_ += std::string(",\"") + key + "\":{";
  for (std::size_t at = 0; at < found.series.size(); ++at) {
    if (at > 0) text_ += ',';
    text_ += dump(found.series[at].name) + ':';
    each(found.series[at]);
  }
  text_ += '}';
}

void BatchLine::over_ranks(const OverRanks& found) {
  if (!first_part_) text_ += ']';
  first_part_ = true;
  text_ += R"(},"over_ranks":{"ranks":)";
  list(std::span<const int>(found.ranks));
  text_ += R"(,"values":)" + std::to_string(found.values) + R"(,"shares":)";
  list(std::span<const double>(quantile_shares));
  by_name("quantiles", found, [&](const SeriesOverRanks& one) {
    const std::span<const double> all(one.quantiles);
    text_ += '[';
    for (std::size_t at = 0; at < all.size(); at += quantile_shares.size()) {
      if (at > 0) text_ += ',';
      list(all.subspan(at, quantile_shares.size()));
    }
    text_ += ']';
  });
  const auto ticks_of = [this](const std::vector<Ticks>& all) {
    list(std::span<const Ticks>(all));
  };
  by_name("mean", found, [&](const SeriesOverRanks& one) { ticks_of(one.mean); });
  by_name("slowest", found, [&](const SeriesOverRanks& one) { ticks_of(one.slowest); });
  text_ += R"(,"slowest_rank":)";
  list(std::span<const int>(found.slowest_rank));
  text_ += R"(,"middle":)";
  ticks_of(found.middle);
  text_ += R"(,"fairness_ppm":)";
  ticks_of(found.fairness_ppm);
}

void BatchLine::end(const Batch& batch) {
  if (!first_part_) text_ += ']';
  text_ += R"(},"elapsed_ns":)" + std::to_string(batch.elapsed_ns);
  text_ += batch.ended_launch ? R"(,"ended_launch":true})" : "}";
  text_ += '\n';
  flush();
}

void BatchLine::flush() {
  write_(text_);
  text_.clear();
}

std::string to_line(const Batch& batch) {
  std::string line;
  BatchLine writer([&](std::string_view piece) { line += piece; });
  writer.begin(batch);
  for (const Series& part : batch.parts) {
    writer.begin_part(part.name);
    writer.values(part.ticks);
  }
  writer.end(batch);
  line.pop_back();
  return line;
}

}  // namespace weft

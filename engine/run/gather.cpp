#include "run/gather.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>

namespace weft {

namespace {

constexpr std::size_t piece_values = std::size_t{1} << 15U;
// So many pieces are asked for before the first of them came.
constexpr std::size_t pieces_ahead = 4;

/// What rank 0 asks a rank for: a piece of one of its series, or one of those below.
struct Question {
  std::uint64_t what = 0;
  std::uint64_t first = 0;
};
constexpr std::uint64_t nothing_more = ~0ULL;
constexpr std::uint64_t the_reason = ~1ULL;

template <class Item>
std::span<const std::byte> bytes_of(const Item& item) {
  return std::as_bytes(std::span(&item, 1));
}

template <class Item>
std::span<std::byte> room_of(Item& item) {
  return std::as_writable_bytes(std::span(&item, 1));
}

[[noreturn]] void out_of_step(int rank, std::size_t bytes, std::size_t due) {
  throw std::runtime_error("rank " + std::to_string(rank) + " sent " + std::to_string(bytes) +
                           " bytes of its report where " + std::to_string(due) +
                           " were due; please report this defect with the case");
}

void ask(Bootstrap& boot, int rank, const Question& question) {
  boot.send(rank, bytes_of(question));
}

// Two counters of one kind differ by the noise of their calibration; a tick of another kind is
// turned into rank 0's.
void to_ticks_of(double tick_ns, double own_tick_ns, std::span<Ticks> ticks) {
  constexpr double noise = 1e-3;
  const double ratio = own_tick_ns / tick_ns;
  if (std::abs(ratio - 1) < noise) return;
  for (Ticks& value : ticks) {
    value = static_cast<Ticks>(std::llround(static_cast<double>(value) * ratio));
  }
}

std::string name_at(int rank, const std::string& name) {
  if (rank == 0) return name;
  const std::string prefix = "rank" + std::to_string(rank);
  return name.empty() ? prefix : prefix + "." + name;
}

}  // namespace

void hand_over(Bootstrap& boot, const Report& report) {
  const ReportHead head = head_of(report);
  (void)boot.gather(bytes_of(head));
  if (!head.has_more()) return;
  for (Question question; true;) {
    const std::size_t bytes = boot.receive(0, room_of(question));
    if (bytes != sizeof question) out_of_step(0, bytes, sizeof question);
    if (question.what == nothing_more) return;
    if (question.what == the_reason) {
      boot.send(0, std::as_bytes(std::span(report.outcome.reason).first(head.reason_bytes)));
      continue;
    }
    const std::span<const Ticks> ticks(report.parts.at(question.what).ticks);
    const std::span<const Ticks> rest = ticks.subspan(std::min(question.first, ticks.size()));
    boot.send(0, std::as_bytes(rest.first(std::min(rest.size(), piece_values))));
  }
}

Gathering::Questions::~Questions() {
  for (const Waiting& one : waiting) {
    try {
      ask(*boot, one.rank, {nothing_more, 0});
    } catch (const std::exception&) {
      return;  // a rank is gone: the others end with the launch
    }
  }
}

Gathering::Gathering(Bootstrap& boot, const Report& own, Batch& batch)
    : questions_(boot), own_(&own) {
  std::vector<ReportHead> heads(static_cast<std::size_t>(boot.size()));
  const std::vector<std::byte> all = boot.gather(bytes_of(head_of(own)));
  std::memcpy(heads.data(), all.data(), std::min(all.size(), heads.size() * sizeof(ReportHead)));
  for (int rank = 1; rank < boot.size(); ++rank) {
    const ReportHead& head = heads[static_cast<std::size_t>(rank)];
    if (head.has_more()) questions_.waiting.push_back({rank, head});
  }
  const std::size_t values = batch.ticks.size();
  batch.outcome = own.outcome;
  batch.cpu_ns = {own.cpu_ns};
  batch.queue_held = own.queue_held;
  for (int rank = 1; rank < boot.size(); ++rank) {
    const ReportHead& head = heads[static_cast<std::size_t>(rank)];
    const std::string fault = refuse_head(head, own.parts.size(), values);
    if (fault.empty()) {
      merge(batch, rank, head);
    } else if (batch.outcome.status == Status::ok) {
      batch.outcome.status = Status::failed;
      batch.outcome.reason = "rank " + std::to_string(rank) + ": " + fault +
                             "; please report this defect with the case";
    }
  }
  if (batch.outcome.status != Status::ok) refuse(batch, Outcome(batch.outcome));
}

void Gathering::merge(Batch& batch, int rank, const ReportHead& head) {
  batch.outcome.verified_bytes += head.verified_bytes;
  batch.cpu_ns.push_back(head.cpu_ns);
  if (head.has_queue_held != 0) {
    batch.queue_held = std::max(batch.queue_held.value_or(0), head.queue_held);
  }
  const auto status = static_cast<Status>(head.status);
  if (batch.outcome.status != Status::ok || status == Status::ok) return;
  batch.outcome.status = status;
  batch.outcome.reason = reason_of(rank, head);
}

std::string Gathering::reason_of(int rank, const ReportHead& head) const {
  if (head.reason_bytes == 0) return "rank " + std::to_string(rank) + " did not say why";
  std::string reason(head.reason_bytes, '\0');
  ask(*questions_.boot, rank, {the_reason, 0});
  const std::size_t bytes =
      questions_.boot->receive(rank, std::as_writable_bytes(std::span(reason)));
  if (bytes != reason.size()) out_of_step(rank, bytes, reason.size());
  return reason;
}

std::vector<std::size_t> Gathering::series_by_name() const {
  std::vector<std::size_t> order(own_->parts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [this](std::size_t one, std::size_t other) {
    return own_->parts[one].name < own_->parts[other].name;
  });
  return order;
}

std::vector<Gathering::Piece> Gathering::pieces() const {
  const std::vector<std::size_t> order = series_by_name();
  std::vector<Piece> all;
  for (const Waiting& from : questions_.waiting) {
    for (const std::size_t series : order) {
      if ((from.head.filled >> series & 1U) == 0) continue;
      for (std::size_t first = 0; first < from.head.values; first += piece_values) {
        all.push_back({&from, series, first});
      }
    }
  }
  return all;
}

void Gathering::parts(Answer& answer) {
  const std::uint32_t filled = head_of(*own_).filled;
  for (const std::size_t series : series_by_name()) {
    if ((filled >> series & 1U) == 0) continue;
    answer.begin_part(own_->parts[series].name);
    answer.values(own_->parts[series].ticks);
  }
  const std::vector<Piece> all = pieces();
  std::vector<Ticks> room(piece_values);
  std::size_t asked = 0;
  for (std::size_t at = 0; at < all.size(); ++at) {
    for (; asked < std::min(all.size(), at + pieces_ahead); ++asked) {
      ask(*questions_.boot, all[asked].from->rank, {all[asked].series, all[asked].first});
    }
    take(all[at], room, answer);
  }
}

void Gathering::take(const Piece& piece, std::vector<Ticks>& room, Answer& answer) const {
  const int rank = piece.from->rank;
  const std::size_t due =
      std::min<std::size_t>(piece_values, piece.from->head.values - piece.first) * sizeof(Ticks);
  const std::size_t bytes = questions_.boot->receive(rank, std::as_writable_bytes(std::span(room)));
  if (bytes != due) out_of_step(rank, bytes, due);
  const std::span<Ticks> ticks = std::span(room).first(due / sizeof(Ticks));
  to_ticks_of(own_->tick_ns, piece.from->head.tick_ns, ticks);
  if (piece.first == 0) answer.begin_part(name_at(rank, own_->parts[piece.series].name));
  answer.values(ticks);
}

std::vector<std::string> gather_texts(Bootstrap& boot, const std::string& mine) {
  constexpr std::size_t longest = 65'536;
  const std::uint64_t length = std::min(mine.size(), longest);
  const std::vector<std::byte> all = boot.gather(bytes_of(length));
  if (boot.rank() != 0) {
    boot.send(0, std::as_bytes(std::span(mine).first(length)));
    return {};
  }
  std::vector<std::string> texts{mine};
  for (int rank = 1; rank < boot.size(); ++rank) {
    std::uint64_t length_there = 0;
    std::memcpy(&length_there, &all[static_cast<std::size_t>(rank) * sizeof length_there],
                sizeof length_there);
    if (length_there > longest) out_of_step(rank, length_there, longest);
    std::string text(length_there, '\0');
    const std::size_t bytes = boot.receive(rank, std::as_writable_bytes(std::span(text)));
    if (bytes != length_there) out_of_step(rank, bytes, length_there);
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace weft

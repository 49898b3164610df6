#include "run/gather.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>

#include "contract/pattern_traits.hpp"
#include "run/over_ranks.hpp"

namespace weft {

namespace {

template <class Item>
std::span<const std::byte> bytes_of(const Item& item) {
  return std::as_bytes(std::span(&item, 1));
}

template <class Item>
std::vector<Item> items_of(std::span<const std::byte> bytes) {
  std::vector<Item> items(bytes.size() / sizeof(Item));
  // Of no items both addresses are null, which memcpy may not have.
  if (!items.empty()) std::memcpy(items.data(), bytes.data(), items.size() * sizeof(Item));
  return items;
}

void expect_bytes(std::size_t bytes, std::size_t due) {
  if (bytes == due) return;
  throw std::runtime_error("the ranks sent " + std::to_string(bytes) +
                           " bytes of their reports where " + std::to_string(due) +
                           " were due; please report this defect with the case");
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

// What whole series are taken in: all series of so many ranks, or a piece of those of one.
struct Window {
  int first_rank;
  int end_rank;
  std::uint64_t first_value;
  std::uint64_t end_value;

  // Of `all` values that a rank has.
  [[nodiscard]] std::uint64_t begin_in(std::uint64_t all) const {
    return std::min(first_value, all);
  }
  [[nodiscard]] std::uint64_t values_of(int rank, std::uint64_t all) const {
    if (rank < first_rank || rank >= end_rank) return 0;
    return std::min(end_value, all) - begin_in(all);
  }
};

// The same on every rank, whichever series it has.
std::vector<Window> windows(int ranks, std::uint64_t values, std::size_t series) {
  constexpr std::uint64_t room = window_bytes / sizeof(Ticks);
  const std::uint64_t of_rank = std::max<std::uint64_t>(values * series, 1);
  const auto at_once = static_cast<int>(std::clamp<std::uint64_t>(room / of_rank, 1, 1U << 20U));
  std::vector<Window> all;
  for (int rank = 1; rank < ranks; rank += at_once) {
    for (std::uint64_t first = 0; first < of_rank; first += room) {
      all.push_back({rank, std::min(rank + at_once, ranks), first, first + room});
    }
  }
  return all;
}

std::uint64_t values_of(const ReportHead& head) {
  return head.values * static_cast<std::uint64_t>(std::popcount(head.filled));
}

// The series whose ranks are put together: those of rank 0's own times are its times.
std::vector<std::size_t> series_over_ranks(const Report& report) {
  std::vector<std::size_t> all;
  for (std::size_t at = 0; at < report.parts.size(); ++at) {
    if (report.parts[at].name != own_times) all.push_back(at);
  }
  return all;
}

// So many samples of a rank at a time, of all ranks together.
std::size_t samples_at_once(int ranks, std::size_t series) {
  const std::size_t of_sample = static_cast<std::size_t>(ranks) * series * sizeof(Ticks);
  return std::max<std::size_t>(window_bytes / of_sample, 1);
}

/// A rank's series as they are put together with those of the others.
class OverRanksOfOne {
 public:
  OverRanksOfOne(Bootstrap& boot, const Asked& asked) : boot_(&boot), asked_(&asked) {}

  void add(std::span<const Ticks> ticks) { series_.push_back(ticks); }

  /// Collective: quantiles of every series, in turn.
  std::vector<double> quantiles() {
    std::vector<double> mine;
    for (const std::span<const Ticks> ticks : series_) {
      const std::vector<double> own =
          quantiles_of(ticks.subspan(std::min<std::size_t>(asked_->warmup, ticks.size())));
      mine.insert(mine.end(), own.begin(), own.end());
    }
    return items_of<double>(boot_->gather(std::as_bytes(std::span(mine))));
  }
  /// Collective: so many samples of every series, in turn; zeroes of one that was not filled.
  std::vector<std::byte> samples(std::size_t first, std::size_t count) {
    std::vector<Ticks> mine;
    for (const std::span<const Ticks> ticks : series_) {
      for (std::size_t at = first; at < first + count; ++at) {
        mine.push_back(at < ticks.size() ? ticks[at] : 0);
      }
    }
    return boot_->gather(std::as_bytes(std::span(mine)));
  }
  /// Goes through the samples with `each(first, count)`. Ranks whose samples are on their way may
  /// be one turn ahead of rank 0, which holds what comes meanwhile, and no more.
  template <class Each>
  void through(const Each& each) const {
    const std::size_t most = samples_at_once(boot_->size(), series_.size());
    for (std::size_t first = 0; first < asked_->values; first += most) {
      if (first > most) (void)boot_->broadcast("");
      each(first, std::min<std::size_t>(most, asked_->values - first));
    }
  }

 private:
  Bootstrap* boot_;
  const Asked* asked_;
  std::vector<std::span<const Ticks>> series_;
};

void hand_over_whole(Bootstrap& boot, const Report& report, const ReportHead& head,
                     const Asked& asked) {
  const std::vector<Ticks> mine = filled_series(report, head);
  for (const Window& one : windows(boot.size(), asked.values, report.parts.size())) {
    const auto piece =
        std::span(mine).subspan(one.begin_in(mine.size()), one.values_of(boot.rank(), mine.size()));
    (void)boot.gather(std::as_bytes(piece), {});
  }
}

}  // namespace

void hand_over(Bootstrap& boot, Report& report) {
  const ReportHead head = head_of(report);
  (void)boot.gather(head_with_more(report, head, boot.size()));
  if (bytes_with_head(report, boot.size()) > 0) return;
  Asked asked;
  while (true) {
    const std::string said = boot.broadcast("");
    asked = items_of<Asked>(std::as_bytes(std::span(said))).front();
    if (asked.reason_of < 0) break;
    const std::size_t bytes = asked.reason_of == boot.rank() ? head.reason_bytes : 0;
    (void)boot.gather(std::as_bytes(std::span(report.outcome.reason).first(bytes)), {});
  }
  for (Series& part : report.parts) to_ticks_of(asked.tick_ns, report.tick_ns, part.ticks);
  if (asked.wanted == Wanted::whole) hand_over_whole(boot, report, head, asked);
  if (asked.wanted != Wanted::over_ranks) return;
  OverRanksOfOne own(boot, asked);
  for (const std::size_t series : series_over_ranks(report)) own.add(report.parts[series].ticks);
  own.through([&](std::size_t first, std::size_t count) { (void)own.samples(first, count); });
  // Last: ranks sort while rank 0 goes through the samples.
  (void)own.quantiles();
}

Gathering::Gathering(Bootstrap& boot, const Report& own, Batch& batch)
    : boot_(&boot),
      own_(&own),
      batch_(&batch),
      of_rank_(sizeof(ReportHead) + bytes_with_head(own, boot.size())) {
  const auto ranks = static_cast<std::size_t>(boot.size());
  came_ = boot.gather(head_with_more(own, head_of(own), boot.size()));
  expect_bytes(came_.size(), ranks * of_rank_);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto head = std::span(came_).subspan(rank * of_rank_, sizeof(ReportHead));
    heads_.push_back(items_of<ReportHead>(head).front());
  }
  asked_.values = batch.ticks.size();
  asked_.warmup = batch.warmup;
  asked_.tick_ns = own.tick_ns;
  batch.outcome = own.outcome;
  batch.cpu_ns = {own.cpu_ns};
  batch.queue_held = own.queue_held;
  batch.pairs = own.pairs;
  add_rises(0, heads_.front());
  for (int rank = 1; rank < boot.size(); ++rank) {
    const ReportHead& head = heads_[static_cast<std::size_t>(rank)];
    const std::string fault = refuse_head(head, own.parts.size(), asked_.values);
    if (fault.empty()) {
      merge(rank, head);
    } else if (batch.outcome.status == Status::ok) {
      batch.outcome.status = Status::failed;
      batch.outcome.reason = "rank " + std::to_string(rank) + ": " + fault +
                             "; please report this defect with the case";
    }
  }
  if (batch.outcome.status != Status::ok) refuse(batch, Outcome(batch.outcome));
}

void Gathering::say(const Asked& asked) {
  std::string text(sizeof asked, '\0');
  std::memcpy(text.data(), &asked, sizeof asked);
  (void)boot_->broadcast(text);
}

void Gathering::add_rises(int rank, const ReportHead& head) {
  for (const CounterRise& one : std::span(head.rise).first(head.rises)) {
    batch_->rises.push_back({rank, one.counter, one.rise});
  }
}

void Gathering::merge(int rank, const ReportHead& head) {
  add_rises(rank, head);
  batch_->outcome.verified_bytes += head.verified_bytes;
  batch_->cpu_ns.push_back(head.cpu_ns);
  batch_->pairs.all += head.pairs;
  batch_->pairs.between_hosts += head.pairs_between_hosts;
  if (head.has_queue_held != 0) {
    batch_->queue_held = std::max(batch_->queue_held.value_or(0), head.queue_held);
  }
  const auto status = static_cast<Status>(head.status);
  if (batch_->outcome.status != Status::ok || status == Status::ok) return;
  batch_->outcome.status = status;
  if (head.reason_bytes == 0) {
    batch_->outcome.reason = "rank " + std::to_string(rank) + " did not say why";
    return;
  }
  const std::vector<std::byte> bytes = reason_of(rank, head);
  expect_bytes(bytes.size(), head.reason_bytes);
  batch_->outcome.reason.resize(bytes.size());
  std::memcpy(batch_->outcome.reason.data(), bytes.data(), bytes.size());
}

std::vector<std::byte> Gathering::reason_of(int rank, const ReportHead& head) {
  if (has_all()) {
    const auto more = std::span(came_).subspan(
        static_cast<std::size_t>(rank) * of_rank_ + sizeof head, of_rank_ - sizeof head);
    const auto reason = more.first(std::min<std::size_t>(head.reason_bytes, more.size()));
    return {reason.begin(), reason.end()};
  }
  Asked asking = asked_;
  asking.reason_of = rank;
  say(asking);
  std::vector<std::uint64_t> due(heads_.size(), 0);
  due[static_cast<std::size_t>(rank)] = head.reason_bytes;
  return boot_->gather({}, due);
}

Wanted Gathering::wanted() const {
  if (batch_->outcome.status != Status::ok) return Wanted::nothing;
  std::uint64_t values = 0;
  std::size_t ranks = 0;
  for (std::size_t rank = 1; rank < heads_.size(); ++rank) {
    values += values_of(heads_[rank]);
    if (heads_[rank].filled != 0) ++ranks;
  }
  if (values == 0) return Wanted::nothing;
  const bool is_many = ranks > few_ranks && values > most_whole_values;
  const bool has_times = own_->parts.back().name.empty();
  return is_many && has_times && !own_->keeps_all ? Wanted::over_ranks : Wanted::whole;
}

void Gathering::parts(Answer& answer) {
  asked_.wanted = wanted();
  if (!has_all()) say(asked_);
  if (batch_->outcome.status != Status::ok) return;
  own_parts(answer);
  if (asked_.wanted == Wanted::whole) {
    if (has_all()) {
      with_heads(answer);
    } else {
      whole(answer);
    }
  }
  if (asked_.wanted == Wanted::over_ranks) over_ranks(answer);
}

void Gathering::own_parts(Answer& answer) const {
  for (const std::size_t series : series_by_name(*own_)) {
    if ((heads_.front().filled >> series & 1U) == 0) continue;
    answer.begin_part(own_->parts[series].name);
    answer.values(own_->parts[series].ticks);
  }
}

std::vector<Gathering::Named> Gathering::filled() const {
  const std::vector<std::size_t> order = series_by_name(*own_);
  std::vector<Named> all;
  for (std::size_t rank = 1; rank < heads_.size(); ++rank) {
    for (const std::size_t series : order) {
      if ((heads_[rank].filled >> series & 1U) != 0)
        all.push_back({static_cast<int>(rank), series});
    }
  }
  return all;
}

void Gathering::with_heads(Answer& answer) {
  const std::size_t bytes = asked_.values * sizeof(Ticks);
  int before = 0;
  std::size_t at = 0;
  for (const Named& one : filled()) {
    if (one.rank != before) at = static_cast<std::size_t>(one.rank) * of_rank_ + sizeof(ReportHead);
    before = one.rank;
    std::vector<Ticks> ticks = items_of<Ticks>(std::span(came_).subspan(at, bytes));
    at += bytes;
    to_ticks_of(asked_.tick_ns, heads_[static_cast<std::size_t>(one.rank)].tick_ns, ticks);
    answer.begin_part(name_at(one.rank, own_->parts[one.series].name));
    answer.values(ticks);
  }
}

void Gathering::whole(Answer& answer) {
  const std::vector<Named> all = filled();
  auto next = all.begin();
  std::uint64_t left = 0;
  for (const Window& one : windows(boot_->size(), asked_.values, own_->parts.size())) {
    std::vector<std::uint64_t> due;
    for (std::size_t rank = 0; rank < heads_.size(); ++rank) {
      const std::uint64_t of_rank = rank == 0 ? 0 : values_of(heads_[rank]);
      due.push_back(one.values_of(static_cast<int>(rank), of_rank) * sizeof(Ticks));
    }
    const std::vector<std::byte> bytes = boot_->gather({}, due);
    expect_bytes(bytes.size(), std::accumulate(due.begin(), due.end(), std::uint64_t{0}));
    const std::vector<Ticks> ticks = items_of<Ticks>(bytes);
    for (std::span<const Ticks> rest(ticks); !rest.empty();) {
      if (left == 0) {
        answer.begin_part(name_at(next->rank, own_->parts[next->series].name));
        left = asked_.values;
        ++next;
      }
      const auto piece = rest.first(std::min<std::size_t>(left, rest.size()));
      answer.values(piece);
      left -= piece.size();
      rest = rest.subspan(piece.size());
    }
  }
}

void Gathering::over_ranks(Answer& answer) {
  std::vector<bool> takes_part;
  for (const ReportHead& head : heads_) {
    takes_part.push_back((head.filled >> (own_->parts.size() - 1) & 1U) != 0);
  }
  OverRanksOfOne own(*boot_, asked_);
  std::vector<std::string> names;
  for (const std::size_t series : series_over_ranks(*own_)) {
    names.push_back(own_->parts[series].name);
    if (!names.back().empty()) own.add(own_->parts[series].ticks);
  }
  const auto own_part = std::find_if(own_->parts.begin(), own_->parts.end(),
                                     [](const Series& part) { return part.name == own_times; });
  const bool has_own = own_part != own_->parts.end();
  takes_part.front() = has_own || !own_->is_of_all;
  if (own_->is_of_all) {
    own.add(has_own ? std::span<const Ticks>(own_part->ticks) : std::span<const Ticks>());
  } else {
    own.add(batch_->ticks);
  }
  OverRanksSoFar all(takes_part, std::move(names), own_->is_of_all);
  own.through(
      [&](std::size_t first, std::size_t count) { all.samples(own.samples(first, count), count); });
  all.quantiles(own.quantiles());
  all.found().values = asked_.values - std::min(asked_.warmup, asked_.values);
  answer.over_ranks(all.found());
}

std::vector<std::string> gather_texts(Bootstrap& boot, const std::string& mine) {
  constexpr std::size_t longest = 65'536;
  const std::uint64_t length = std::min(mine.size(), longest);
  const auto lengths = items_of<std::uint64_t>(boot.gather(bytes_of(length)));
  const auto all = boot.gather(std::as_bytes(std::span(mine).first(length)), lengths);
  std::vector<std::string> texts;
  std::size_t start = 0;
  for (const std::uint64_t bytes : lengths) {
    const auto text = std::span(all).subspan(start, bytes);
    texts.emplace_back(text.size(), '\0');
    std::memcpy(texts.back().data(), text.data(), text.size());
    start += bytes;
  }
  return texts;
}

}  // namespace weft

// What the ranks say of a case, on its way to rank 0: order, bounds, and ranks that lie or die.
#include "run/gather.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "run/batch_line.hpp"
#include "tests/support/thread_bootstrap.hpp"

namespace weft::fake {
namespace {

/// What a rank does in place of handing its report over.
using Act = std::function<void(Bootstrap& boot)>;

struct Gathered {
  Batch batch;
  /// What rank 0 threw.
  std::string error;
  std::string line;
};

/// Ranks with these reports, some of which behave otherwise.
Gathered gather(const std::vector<Report>& reports, const std::map<int, Act>& others = {}) {
  Meeting meeting(static_cast<int>(reports.size()));
  Gathered all;
  const auto rank_0 = [&](Bootstrap& boot) {
    const Report& own = reports.front();
    if (!own.parts.empty()) all.batch.ticks.assign(own.parts.front().ticks.size(), 1);
    Gathering gathering(boot, own, all.batch);
    BatchLine line([&](std::string_view text) { all.line += text; });
    line.begin(all.batch);
    if (all.batch.outcome.status == Status::ok) gathering.parts(line);
    line.end(all.batch);
  };
  std::vector<std::thread> threads;
  for (std::size_t index = 0; index < reports.size(); ++index) {
    threads.emplace_back([&, index] {
      const int rank = static_cast<int>(index);
      ThreadBootstrap boot(meeting, rank);
      try {
        const auto act = others.find(rank);
        if (act != others.end()) {
          act->second(boot);
        } else if (rank == 0) {
          rank_0(boot);
        } else {
          hand_over(boot, reports[index]);
        }
      } catch (const std::runtime_error& error) {
        if (rank == 0) all.error = error.what();
        meeting.abandon();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return all;
}

Report report_of(std::vector<Part> parts, double tick_ns = 1) {
  return {
      .outcome = {}, .cpu_ns = 7, .tick_ns = tick_ns, .queue_held = {}, .parts = std::move(parts)};
}

std::vector<Ticks> series(std::size_t values, Ticks from) {
  std::vector<Ticks> ticks(values);
  for (Ticks& value : ticks) value = from++;
  return ticks;
}

std::string text_of(const std::vector<Ticks>& ticks) {
  std::string text;
  for (const Ticks value : ticks) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

TEST(Gathering, TicksOfAnotherCounterBecomeRankZeros) {
  const std::vector<Ticks> two{0, 0};
  Report other = report_of({{"", {10, 20}}}, 1.0);
  other.queue_held = 5;
  Report own = report_of({{"", two}}, 0.5);
  own.cpu_ns = 0;
  const Gathered all = gather({own, other});
  EXPECT_NE(all.line.find(R"("parts":{"rank1":[20,40]})"), std::string::npos) << all.line;
  EXPECT_EQ(all.batch.cpu_ns, (std::vector<std::int64_t>{0, 7}));
  EXPECT_EQ(all.batch.queue_held, 5U);
}

// Longer than the pieces in which a series comes, so that those of two ranks could mix.
TEST(Gathering, SeriesOfManyRanksComeWholeInTheOrderOfRanksAndNames) {
  constexpr std::size_t values = 70'000;
  constexpr int ranks = 9;
  std::vector<Report> reports{
      report_of({{"post", series(values, 5)}, {"early", series(values, 6)}, {"", {}}})};
  std::string wanted = R"("parts":{"early":[)" + text_of(series(values, 6)) + R"(],"post":[)" +
                       text_of(series(values, 5)) + "]";
  for (int rank = 1; rank < ranks; ++rank) {
    const auto from = static_cast<Ticks>(rank) * 1'000'000;
    const std::vector<Ticks> none(values, 0);
    // One has nothing to say, and of some only a part is more than zeroes.
    const bool posts = rank % 2 == 0;
    reports.push_back(report_of({{"post", posts ? series(values, from) : none},
                                 {"early", none},
                                 {"", rank == 3 ? none : series(values, from + 7)}}));
    const std::string name = "rank" + std::to_string(rank);
    if (rank != 3) wanted += R"(,")" + name + R"(":[)" + text_of(series(values, from + 7)) + "]";
    if (posts) wanted += R"(,")" + name + R"(.post":[)" + text_of(series(values, from)) + "]";
  }
  const Gathered all = gather(reports);
  EXPECT_EQ(all.error, "");
  EXPECT_EQ(all.batch.outcome.status, Status::ok) << all.batch.outcome.reason;
  EXPECT_TRUE(all.line.find(wanted + "}") != std::string::npos);
}

/// Counts what waits for rank 0 at once.
class Watched final : public Answer {
 public:
  explicit Watched(Meeting& meeting) : meeting_(&meeting) {}
  void begin(const Batch& /*batch*/) override {}
  void begin_part(const std::string& /*name*/) override {}
  void values(std::span<const Ticks> ticks) override {
    most_values_ = std::max(most_values_, ticks.size());
    most_bytes_ = std::max(most_bytes_, meeting_->bytes_for(0));
  }
  void end(const Batch& /*batch*/) override {}
  [[nodiscard]] std::size_t most_values() const { return most_values_; }
  [[nodiscard]] std::size_t most_bytes() const { return most_bytes_; }

 private:
  Meeting* meeting_;
  std::size_t most_values_ = 0;
  std::size_t most_bytes_ = 0;
};

TEST(Gathering, NoMoreIsOnItsWayThanAFewPiecesHoweverLongTheSeries) {
  constexpr std::size_t values = 500'000;
  constexpr int ranks = 6;
  Meeting meeting(ranks);
  Watched answer(meeting);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadBootstrap boot(meeting, rank);
      const Report report = report_of({{"", rank > 0 ? series(values, 1) : series(0, 1)}});
      if (rank > 0) return hand_over(boot, report);
      Batch batch;
      batch.ticks = series(values, 1);
      Gathering(boot, report, batch).parts(answer);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(answer.most_values(), 0U);
  EXPECT_LE(answer.most_values() * sizeof(Ticks), std::size_t{1} << 19U);
  EXPECT_LE(answer.most_bytes(), std::size_t{1} << 21U);
}

/// A rank that says it has something, and waits to be asked as it does then.
Act says(const ReportHead& head) {
  return [head](Bootstrap& boot) {
    (void)boot.gather(std::as_bytes(std::span(&head, 1)));
    if (!head.has_more()) return;
    std::array<std::byte, 64> question{};
    (void)boot.receive(0, question);
  };
}

TEST(BrokenReports, AreRefusedByTheirBoundsAndCostTheirCaseAlone) {
  const std::vector<Report> reports(5, report_of({{"post", {1, 2}}, {"", {}}}));
  const ReportHead sound = head_of(reports.front());
  std::vector<std::pair<ReportHead, std::string>> broken(8, {sound, ""});
  broken[0].first.values = std::numeric_limits<std::uint64_t>::max();
  broken[0].second = "series of 18446744073709551615 values where there are 2 samples";
  broken[1].first.values = 1;
  broken[1].second = "series of 1 value where";
  broken[2].first.filled = ~0U;
  broken[2].second = "series that nobody asked for";
  broken[3].first.status = 200;
  broken[3].second = "the unknown status 200";
  broken[4].first.status = static_cast<std::uint8_t>(Status::failed);
  broken[4].first.reason_bytes = std::numeric_limits<std::uint32_t>::max();
  broken[4].second = "a reason of 4294967295 bytes";
  broken[5].first.reason_bytes = 9;
  broken[5].second = "a reason of 9 bytes";
  broken[6].first.tick_ns = std::numeric_limits<double>::quiet_NaN();
  broken[6].second = "a tick that takes no time";
  broken[7].first.tick_ns = 0;
  broken[7].second = "a tick that takes no time";
  for (const auto& [head, reason] : broken) {
    const Gathered all = gather(reports, {{3, says(head)}});
    EXPECT_EQ(all.error, "");
    EXPECT_EQ(all.batch.outcome.status, Status::failed);
    EXPECT_TRUE(all.batch.outcome.reason.starts_with("rank 3: its report has " + reason))
        << all.batch.outcome.reason;
    EXPECT_NE(all.line.find(R"("ticks":[],"parts":{})"), std::string::npos) << all.line;
  }
}

TEST(BrokenReports, APieceOfAnotherLengthThanWasAskedForEndsTheLaunch) {
  const std::vector<Report> reports(4, report_of({{"", {1, 2, 3}}}));
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{16}, std::size_t{1} << 20U}) {
    const Act lies = [&](Bootstrap& boot) {
      says(head_of(reports.front()))(boot);
      boot.send(0, std::vector<std::byte>(bytes));
    };
    const Gathered all = gather(reports, {{2, lies}});
    EXPECT_NE(all.error, "") << bytes;
  }
}

TEST(BrokenReports, ARankThatDiesInTheMiddleIsAnErrorAndNoHang) {
  const std::vector<Report> reports(4, report_of({{"", {1, 2, 3}}}));
  const Act dies = [&](Bootstrap& boot) {
    says(head_of(reports.front()))(boot);
    throw std::runtime_error("killed");
  };
  EXPECT_EQ(gather(reports, {{2, dies}}).error, "a rank is gone");
  const Act never_comes = [](Bootstrap& /*boot*/) { throw std::runtime_error("killed"); };
  EXPECT_EQ(gather(reports, {{1, never_comes}}).error, "a rank is gone");
  EXPECT_EQ(gather(reports, {{0, never_comes}}).error, "killed");
}

TEST(Failures, OfAnyRankAreTheBatchsWithTheFirstReasonCutToALength) {
  std::vector<Report> reports(6, report_of({{"", {1, 2, 3}}}));
  reports[4].outcome = {Status::failed, "the later one", 5};
  reports[2].outcome = {Status::unsupported, std::string(100'000, 'x'), 5};
  const Gathered all = gather(reports);
  EXPECT_EQ(all.batch.outcome.status, Status::unsupported);
  EXPECT_EQ(all.batch.outcome.reason, std::string(most_reason_bytes, 'x'));
  EXPECT_EQ(all.batch.outcome.verified_bytes, 10U);
  EXPECT_TRUE(all.batch.ticks.empty());
}

TEST(Texts, OfEveryRankComeToRankZeroInTheirOrder) {
  constexpr int ranks = 17;
  Meeting meeting(ranks);
  std::vector<std::string> texts;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadBootstrap boot(meeting, rank);
      const auto length = static_cast<std::size_t>(rank == 3 ? 1'000'000 : rank);
      const std::vector<std::string> all = gather_texts(boot, std::string(length, 'x'));
      if (rank == 0) texts = all;
      EXPECT_EQ(all.size(), rank == 0 ? std::size_t{ranks} : 0U);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    EXPECT_EQ(texts[rank].size(), rank == 3 ? 65'536 : rank);
  }
}

}  // namespace
}  // namespace weft::fake

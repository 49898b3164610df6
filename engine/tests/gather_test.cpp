// What the ranks say of a case, on its way to rank 0: order, bounds, and ranks that lie or die.
#include "run/gather.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "run/batch_line.hpp"
#include "tests/support/gathered.hpp"

namespace weft::fake {
namespace {

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

// Counters of one kind differ by less than a thousandth, the noise of their calibration.
TEST(Gathering, TicksOfCountersOfOneKindStayAsTheyAre) {
  const auto came = [](double ratio) {
    const Gathered all =
        gather({report_of({{"", {0}}}, 0.5), report_of({{"", {1'000'000}}}, 0.5 * ratio)});
    return nlohmann::json::parse(all.line)["parts"]["rank1"][0].get<Ticks>();
  };
  EXPECT_EQ(came(0.9991), 1'000'000U);
  EXPECT_EQ(came(1.0009), 1'000'000U);
  EXPECT_EQ(came(0.9989), 998'900U);
  EXPECT_EQ(came(1.0011), 1'001'100U);
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

TEST(Gathering, RankZeroHoldsNoMoreThanAWindowHoweverLongTheSeries) {
  constexpr std::size_t values = 1'200'000;
  constexpr int ranks = 6;
  Meeting meeting(ranks);
  std::string line;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadBootstrap boot(meeting, rank);
      Report report = report_of({{"", rank > 0 ? series(values, 1) : series(0, 1)}});
      if (rank > 0) return hand_over(boot, report);
      Batch batch;
      batch.ticks = series(values, 1);
      BatchLine answer([&](std::string_view text) { line += text; });
      answer.begin(batch);
      Gathering(boot, report, batch).parts(answer);
      answer.end(batch);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(meeting.most_gathered(), std::size_t{1} << 25U);
  EXPECT_TRUE(line.find(R"("rank5":[)" + text_of(series(values, 1))) != std::string::npos);
}

// Three with a bit of zeroes between them, of ranks that have unlike many.
std::vector<Report> short_reports(std::size_t values, std::uint64_t most_values) {
  std::vector<Report> reports;
  for (Ticks rank = 0; rank < 4; ++rank) {
    const std::vector<Ticks> none(values, 0);
    reports.push_back(report_of({{"wait", rank == 2 ? none : series(values, 100 * rank + 1)},
                                 {"post", none},
                                 {"", rank == 0 ? none : series(values, 100 * rank + 50)}},
                                rank == 3 ? 2.0 : 1.0));
    reports.back().most_values = most_values;
  }
  return reports;
}

TEST(Gathering, ShortSeriesThatComeWithTheHeadsAreTheSameAsThoseThatAreAskedFor) {
  for (const std::size_t values : {std::size_t{1}, std::size_t{3}, std::size_t{170}}) {
    const Gathered with = gather(short_reports(values, values));
    const Gathered with_room = gather(short_reports(values, 170));
    const Gathered asked = gather(short_reports(values, 0));
    EXPECT_EQ(with.error + asked.error, "");
    EXPECT_EQ(with.line, asked.line);
    EXPECT_EQ(with_room.line, asked.line) << "where the samples are fewer than was asked for";
    std::vector<Ticks> doubled = series(values, 350);
    for (Ticks& value : doubled) value *= 2;
    EXPECT_NE(with.line.find(R"("rank3":[)" + text_of(doubled) + "]"), std::string::npos);
    EXPECT_EQ(with.line.find("post"), std::string::npos);
  }
}

// Their heads, and what is wanted of them.
TEST(Gathering, NothingMoreIsAskedForWhereNoOtherRankHasAnything) {
  const std::vector<Ticks> none(4, 0);
  std::vector<Report> reports(3, report_of({{"wait", none}, {"", none}}));
  reports[0].parts[0].ticks = series(4, 1);
  const Gathered all = gather(reports);
  EXPECT_EQ(all.meetings, 2);
  EXPECT_NE(all.line.find(R"("parts":{"wait":[1,2,3,4]})"), std::string::npos) << all.line;
  reports[2].parts[1].ticks = series(4, 1);
  EXPECT_EQ(gather(reports).meetings, 3);
}

/// What a rank of many has: its own times, and two parts of them.
std::vector<Ticks> times_of(int rank, std::size_t values) {
  std::vector<Ticks> ticks(values);
  for (std::size_t at = 0; at < values; ++at) {
    ticks[at] = 1000 + (at * 7 + static_cast<std::size_t>(rank) * 13) % 101;
  }
  return ticks;
}

std::vector<Report> many_reports(int ranks, std::size_t values, bool keeps_all = false) {
  std::vector<Report> reports;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Ticks> half = times_of(rank, values);
    for (Ticks& value : half) value /= 2;
    reports.push_back(
        report_of({{"wait", half}, {"", rank > 0 ? times_of(rank, values) : series(0, 1)}}));
    reports.back().keeps_all = keeps_all;
  }
  return reports;
}

/// Of every sample of rank `rank` at least; the first five are warm-up.
nlohmann::json over_ranks(const Gathered& all) {
  EXPECT_EQ(all.error, "");
  return nlohmann::json::parse(all.line).value("over_ranks", nlohmann::json());
}

constexpr int many = 20;
constexpr std::size_t too_many = most_whole_values / (2 * (many - 1)) + 1;

TEST(OverRanks, OfManyValuesWhatTheAnalysesUseIsKeptAndNotEachValue) {
  const Gathered all = gather(many_reports(many, too_many), {}, times_of(0, too_many));
  const nlohmann::json found = over_ranks(all);
  ASSERT_TRUE(found.is_object()) << all.line.substr(0, 300);
  EXPECT_EQ(all.line.find("rank1"), std::string::npos);
  std::vector<int> every(many);
  std::iota(every.begin(), every.end(), 0);
  EXPECT_EQ(found["ranks"], nlohmann::json(every));
  EXPECT_EQ(found["values"], too_many - warmup);
  std::vector<std::vector<Ticks>> times;
  for (const int rank : every) times.push_back(times_of(rank, too_many));
  int wrong = 0;
  for (std::size_t at = 0; at < too_many; ++at) {
    Ticks sum = 0;
    std::size_t slowest = 0;
    for (std::size_t rank = 0; rank < times.size(); ++rank) {
      sum += times[rank][at];
      if (times[rank][at] > times[slowest][at]) slowest = rank;
    }
    const Ticks most = times[slowest][at];
    const bool is_right =
        found["mean"][""][at] == (sum + many / 2) / many && found["slowest"][""][at] == most &&
        found["slowest"]["wait"][at] == most / 2 && found["slowest_rank"][at] == slowest;
    wrong += is_right ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(found["middle"].empty());
}

TEST(OverRanks, QuantilesAreOfARanksOwnValuesWithoutTheWarmUp) {
  std::vector<Report> reports = many_reports(many, too_many);
  for (std::size_t at = 0; at < too_many; ++at) {
    // The warm-up is far above all others.
    reports[7].parts[1].ticks[at] = at < warmup ? 1'000'000 : 100 + 4 * (at - warmup);
  }
  const nlohmann::json found = over_ranks(gather(reports, {}, times_of(0, too_many)));
  const auto last = static_cast<double>(too_many - warmup - 1);
  for (std::size_t at = 0; at < quantile_shares.size(); ++at) {
    EXPECT_EQ(found["shares"][at], quantile_shares.at(at));
    EXPECT_NEAR(found["quantiles"][""][7][at].get<double>(),
                100 + 4 * quantile_shares.at(at) * last, 0.125);
  }
}

TEST(OverRanks, WhereSamplesAreOfAllRanksTheirMiddleAndFairnessAreThoseOfTheirOwnTimes) {
  constexpr std::size_t longer = 3 * too_many;
  std::vector<Report> reports = many_reports(many, longer);
  for (Report& report : reports) {
    report.is_of_all = true;
    report.parts.front().name = "own";
    std::fill(report.parts.front().ticks.begin(), report.parts.front().ticks.end(), 0);
  }
  reports[0].parts[0].ticks = std::vector<Ticks>(longer, 3000);
  for (std::size_t rank = 1; rank < many; ++rank) {
    reports[rank].parts[1].ticks = std::vector<Ticks>(longer, rank < many / 2 ? 1000 : 2000);
  }
  // One receives alone: it has no times.
  reports[5].parts[1].ticks.assign(longer, 0);
  // Less than a tick is as fast as one tick, and as fair.
  for (std::size_t rank = 6; rank < many; ++rank) reports[rank].parts[1].ticks[18] = rank % 2;
  for (std::size_t rank = 1; rank < 5; ++rank) reports[rank].parts[1].ticks[18] = 0;
  reports[0].parts[0].ticks[18] = 0;
  const nlohmann::json found = over_ranks(gather(reports, {}, std::vector<Ticks>(longer, 9'999)));
  // 1 of 3000, 8 of 1000, 10 of 2000.
  EXPECT_EQ(found["ranks"].size(), many - 1U);
  EXPECT_EQ(found["middle"][17], 2000);
  const double sum = 1 / 3.0 + 8 + 10 / 2.0;
  const double squares = 1 / 9.0 + 8 + 10 / 4.0;
  EXPECT_NEAR(found["fairness_ppm"][17].get<double>(), 1e6 * sum * sum / (19 * squares), 1);
  EXPECT_EQ(found["fairness_ppm"][18], 1'000'000);
  EXPECT_EQ(found["mean"].size(), 1U);
}

TEST(OverRanks, ARankZeroWithoutTimesOfItsOwnIsNoneOfThem) {
  std::vector<Report> reports = many_reports(many, too_many);
  for (Report& report : reports) report.is_of_all = true;
  const nlohmann::json found = over_ranks(gather(reports, {}, times_of(0, too_many)));
  std::vector<int> others(many - 1);
  std::iota(others.begin(), others.end(), 1);
  EXPECT_EQ(found["ranks"], nlohmann::json(others));
  Ticks sum = 0;
  for (const int rank : others) sum += times_of(rank, too_many)[77];
  EXPECT_EQ(found["mean"][""][77], (sum + (many - 1) / 2) / (many - 1));
}

TEST(OverRanks, OfEquallySlowRanksTheFirstIsTheSlowestOfItsSample) {
  // Two samples of each series of four ranks, of which one has no times: a part and their times.
  const std::vector<Ticks> both{1, 4, 5, 6, 9, 9, 9, 9, 2, 5, 7, 7, 3, 6, 7, 8};
  OverRanksSoFar all({true, false, true, true}, {"wait", ""}, false);
  all.samples(std::as_bytes(std::span(both)), 2);
  const OverRanks& found = all.found();
  EXPECT_EQ(found.slowest_rank, (std::vector<int>{2, 3}));
  EXPECT_EQ(found.series[0].slowest, (std::vector<Ticks>{2, 6}));
  EXPECT_EQ(found.series[0].mean, (std::vector<Ticks>{2, 5}));
}

TEST(OverRanks, FewRanksOrFewValuesOrACaseThatKeepsAllComeWhole) {
  EXPECT_TRUE(over_ranks(gather(many_reports(many, too_many - 1), {}, times_of(0, too_many - 1)))
                  .is_null());
  const std::size_t longer = 2 * most_whole_values;
  EXPECT_TRUE(over_ranks(gather(many_reports(3, longer), {}, times_of(0, longer))).is_null());
  const Gathered kept = gather(many_reports(many, too_many, true), {}, times_of(0, too_many));
  EXPECT_TRUE(over_ranks(kept).is_null());
  const std::string last = R"("rank19":[)" + text_of(times_of(19, too_many)) + "]";
  EXPECT_NE(kept.line.find(last), std::string::npos);
}

// Of each rank but the first there are two series.
TEST(OverRanks, BeginWithOneRankAndOneValueMoreThanComeWhole) {
  const auto is_whole = [](int others, std::size_t values) {
    const std::vector<Report> reports = many_reports(others + 1, values);
    return over_ranks(gather(reports, {}, times_of(0, values))).is_null();
  };
  EXPECT_TRUE(is_whole(16, 8200));
  EXPECT_FALSE(is_whole(17, 8200));
  EXPECT_TRUE(is_whole(32, 4096));
  EXPECT_FALSE(is_whole(32, 4097));
}

TEST(OverRanks, ALineOfAThousandRanksOfSixSeriesIsBelowTwoMegabytes) {
  constexpr int ranks = 1024;
  constexpr std::size_t samples = 1000;
  std::vector<Report> reports;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<Ticks> own = times_of(rank, samples);
    std::vector<Series> parts;
    for (const char* name : {"post", "compute", "wait", "sum", "rest"})
      parts.push_back({name, own});
    parts.push_back({"", rank > 0 ? own : series(0, 1)});
    reports.push_back(report_of(std::move(parts)));
  }
  const Gathered all = gather(reports, {}, times_of(0, samples));
  EXPECT_EQ(over_ranks(all)["quantiles"]["sum"].size(), ranks);
  EXPECT_LE(all.line.size(), 2'000'000U);
  EXPECT_LE(all.most_gathered, std::size_t{1} << 25U);
  // In two turns of all ranks: twelve took them 8.7 s where they share two cores.
  EXPECT_GT(all.most_gathered, std::size_t{1} << 24U);
}

/// A rank that says it has something, and hears what is to be done.
Act says(const ReportHead& head) {
  return [head](Bootstrap& boot) {
    (void)boot.gather(std::as_bytes(std::span(&head, 1)));
    (void)boot.broadcast("");
  };
}

TEST(BrokenReports, AreRefusedByTheirBoundsAndCostTheirCaseAlone) {
  const std::vector<Report> reports(5, report_of({{"post", {1, 2}}, {"", {}}}));
  const ReportHead sound = head_of(reports.front());
  std::vector<std::pair<ReportHead, std::string>> broken(8, {sound, ""});
  broken[0].first.values = std::numeric_limits<std::uint64_t>::max();
  broken[0].second = "series of 18,446,744,073,709,551,615 values where there are 2 samples";
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
      (void)boot.gather(std::vector<std::byte>(bytes), {});
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
  for (const std::size_t room : {most_reason_bytes, most_short_reason_bytes}) {
    std::vector<Report> reports(6, report_of({{"", {1, 2, 3}}}));
    for (Report& report : reports) report.most_values = room == most_reason_bytes ? 0 : 3;
    reports[4].outcome = {Status::failed, "the later one", 5};
    reports[2].outcome = {Status::unsupported, std::string(100'000, 'x'), 5};
    const Batch batch = gather(reports).batch;
    EXPECT_EQ(batch.outcome.status, Status::unsupported);
    EXPECT_EQ(batch.outcome.reason, std::string(room, 'x'));
    EXPECT_EQ(batch.outcome.verified_bytes, 10U + batch.ticks.size());
  }
}

TEST(Failures, OfEachRankAreHeardOfWithItsReasonOrItsNumber) {
  for (const std::uint64_t most_values : {0U, 3U}) {
    for (const std::string reason : {"", "why"}) {
      for (std::size_t rank = 1; rank < 4; ++rank) {
        std::vector<Report> reports(4, report_of({{"", {1, 2, 3}}}));
        for (Report& report : reports) report.most_values = most_values;
        reports[rank].outcome = {Status::unsupported, reason, 0};
        const Gathered all = gather(reports);
        EXPECT_EQ(all.error, "");
        EXPECT_EQ(all.batch.outcome.status, Status::unsupported);
        const std::string number = "rank " + std::to_string(rank) + " did not say why";
        EXPECT_EQ(all.batch.outcome.reason, reason.empty() ? number : reason);
      }
    }
  }
}

}  // namespace
}  // namespace weft::fake

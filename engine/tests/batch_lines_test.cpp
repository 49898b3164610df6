// A batch as a line, compared in full: each field by its name, what is omitted, and in what pieces
// it is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "run/batch_line.hpp"

namespace weft {
namespace {

/// In it no two numbers are alike.
Batch whole_batch() {
  Batch batch;
  batch.id = 2;
  batch.outcome = {Status::failed, "a \"reason\"", 5};
  batch.warmup = 3;
  batch.ops_per_sample = 4;
  batch.sent_bytes = 15;
  batch.sent_messages = 16;
  batch.application = {{"gauge", "a file"}, {"mass", 0.5}};
  batch.elapsed_ns = 10;
  batch.timed_ns = 6;
  batch.cpu_ns = {11, 12};
  batch.pages = {8, 9};
  batch.queue_held = 7;
  batch.pairs = {14, 13};
  batch.ticks = {21, 22};
  batch.parts = {{"post", {31, 32}}, {"wait", {}}, {"a \"b\"", {33}}};
  return batch;
}

constexpr const char* head_of_usual_one =
    R"({"cpu_ns":[],"huge_bytes":0,"id":0,"kind":"batch","memory_bytes":0,"ops_per_sample":1,)"
    R"("reason":"","status":"ok","timed_ns":0,"verified_bytes":0,"warmup":0,)";

TEST(BatchLine, HasEachFieldByItsNameAndNoOther) {
  EXPECT_EQ(
      to_line(whole_batch()),
      R"({"application":{"gauge":"a file","mass":0.5},"cpu_ns":[11,12],"huge_bytes":9,"id":2,)"
      R"("kind":"batch","memory_bytes":8,"ops_per_sample":4,"queue_held":7,)"
      R"("reason":"a \"reason\"","sent_bytes":15,"sent_messages":16,"status":"failed",)"
      R"("timed_ns":6,"verified_bytes":5,"warmup":3,"ticks":[21,22],)"
      R"("parts":{"post":[31,32],"wait":[],"a \"b\"":[33]},"elapsed_ns":10})");
}

TEST(BatchLine, LeavesOutWhatABatchDoesNotHave) {
  Batch batch;
  const std::string rest = R"("ticks":[],"parts":{},"elapsed_ns":0})";
  EXPECT_EQ(to_line(batch), head_of_usual_one + rest);
  // Bytes stand there only with messages, and messages without bytes do too.
  batch.sent_bytes = 1;
  EXPECT_EQ(to_line(batch), head_of_usual_one + rest);
  batch.sent_bytes = 0;
  batch.sent_messages = 1;
  EXPECT_NE(to_line(batch).find(R"("sent_bytes":0,"sent_messages":1)"), std::string::npos);
  batch.queue_held = 0;
  EXPECT_NE(to_line(batch).find(R"("queue_held":0)"), std::string::npos);
  batch.pairs.all = 8;
  EXPECT_NE(to_line(batch).find(R"("pairs":8,"pairs_between_hosts":0)"), std::string::npos);
}

TEST(BatchLine, NamesEachStatus) {
  Batch batch;
  const auto says = [&](Status status, const char* name) {
    batch.outcome.status = status;
    return to_line(batch).find(std::string(R"("status":")") + name + "\"") != std::string::npos;
  };
  EXPECT_TRUE(says(Status::ok, "ok"));
  EXPECT_TRUE(says(Status::failed, "failed"));
  EXPECT_TRUE(says(Status::unsupported, "unsupported"));
}

TEST(BatchLine, OfABrokenLinkHasNoFiguresAndSaysThatItEndedTheLaunch) {
  Batch batch;
  batch.ticks = {1};
  batch.parts = {{"post", {2}}};
  say_broken(batch, {7, "poll", "a cause"});
  EXPECT_EQ(batch.outcome.status, Status::failed);
  EXPECT_EQ(batch.outcome.reason, "the link failed in poll (code 7): a cause");
  EXPECT_EQ(batch.outcome.verified_bytes, 0U);
  const std::string line = to_line(batch);
  const std::string rest = R"("ticks":[],"parts":{},"elapsed_ns":0,"ended_launch":true})";
  ASSERT_GT(line.size(), rest.size());
  EXPECT_EQ(line.substr(line.size() - rest.size()), rest);
}

OverRanks over_two_ranks() {
  OverRanks found;
  found.ranks = {0, 3};
  found.values = 4;
  found.series = {
      {"post", {1, 2, 3, 4, 5, 6, 7, 1.25, 2, 3, 4, 5, 6, 8}, {41, 42}, {43, 44}},
      {"", {0, 0, 0, 0, 0, 0, 9}, {45, 46}, {47, 48}},
  };
  found.slowest_rank = {3, 0};
  found.middle = {51, 52};
  found.fairness_ppm = {53, 54};
  return found;
}

constexpr const char* over_two_ranks_in_words =
    R"("over_ranks":{"ranks":[0,3],"values":4,"shares":[0,0.25,0.5,0.75,0.95,0.99,1],)"
    R"("quantiles":{"post":[[1,2,3,4,5,6,7],[1.25,2,3,4,5,6,8]],"":[[0,0,0,0,0,0,9]]},)"
    R"("mean":{"post":[41,42],"":[45,46]},"slowest":{"post":[43,44],"":[47,48]},)"
    R"("slowest_rank":[3,0],"middle":[51,52],"fairness_ppm":[53,54]},"elapsed_ns":0})";

TEST(BatchLine, HasWhatIsKeptOverRanksBehindItsParts) {
  const Batch batch;
  for (const bool has_part : {false, true}) {
    std::string line;
    BatchLine writer([&](std::string_view piece) { line += piece; });
    writer.begin(batch);
    if (has_part) {
      writer.begin_part("own");
      writer.values(std::vector<Ticks>{61, 62});
    }
    writer.over_ranks(over_two_ranks());
    writer.end(batch);
    const std::string parts = has_part ? R"("own":[61,62])" : "";
    EXPECT_EQ(line, head_of_usual_one + (R"("ticks":[],"parts":{)" + parts) + "}," +
                        over_two_ranks_in_words + "\n");
  }
}

TEST(BatchLine, IsWrittenInPiecesOf64KiBAndAValue) {
  constexpr std::size_t piece_bytes = 65'536;
  constexpr std::size_t value_bytes = 10;
  Batch batch;
  batch.parts = {{"post", std::vector<Ticks>(20'000, 123'456'789)}};
  std::vector<std::size_t> sizes;
  std::string line;
  BatchLine writer([&](std::string_view piece) {
    sizes.push_back(piece.size());
    line += piece;
  });
  writer.begin(batch);
  EXPECT_TRUE(sizes.empty());
  writer.begin_part("post");
  // The values come as they arrive, of one part in several turns.
  const std::span<const Ticks> all(batch.parts[0].ticks);
  writer.values(all.first(15'000));
  writer.values(all.subspan(15'000));
  writer.end(batch);
  EXPECT_EQ(line, to_line(batch) + "\n");
  ASSERT_EQ(sizes.size(), 4U);
  for (const std::size_t bytes : {sizes[0], sizes[1], sizes[2]}) {
    EXPECT_GE(bytes, piece_bytes);
    EXPECT_LT(bytes, piece_bytes + value_bytes);
  }
}

}  // namespace
}  // namespace weft

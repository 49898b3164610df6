// The engine's parts by themselves: content and its check, orders, cases, options, the clock.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "../case.hpp"
#include "../clock.hpp"
#include "../memory.hpp"
#include "../options.hpp"
#include "../ring.hpp"
#include "../schedule.hpp"

namespace weft {
namespace {

TEST(Content, EveryFlippedByteIsFoundAtItsOffset) {
  const Content content{1, 7, 3};
  for (const std::size_t size : {1UL, 7UL, 8UL, 9UL, 64UL, 1001UL}) {
    std::vector<std::byte> memory(size);
    fill(memory, content);
    EXPECT_FALSE(first_difference(memory, content).has_value());
    for (std::size_t offset = 0; offset < size; ++offset) {
      memory[offset] ^= std::byte{1};
      EXPECT_EQ(first_difference(memory, content), offset);
      memory[offset] ^= std::byte{1};
    }
  }
}

TEST(Content, PoisonDiffersInEveryByte) {
  const Content content{0, 1, 2};
  std::vector<std::byte> wanted(777);
  std::vector<std::byte> poisoned(777);
  fill(wanted, content);
  poison(poisoned, content);
  for (std::size_t at = 0; at < wanted.size(); ++at) EXPECT_NE(wanted[at], poisoned[at]);
}

TEST(Content, DependsOnRankBatchAndMessage) {
  std::set<std::vector<std::byte>> seen;
  for (const Content& content : {Content{0, 1, 1}, Content{1, 1, 1}, Content{0, 2, 1},
                                 Content{0, 1, 2}, Content{1, 0, 1}, Content{1, 1, 0}}) {
    std::vector<std::byte> memory(16);
    fill(memory, content);
    seen.insert(memory);
  }
  EXPECT_EQ(seen.size(), 6U);
}

TEST(Order, TurnGoesThroughAllAndReuseKeepsItsShare) {
  EXPECT_EQ(make_order({"one", 1, 100}, 1), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(make_order({"turn", 4, 100}, 1), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  const auto order = make_order({"reuse", 100, 75}, 9);
  EXPECT_EQ(order.size(), 400U);
  EXPECT_EQ(std::count(order.begin(), order.end(), 0U), 300);
  EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), 101U);
  EXPECT_EQ(order, make_order({"reuse", 100, 75}, 9));
  EXPECT_NE(order, make_order({"reuse", 100, 75}, 10));
}

TEST(Cases, RefuseWhatIsNoCase) {
  for (const char* line : {"", "[]", "{", R"({"bytes":-1})", R"({"bytes":1.5})", R"({"samples":0})",
                           R"({"test":3})", R"({"verify":1})", R"({"schedule":{"kind":"none"}})",
                           R"({"samples":100000000,"ops_per_sample":1000000})"}) {
    EXPECT_THROW((void)parse_case(line), std::invalid_argument) << line;
  }
  EXPECT_EQ(parse_case(R"({"id":3,"test":"stream","bytes":8})").queue_depth, 64U);
}

TEST(Cases, ABatchIsOneLineOfJsonWhateverTheReasonHolds) {
  Batch batch;
  batch.id = 4;
  batch.outcome.reason = "a \"quote\"\nand a bad byte \xff";
  batch.ticks = {1, 18446744073709551615ULL};
  const std::string line = to_line(batch);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(line.find(R"("ticks":[1,18446744073709551615],"parts":{}})"), std::string::npos)
      << line;
}

TEST(CommandLine, NamesWhatIsWrong) {
  const auto parse = [](std::vector<const char*> words) {
    words.insert(words.begin(), "rank-x");
    return parse_options(static_cast<int>(words.size()), words.data());
  };
  EXPECT_TRUE(parse({"--describe"}).describe);
  EXPECT_EQ(parse({"--cpus", "3,1"}).cpus, (std::vector<int>{3, 1}));
  EXPECT_THROW((void)parse({"--cpus", "a"}), std::invalid_argument);
  EXPECT_THROW((void)parse({"--cpus"}), std::invalid_argument);
  EXPECT_THROW((void)parse({"--option", "port"}), std::invalid_argument);
  EXPECT_THROW((void)parse({"--option", "=1"}), std::invalid_argument);
  EXPECT_THROW((void)parse({"--nope", "1"}), std::invalid_argument);
}

TEST(CommandLine, OptionsOfALinkAreCheckedAgainstWhatItTakes) {
  constexpr std::array<Setting, 1> known{Setting{"port", "a port"}};
  LinkOptions options;
  EXPECT_EQ(options.number("port", 7, 0, 9), 7);
  options.set("port", "70000");
  EXPECT_NO_THROW(options.refuse_unknown("x", known));
  EXPECT_THROW((void)options.number("port", 0, 0, 65535), std::invalid_argument);
  EXPECT_THROW((void)options.flag("port", true), std::invalid_argument);
  EXPECT_THROW(options.refuse_unknown("x", {}), std::invalid_argument);
}

TEST(Rings, WrapAroundInOrder) {
  Ring<int> ring;
  ring.reserve(3);
  int next = 0;
  int expected = 0;
  for (int round = 0; round < 10; ++round) {
    while (!ring.full()) ring.push(next++);
    EXPECT_EQ(ring.front(), expected);
    ring.pop();
    ring.pop();
    expected += 2;
  }
}

TEST(TickCounter, AgreesWithTheRawClock) {
  const Instant start = read_both_clocks();
  const Calibration first = calibrate(start, 5'000'000);
  const Calibration second = calibrate(start, 20'000'000);
  EXPECT_GE(second.baseline_ns, 20'000'000);
  EXPECT_NEAR(first.tick_ns / second.tick_ns, 1.0, 0.01);
}

}  // namespace
}  // namespace weft

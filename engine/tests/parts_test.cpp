// The engine's parts by themselves: content and its check, orders, cases, options, the clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "contract/options.hpp"
#include "host/cgroup.hpp"
#include "host/clock.hpp"
#include "host/memory.hpp"
#include "run/batch_line.hpp"
#include "run/case.hpp"
#include "run/schedule.hpp"
#include "transports/parts/fixed_queue.hpp"

namespace weft {
namespace {

// Shorter and longer than a word, a cache line and a block of the content, and at their edges.
constexpr std::array content_sizes{1UL,    7UL,    8UL,    9UL,     64UL,   1001UL,
                                   4095UL, 4096UL, 4097UL, 12288UL, 20011UL};

std::vector<std::byte> filled(std::size_t size, const Content& content) {
  std::vector<std::byte> memory(size);
  fill(memory, content);
  return memory;
}

/// A name of a message, drawn as runs have them: counted from 0, or anywhere.
Content any_content(std::mt19937_64& random) {
  const auto draw = [&] { return random() >> (random() % 64U); };
  return {static_cast<std::uint32_t>(draw()), draw(), draw()};
}

TEST(Content, EveryFlippedByteIsFoundAtItsOffset) {
  const Content content{1, 7, 3};
  for (const std::size_t size : content_sizes) {
    std::vector<std::byte> memory = filled(size, content);
    EXPECT_FALSE(first_difference(memory, content).has_value());
    for (std::size_t offset = 0; offset < size; offset += 1 + offset / 512) {
      memory[offset] ^= std::byte{1};
      EXPECT_EQ(first_difference(memory, content), offset);
      memory[offset] ^= std::byte{1};
    }
    EXPECT_FALSE(first_difference(memory, content).has_value());
  }
}

// Long messages are written past the caches, where their memory is aligned for that.
TEST(Content, OfALongMessageBeginsAsThatOfAShortOneWhereverItsMemoryBegins) {
  constexpr std::size_t long_size = (std::size_t{1} << 19U) + 4000;
  constexpr std::size_t short_size = std::size_t{1} << 17U;
  const Content content{2, 5, 9};
  const std::vector<std::byte> beginning = filled(short_size, content);
  std::vector<std::byte> memory(long_size + 64);
  for (const std::size_t start : {0UL, 1UL, 8UL, 16UL}) {
    const std::span<std::byte> message(&memory[start], long_size);
    poison(message, content);
    for (std::size_t at = 0; at < short_size; ++at) {
      ASSERT_EQ(message[at], ~beginning[at]) << "at " << at << ", started at " << start;
    }
    fill(message, content);
    EXPECT_FALSE(first_difference(message, content).has_value()) << start;
    EXPECT_TRUE(std::equal(beginning.begin(), beginning.end(), message.begin())) << start;
  }
}

TEST(Content, PoisonDiffersInEveryByte) {
  const Content content{0, 1, 2};
  for (const std::size_t size : content_sizes) {
    const std::vector<std::byte> wanted = filled(size, content);
    std::vector<std::byte> poisoned(size);
    poison(poisoned, content);
    for (std::size_t at = 0; at < size; ++at) EXPECT_NE(wanted[at], poisoned[at]);
  }
}

// Also where the memory held the very same content before.
TEST(Content, OfAVeryLongMessageEveryBlockAndTheEndArePoisoned) {
  constexpr std::size_t block = 4096;
  constexpr std::size_t size = sparse_poison_bytes + 3 * block + 5;
  const Content content{1, 2, 3};
  const std::vector<std::byte> wanted = filled(size, content);
  std::vector<std::byte> poisoned = wanted;
  poison(poisoned, content);
  for (std::size_t at = 0; at < size; at += block) EXPECT_NE(wanted[at], poisoned[at]) << at;
  for (std::size_t at = size - 5; at < size; ++at) EXPECT_NE(wanted[at], poisoned[at]) << at;
  // All blocks came but one: it is where the difference is.
  constexpr std::size_t lost = 100 * block;
  std::copy(wanted.begin(), wanted.begin() + lost, poisoned.begin());
  std::copy(wanted.begin() + lost + block, wanted.end(), poisoned.begin() + lost + block);
  EXPECT_EQ(first_difference(poisoned, content), lost);
}

// Wherever a message is taken for another one, each of its words tells.
TEST(Content, EveryWordDependsOnRankBatchAndMessage) {
  constexpr std::size_t size = 20'000;
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const Content one = any_content(random);
    Content other = one;
    const std::uint64_t by = 1 + (random() >> (random() % 64U));
    if (trial % 3 == 0) other.rank += static_cast<std::uint32_t>(by % 1000 + 1);
    if (trial % 3 == 1) other.batch += by;
    if (trial % 3 == 2) other.message += by;
    const std::vector<std::byte> first = filled(size, one);
    const std::vector<std::byte> second = filled(size, other);
    for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
      EXPECT_FALSE(std::equal(&first[at], &first[at] + sizeof(std::uint64_t), &second[at])) << at;
    }
  }
}

// No two words of a message are alike, so none can stand in for another.
TEST(Content, NoWordOfAMessageComesTwice) {
  constexpr std::size_t words = 65'536;
  std::vector<std::uint64_t> memory(words);
  fill(std::as_writable_bytes(std::span(memory)), {2, 5, 9});
  std::sort(memory.begin(), memory.end());
  EXPECT_EQ(std::adjacent_find(memory.begin(), memory.end()), memory.end());
}

// What goes wrong with parts: one lands elsewhere, comes twice, is omitted or is exchanged with
// another. Eight bytes and more, at any offset; the larger parts are those of blocks and pages.
TEST(Content, MovedRepeatedMissingAndExchangedPartsAreFound) {
  std::mt19937_64 random(2);
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  for (int trial = 0; trial < 3000; ++trial) {
    const Content content = any_content(random);
    constexpr std::array<std::size_t, 7> lengths{8, 9, 64, 1000, 4096, 8192, 9001};
    const std::size_t length = lengths.at(below(lengths.size()));
    const std::size_t size = 2 * length + 1 + below(20'000);
    std::vector<std::byte> memory = filled(size, content);
    // Every other time at whole multiples of the part, where blocks could be mistaken for blocks.
    const std::size_t step = trial % 2 == 0 ? length : 1;
    const std::size_t from = below((size - length) / step + 1) * step;
    const std::size_t to = below((size - length) / step + 1) * step;
    if (from == to) continue;
    const auto part = [&](std::size_t at) {
      return memory.begin() + static_cast<std::ptrdiff_t>(at);
    };
    const std::vector<std::byte> moved(part(from), part(from + length));
    if (trial % 3 == 0) std::copy(moved.begin(), moved.end(), part(to));
    if (trial % 3 == 1) std::copy(part(from + length), memory.end(), part(from));
    if (trial % 3 == 2) std::rotate(part(std::min(from, to)), part(std::max(from, to)), part(size));
    if (trial % 3 == 1 && size - from - length < 8) continue;
    EXPECT_TRUE(first_difference(memory, content).has_value())
        << trial << ": " << length << " bytes from " << from << " to " << to << " of " << size;
  }
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

TEST(Cases, OneThatIsRefusedStillHasItsId) {
  EXPECT_EQ(id_of(R"({"id":17,"samples":0})"), 17U);
  EXPECT_EQ(id_of(R"({"id":18446744073709551615})"), 18446744073709551615ULL);
  for (const char* line : {"", "{", "[1]", "{}", R"({"id":-1})", R"({"id":"7"})"}) {
    EXPECT_EQ(id_of(line), 0U) << line;
  }
}

TEST(Cases, ABatchIsOneLineOfJsonWhateverTheReasonHolds) {
  Batch batch;
  batch.id = 4;
  batch.outcome.reason = "a \"quote\"\nand a bad byte \xff";
  batch.ticks = {1, 18446744073709551615ULL};
  const std::string line = to_line(batch);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(line.find(R"("ticks":[1,18446744073709551615],"parts":{})"), std::string::npos) << line;
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

TEST(CommandLine, ASettingOfNumbersTakesThoseOfItsRange) {
  constexpr Setting port{"port", "a port", 1, 9};
  LinkOptions options;
  EXPECT_EQ(options.number(port, 0), 0);
  options.set("port", "9");
  EXPECT_EQ(options.number(port, 0), 9);
  options.set("port", "10");
  EXPECT_THROW((void)options.number(port, 0), std::invalid_argument);
  options.set("port", "0");
  EXPECT_THROW((void)options.number(port, 0), std::invalid_argument);
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

TEST(FixedQueues, WrapAroundInOrder) {
  FixedQueue<int> queue;
  queue.reserve(3);
  int next = 0;
  int expected = 0;
  for (int round = 0; round < 10; ++round) {
    while (!queue.full()) queue.push(next++);
    EXPECT_EQ(queue.front(), expected);
    queue.pop();
    queue.pop();
    expected += 2;
  }
}

TEST(QueuesPerPeer, GiveEachThatHoldsSomethingItsTurn) {
  constexpr int peers = 1000;
  QueuePerPeer<int> queue(peers);
  const std::vector<int> busy{7, 500, 999};
  queue.reserve(4, busy);
  for (const int peer : busy) queue.claim(peer) = peer;
  EXPECT_FALSE(queue.is_of_one());
  std::multiset<int> seen;
  for (int turn = 0; turn < 6; ++turn) seen.insert(*queue.oldest());
  EXPECT_EQ(seen, (std::multiset<int>{7, 7, 500, 500, 999, 999}));
  // One that is taken off leaves the others their turns.
  const int gone = *queue.oldest();
  queue.pop();
  std::set<int> left(busy.begin(), busy.end());
  left.erase(gone);
  const int second = *queue.oldest();
  const int third = *queue.oldest();
  EXPECT_EQ((std::set<int>{second, third}), left);
  queue.pop();
  EXPECT_TRUE(queue.is_of_one());
  EXPECT_EQ(*queue.oldest(), second);
}

TEST(QueuesPerPeer, KeepTheOrderOfEachPeerWhateverIsQueuedAndTaken) {
  constexpr int peers = 5;
  std::mt19937 draw(26);
  QueuePerPeer<int> queue(peers);
  queue.reserve(8, std::array{0, 1, 2, 3, 4});
  std::array<std::vector<int>, peers> model;
  int next = 0;
  std::size_t queued = 0;
  for (int step = 0; step < 10'000; ++step) {
    const int peer = static_cast<int>(draw() % peers);
    const auto several = static_cast<std::uint32_t>(draw() % (queue.room(peer) + 1));
    ASSERT_EQ(queue.full(peer), queue.room(peer) == 0);
    if (draw() % 4 == 0) {
      queue.claim(peer, several, [&](int& place) {
        model.at(static_cast<std::size_t>(peer)).push_back(next);
        place = next++;
      });
      queued += several;
    } else if (draw() % 2 == 0 && !queue.full(peer)) {
      model.at(static_cast<std::size_t>(peer)).push_back(next);
      queue.claim(peer) = next++;
      ++queued;
    } else if (const int* const oldest = queue.oldest(); oldest != nullptr) {
      const auto holds = [&](const std::vector<int>& one) {
        return !one.empty() && one.front() == *oldest;
      };
      const auto of = std::find_if(model.begin(), model.end(), holds);
      ASSERT_NE(of, model.end());
      of->erase(of->begin());
      queue.pop();
      --queued;
    }
    ASSERT_EQ(queue.size(), queued);
    const auto empty = [](const std::vector<int>& one) { return one.empty(); };
    ASSERT_EQ(queue.is_of_one(), std::count_if(model.begin(), model.end(), empty) == peers - 1);
  }
}

/// A folder with these files, by their path, that goes with it.
class Folder {
 public:
  explicit Folder(const std::map<std::string, std::string>& files) {
    std::string name = (std::filesystem::temp_directory_path() / "weft-XXXXXX").string();
    root_ = mkdtemp(name.data());
    for (const auto& [path, text] : files) {
      std::filesystem::create_directories((root_ / path).parent_path());
      std::ofstream(root_ / path) << text;
    }
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;
  ~Folder() { std::filesystem::remove_all(root_); }
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

// The same cases as tests/host/test_manifest_parts.py.
TEST(ControlGroups, LeaveWhatTheTightestOfThemDoes) {
  const std::string job = "sys/fs/cgroup/job/";
  const Folder second({{"proc/self/cgroup", "0::/job/step\n"},
                       {job + "memory.max", "1000000\n"},
                       {job + "memory.current", "700000\n"},
                       {job + "memory.stat", "anon 5\ninactive_file 100000\n"},
                       {job + "step/memory.max", "max\n"},
                       {job + "step/memory.current", "600000\n"}});
  EXPECT_EQ(memory_room_bytes(second.root()), 400'000U);
  const std::string old = "sys/fs/cgroup/memory/job/memory.";
  const Folder first({{"proc/self/cgroup", "5:cpu:/x\n4:memory:/job\n"},
                      {old + "limit_in_bytes", "500000\n"},
                      {old + "usage_in_bytes", "100000\n"},
                      {old + "stat", "total_inactive_file 1000\n"}});
  EXPECT_EQ(memory_room_bytes(first.root()), 401'000U);
}

TEST(ControlGroups, LeaveNothingBeyondTheirLimitAndAllWhereThereIsNone) {
  const Folder beyond({{"proc/self/cgroup", "0::/\n"},
                       {"sys/fs/cgroup/memory.max", "1000\n"},
                       {"sys/fs/cgroup/memory.current", "2000\n"}});
  EXPECT_EQ(memory_room_bytes(beyond.root()), 0U);
  const std::map<std::string, std::string> unlimited{{"proc/self/cgroup", "0::/job\n"}};
  EXPECT_EQ(memory_room_bytes(Folder(unlimited).root()), no_memory_limit);
  const Folder other({{"proc/self/cgroup", "0::/../x\n"}, {"sys/fs/x/memory.max", "1\n"}});
  EXPECT_EQ(memory_room_bytes(other.root()), no_memory_limit);
}

TEST(CaseLines, HaveNoFaceWhoseBytesPassSixtyFourBits) {
  const auto line = [](const std::string& bytes) {
    return R"({"test": "halo", "bytes": )" + bytes +
           R"(, "lattice": {"extents": [256, 256, 256, 256], "depth": 16}})";
  };
  // A face has 2^24 sites in 16 layers: 2^28 of what a site has.
  EXPECT_EQ(message_bytes_of(parse_case(line("262144"))), std::size_t{1} << 46U);
  EXPECT_THROW((void)parse_case(line("262145")), std::invalid_argument);
  EXPECT_THROW((void)parse_case(line("70368744177664")), std::invalid_argument);
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

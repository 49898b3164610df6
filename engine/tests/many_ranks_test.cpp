// Benchmarks of many ranks and of load on a fabric whose answer is known, and planted faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fake_fabric.hpp"
#include "tests/support/link_around.hpp"

namespace weft::fake {
namespace {

constexpr Costs costs{.send_overhead = 7, .receive_overhead = 11, .latency = 500, .gap = 1000};

Case make_case(const std::string& test, std::uint64_t point, std::uint32_t ops = 4000) {
  Case made;
  made.test = test;
  made.bytes = 64;
  made.samples = 3;
  made.warmup = 1;
  made.ops_per_sample = ops;
  made.queue_depth = 16;
  made.point = point;
  return made;
}

double per_operation(const Batch& batch) {
  EXPECT_EQ(batch.outcome.status, Status::ok) << batch.outcome.reason;
  if (batch.ticks.size() < 3) return 0;
  return static_cast<double>(batch.ticks[2]) / static_cast<double>(batch.ops_per_sample);
}

/// What a rank took by itself for one of its own messages, of so many streams.
double own_message(const Batch& batch, const std::string& part, std::uint32_t streams) {
  for (const Series& one : batch.parts) {
    if (one.name != part) continue;
    return static_cast<double>(one.ticks[2]) * streams / batch.ops_per_sample;
  }
  ADD_FAILURE() << "no part " << part;
  return 0;
}

TEST(HotSpotReceive, SendersShareAWireEachUntilTheReceiverIsTheBottleneck) {
  Costs receiver = costs;
  receiver.receive_overhead = 300;
  for (const std::uint64_t peers : {1UL, 2UL, 3UL, 4UL, 7UL}) {
    const Batch batch =
        run(make_case("hot_spot_receive", peers), costs, {}, 8, {{0, receiver}}).batch;
    // Each sender's wire takes a message in 1000 ticks, the receiver one in 300 of any sender.
    const double answer = std::max(1000.0 / static_cast<double>(peers), 300.0);
    EXPECT_NEAR(per_operation(batch), answer, answer * 0.03) << peers;
    EXPECT_EQ(batch.parts.size(), peers);
  }
}

TEST(HotSpotReceive, ASlowPeerIsSlowByItselfAndHoldsNobodyUp) {
  Costs slow = costs;
  slow.gap = 5000;
  const Batch batch = run(make_case("hot_spot_receive", 3), costs, {}, 4, {{2, slow}}).batch;
  EXPECT_NEAR(own_message(batch, "rank1", 3), 1000, 20);
  EXPECT_NEAR(own_message(batch, "rank2", 3), 5000, 100);
  EXPECT_NEAR(own_message(batch, "rank3", 3), 1000, 20);
  EXPECT_NEAR(per_operation(batch), 5000.0 / 3, 50);
}

/// Counts how often its rank asks what is in flight with one of its peers.
class CountsLooks final : public LinkAround {
 public:
  using LinkAround::LinkAround;
  using LinkAround::receives_in_flight;
  using LinkAround::sends_in_flight;
  [[nodiscard]] std::uint32_t sends_in_flight(Peer peer) const noexcept {
    ++looks;
    return link().sends_in_flight(peer);
  }
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept {
    ++looks;
    return link().receives_in_flight(peer);
  }
  static std::atomic<int> looks;  // NOLINT(*-avoid-non-const-global-variables): of all ranks
};
std::atomic<int> CountsLooks::looks{0};

// A library that finds nothing most of the time, and one peer whose messages are slow: the others
// have ended long before.
TEST(HotSpots, LookAtThePeersAloneWithWhomSomethingEnded) {
  Costs probing = costs;
  probing.empty_poll = 200;
  Costs slow = probing;
  slow.gap = 10'000;
  slow.receive_overhead = 10'000;
  probing.acknowledges = true;
  for (const char* test : {"hot_spot_receive", "hot_spot_send"}) {
    Case spec = make_case(test, 7, 140);
    spec.verify = false;
    CountsLooks::looks = 0;
    const Result result = run<std::tuple<HotSpotReceive, HotSpotSend>, CountsLooks>(
        spec, probing, {}, 8, {{3, slow}});
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    // Each message ends once on rank 0; the first sample's probe and control messages are few.
    const int messages = 140 * 4;
    EXPECT_LT(CountsLooks::looks, messages + 200) << test;
  }
}

TEST(HotSpotSend, OneSendersWireIsSharedByAllPeers) {
  for (const std::uint64_t peers : {1UL, 2UL, 5UL}) {
    const Batch batch = run(make_case("hot_spot_send", peers), costs, {}, 6).batch;
    EXPECT_NEAR(per_operation(batch), 1000, 30) << peers;
    for (std::uint64_t peer = 1; peer <= peers; ++peer) {
      const auto streams = static_cast<std::uint32_t>(peers);
      const std::string part = "rank" + std::to_string(peer);
      EXPECT_NEAR(own_message(batch, part, streams), 1000.0 * streams, 30.0 * streams);
    }
  }
}

TEST(MessageRate, PairsAddUpAndEachKnowsItsOwn) {
  for (const std::uint64_t pairs : {1UL, 2UL, 3UL}) {
    const Batch batch = run(make_case("message_rate", pairs), costs, {}, 6).batch;
    const auto streams = static_cast<std::uint32_t>(pairs);
    EXPECT_NEAR(per_operation(batch), 1000.0 / streams, 30.0 / streams);
    EXPECT_NEAR(own_message(batch, "own", streams), 1000, 30);
    for (std::uint32_t pair = 1; pair < streams; ++pair) {
      EXPECT_NEAR(own_message(batch, "rank" + std::to_string(pair), streams), 1000, 30);
    }
  }
}

// Each receiver answers once it has all: what its rank took ends there, and not with the last post.
TEST(MessageRate, TheFirstPairsOwnTimeEndsWithItsReceiversAnswer) {
  Costs far = costs;
  far.latency = 400'000;
  const Batch batch = run(make_case("message_rate", 1, 16), far, {}, 2).batch;
  const double whole = per_operation(batch);
  EXPECT_GT(whole, 2 * 400'000.0 / 16);
  EXPECT_NEAR(own_message(batch, "own", 1), whole, 0.02 * whole);
}

TEST(MessageRate, TheTotalEndsWithTheSlowestPair) {
  Costs slow = costs;
  slow.gap = 3000;
  const Batch batch = run(make_case("message_rate", 2), costs, {}, 4, {{1, slow}}).batch;
  EXPECT_NEAR(per_operation(batch), 3000.0 / 2, 50);
  EXPECT_NEAR(own_message(batch, "own", 2), 1000, 30);
  EXPECT_NEAR(own_message(batch, "rank1", 2), 3000, 90);
}

/// A letter for the host of each rank.
std::shared_ptr<const RankHosts> on_hosts(const std::string& letters) {
  std::vector<std::string> names;
  for (const char letter : letters) names.emplace_back(1, letter);
  return std::make_shared<const RankHosts>(rank_hosts(names));
}

/// The sender and the receiver of each pair: "0-1 2-3".
std::string pairs_of(const std::string& letters) {
  Case spec;
  spec.hosts = on_hosts(letters);
  std::string text;
  for (const auto& [first, second] : pairs_across(spec, static_cast<int>(letters.size()))) {
    text += (text.empty() ? "" : " ") + std::to_string(first) + "-" + std::to_string(second);
  }
  return text;
}

TEST(MessageRate, PairsAreBetweenHosts) {
  // Nodes that took ranks in turn, and nodes that were filled.
  EXPECT_EQ(pairs_of("abab"), "0-1 2-3");
  EXPECT_EQ(pairs_of("aabb"), "0-2 1-3");
  EXPECT_EQ(pairs_of("abcdabcd"), "0-2 4-6 1-3 5-7");
  EXPECT_EQ(pairs_of("abcabc"), "0-4 3-2 1-5");
  // Too many ranks on one host: what can cross comes first, and rank 0 leads.
  EXPECT_EQ(pairs_of("aaab"), "0-3 1-2");
  EXPECT_EQ(pairs_of("abbbbb"), "0-3 1-4 2-5");
  EXPECT_EQ(pairs_of("aaaa"), "0-2 1-3");
  EXPECT_EQ(pairs_of("aab"), "0-2");
}

/// Each layout of up to seven ranks on three hosts.
template <class Act>
void for_each_layout(const Act& act) {
  for (std::size_t size = 2; size <= 7; ++size) {
    auto layouts = static_cast<std::size_t>(std::pow(3, size - 1));
    for (std::size_t number = 0; number < layouts; ++number) {
      std::string letters = "a";
      for (std::size_t left = number; letters.size() < size; left /= 3) {
        letters += static_cast<char>('a' + static_cast<char>(left % 3));
      }
      act(letters);
    }
  }
}

// No more pairs can cross than there are ranks outside the largest host.
TEST(MessageRate, AsManyPairsAsPossibleAreBetweenHostsAndTheseComeFirst) {
  for_each_layout([](const std::string& letters) {
    Case spec;
    spec.hosts = on_hosts(letters);
    const auto pairs = pairs_across(spec, static_cast<int>(letters.size()));
    ASSERT_EQ(pairs.size(), letters.size() / 2);
    EXPECT_EQ(pairs.front().first, 0) << letters;
    std::size_t largest = 0;
    for (const char host : {'a', 'b', 'c'}) {
      largest = std::max(
          largest, static_cast<std::size_t>(std::count(letters.begin(), letters.end(), host)));
    }
    const std::size_t possible = std::min(letters.size() / 2, letters.size() - largest);
    std::set<int> ranks;
    for (std::size_t at = 0; at < pairs.size(); ++at) {
      const auto [first, second] = pairs[at];
      ranks.insert({first, second});
      EXPECT_EQ(!spec.hosts->share(first, second), at < possible) << letters << ' ' << at;
    }
    EXPECT_EQ(ranks.size(), 2 * pairs.size()) << letters;
  });
}

struct Counted {
  std::string test;
  std::uint64_t point;
  std::string hosts;
  std::uint32_t pairs;
  std::uint32_t between;
};

TEST(PairsBetweenHosts, AreCountedOverAllRanks) {
  const std::vector<Counted> known{
      {"message_rate", 2, "abab", 2, 2},    {"message_rate", 1, "aaab", 1, 1},
      {"message_rate", 2, "aaab", 2, 1},    {"message_rate", 2, "aaaa", 2, 0},
      {"hot_spot_send", 3, "abab", 3, 2},   {"hot_spot_receive", 1, "aabb", 1, 0},
      {"hot_spot_receive", 2, "abc", 2, 2}, {"sendrecv", 0, "aabb", 4, 2},
      {"sendrecv", 0, "ab", 1, 1},          {"shift", 2, "abab", 2, 0},
      {"ping_pong", 0, "ab", 1, 1},         {"ping_pong", 0, "aa", 1, 0},
      {"random_pairs", 0, "abcd", 2, 2},
  };
  for (const Counted& one : known) {
    Case spec = make_case(one.test, one.point, 8);
    spec.hosts = on_hosts(one.hosts);
    const Batch batch = run(spec, costs, {}, static_cast<int>(one.hosts.size())).batch;
    ASSERT_EQ(batch.outcome.status, Status::ok) << batch.outcome.reason;
    EXPECT_EQ(batch.pairs.all, one.pairs) << one.test << ' ' << one.hosts;
    EXPECT_EQ(batch.pairs.between_hosts, one.between) << one.test << ' ' << one.hosts;
  }
}

// Two by two ranks on a grid of one dimension: a ring, in which only its ends leave the hosts.
TEST(PairsBetweenHosts, OfAHaloAreItsNeighbours) {
  Case spec = make_case("halo", 0, 1);
  spec.bytes = 8;
  spec.lattice.dimensions = 1;
  spec.lattice.extents = {4, 1, 1, 1};
  spec.hosts = on_hosts("aabb");
  const Batch batch = run(spec, costs, {}, 4).batch;
  ASSERT_EQ(batch.outcome.status, Status::ok) << batch.outcome.reason;
  EXPECT_EQ(batch.pairs.all, 4U);
  EXPECT_EQ(batch.pairs.between_hosts, 2U);
}

TEST(RandomPairs, AllRanksStreamAtOnceAndOneOfAnOddNumberStandsBy) {
  for (const int ranks : {2, 4, 5, 8}) {
    const Batch batch = run(make_case("random_pairs", 0), costs, {}, ranks).batch;
    EXPECT_NEAR(per_operation(batch), 1000.0 / (ranks / 2), 30.0 / (ranks / 2)) << ranks;
  }
}

TEST(RandomPairs, EveryRankDrawsTheSamePairsAndEachBatchItsOwn) {
  std::set<std::vector<int>> drawn;
  for (std::uint64_t id = 0; id < 20; ++id) {
    Case spec = make_case("random_pairs", 0);
    spec.id = id;
    std::vector<int> partner(7, -1);
    for (int rank = 0; rank < 7; ++rank) {
      const Role role = RandomPairs::role(spec, rank, 7);
      if (!role.to.empty()) partner[static_cast<std::size_t>(rank)] = role.to.front();
      if (!role.from.empty()) partner[static_cast<std::size_t>(rank)] = role.from.front();
    }
    EXPECT_EQ(std::count(partner.begin(), partner.end(), -1), 1);
    for (std::size_t rank = 0; rank < 7; ++rank) {
      if (partner[rank] < 0) continue;
      EXPECT_EQ(partner[static_cast<std::size_t>(partner[rank])], static_cast<int>(rank));
    }
    EXPECT_FALSE(RandomPairs::role(spec, 0, 7).to.empty());
    drawn.insert(partner);
  }
  EXPECT_GT(drawn.size(), 10U);
}

struct Cased {
  const char* test;
  std::uint64_t point;
  int sender;
};

/// In a test's name: by default it would be the address of the text.
void PrintTo(const Cased& one, std::ostream* out) {
  *out << one.test << " at " << one.point << ", rank " << one.sender << " harmed";
}

class EveryManyRanks : public testing::TestWithParam<Cased> {};

TEST_P(EveryManyRanks, AFlippedBitIsAFailedCase) {
  const Cased& one = GetParam();
  // A message behind the few that carry no content of the test: the handshake and the start.
  for (const std::size_t message : {6UL, 11UL}) {
    const Mischief flip{.rank = one.sender, .message = message, .flip_offset = 33};
    const Batch batch = run(make_case(one.test, one.point, 8), costs, flip, 5).batch;
    EXPECT_EQ(batch.outcome.status, Status::failed) << one.test << message;
    EXPECT_NE(batch.outcome.reason.find("offset 33 of 64"), std::string::npos)
        << batch.outcome.reason;
  }
}

TEST_P(EveryManyRanks, ALostOrRepeatedMessageNeverGivesAFigure) {
  const Cased& one = GetParam();
  for (const std::size_t message : {5UL, 40UL, 300UL}) {
    for (const bool drop : {true, false}) {
      const Mischief harm{.rank = one.sender, .message = message, .drop = drop, .repeat = !drop};
      const Result result = run(make_case(one.test, one.point, 400), costs, harm, 5);
      EXPECT_FALSE(result.whole && result.batch.outcome.status == Status::ok)
          << one.test << message << drop;
    }
  }
}

TEST_P(EveryManyRanks, OddQueuesAndSchedulesLoseNoMessage) {
  const Cased& one = GetParam();
  for (const std::uint32_t depth : {1U, 2U, 3U, 7U, 64U}) {
    Case spec = make_case(one.test, one.point, 13);
    spec.queue_depth = depth;
    spec.schedule = {"turn", 3, 100};
    const Batch batch = run(spec, costs, {}, 5).batch;
    EXPECT_EQ(batch.outcome.status, Status::ok) << one.test << depth << batch.outcome.reason;
    EXPECT_GT(batch.outcome.verified_bytes, 64U * 8U);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryManyRanks,
                         testing::Values(Cased{"hot_spot_send", 3, 0},
                                         Cased{"hot_spot_receive", 3, 2},
                                         Cased{"message_rate", 2, 0}, Cased{"message_rate", 2, 1},
                                         Cased{"random_pairs", 0, 0}));

TEST(HotSpotRefusals, MorePeersThanThereAreIsUnsupportedWithTheFix) {
  const Batch batch = run(make_case("hot_spot_send", 4), costs, {}, 4).batch;
  EXPECT_EQ(batch.outcome.status, Status::unsupported);
  EXPECT_EQ(batch.outcome.reason, "4 peers need 5 ranks; choose more with --ranks");
  const Batch pairs = run(make_case("message_rate", 3), costs, {}, 4).batch;
  EXPECT_EQ(pairs.outcome.reason, "3 pairs need 6 ranks; choose more with --ranks");
}

/// A benchmark broken on purpose: it receives one peer's messages into another's buffers.
struct MixesUpPeers {
  static constexpr PatternInfo info = HotSpotReceive::info;
  static constexpr bool streams = true;
  static std::string lacks(const Case& /*spec*/, int /*size*/) { return ""; }
  static Role role(const Case& spec, int rank, int size) {
    return HotSpotReceive::role(spec, rank, size);
  }
  template <Clock Now, class Wait, TellsPeers T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank == 0) std::swap(task.lanes[0].in, task.lanes[1].in);
    return HotSpotReceive::run<Now, Wait>(link, task);
  }
};

TEST(Planted, MessagesInTheBuffersOfAnotherPeerAreCaught) {
  const Batch batch =
      run<std::tuple<MixesUpPeers>>(make_case("hot_spot_receive", 2), costs, {}, 3).batch;
  EXPECT_EQ(batch.outcome.status, Status::failed);
  EXPECT_NE(batch.outcome.reason.find("wrong byte"), std::string::npos) << batch.outcome.reason;
}

/// A benchmark broken on purpose: it adds up the pairs' own rates, as if all ran to the end.
TEST(Planted, TheSumOfOwnRatesIsMoreThanWhatWasMoved) {
  Costs slow = costs;
  slow.gap = 3000;
  const Batch batch = run(make_case("message_rate", 2), costs, {}, 4, {{1, slow}}).batch;
  const double moved = 1 / per_operation(batch);
  const double summed = 1 / own_message(batch, "own", 2) + 1 / own_message(batch, "rank1", 2);
  EXPECT_GT(summed, 1.9 * moved);
}

}  // namespace
}  // namespace weft::fake

// Hostile or senseless case lines, and ranks that run out of memory: they cost their own case.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "host/hosts.hpp"
#include "run/case.hpp"
#include "run/footprint.hpp"
#include "run/schedule.hpp"
#include "tests/support/fake_cases.hpp"
#include "tests/support/link_around.hpp"

namespace weft::fake {
namespace {

/// What its ranks may allocate: the buffers of all of them, and the most there were at once.
struct Store {
  std::atomic<std::size_t> bytes{0};
  std::atomic<std::size_t> most_bytes{0};
  /// Allocations left to rank 1, exposed memory among them.
  std::atomic<int> left{1'000'000};
  /// Opened memory of others that ranks can reach.
  std::atomic<int> reached{0};
  /// How often rank 1 still says that there is no room for messages of so many bytes.
  std::atomic<int> refusals{0};
  std::size_t refused_bytes = 0;
  /// Whether rank 1 finds the peers that it needs.
  bool is_reached = true;
  /// Whom each rank was to be connected with, in the last case.
  std::array<std::vector<int>, 3> needed;
  /// Where rank 0's buffers were, case after case.
  std::vector<const std::byte*> adopted;

  void take(std::size_t taken) {
    const std::size_t now = bytes += taken;
    std::size_t before = most_bytes;
    while (before < now && !most_bytes.compare_exchange_weak(before, now)) {
    }
  }
};

/// A link whose rank 1 has no memory left after so many allocations.
class PoorLink final : public LinkAround {
 public:
  PoorLink(Fabric& fabric, const Bootstrap& boot, Store& store)
      : LinkAround(fabric, boot), store_(&store), rank_(boot.rank()) {}
  [[nodiscard]] std::string refusal(std::size_t bytes, std::size_t /*depth*/) {
    if (rank_ != 1 || bytes != store_->refused_bytes || store_->refusals == 0) return "";
    --store_->refusals;
    return "no room";
  }
  void reserve(std::size_t depth, std::span<const int> ranks) {
    store_->needed.at(static_cast<std::size_t>(rank_)).assign(ranks.begin(), ranks.end());
    if (rank_ == 1 && !store_->is_reached) throw std::runtime_error("rank 0 on n7 did not come");
    LinkAround::reserve(depth, ranks);
  }
  [[nodiscard]] Buffer adopt(const Buffer& memory) {
    pay();
    store_->take(whole_pages(memory.bytes));
    if (rank_ == 0) store_->adopted.push_back(memory.data);
    return LinkAround::adopt(memory);
  }
  void disown(const Buffer& buffer) {
    store_->bytes -= whole_pages(buffer.bytes);
    LinkAround::disown(buffer);
  }
  using LinkAround::sends_in_flight;
  [[nodiscard]] std::uint32_t sends_in_flight(Peer peer) const noexcept {
    return link().sends_in_flight(peer);
  }
  using LinkAround::receives_in_flight;
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept {
    return link().receives_in_flight(peer);
  }
  [[nodiscard]] Opened expose(const Buffer& memory) {
    pay();
    store_->take(whole_pages(memory.bytes));
    return LinkAround::expose(memory);
  }
  void withdraw(const Buffer& local) {
    store_->bytes -= whole_pages(local.bytes);
    LinkAround::withdraw(local);
  }
  [[nodiscard]] RemoteBuffer reach(int rank, std::size_t bytes, const std::string& theirs) {
    pay();
    ++store_->reached;
    return LinkAround::reach(rank, bytes, theirs);
  }
  void leave(const RemoteBuffer& /*remote*/) { --store_->reached; }

 private:
  static std::size_t whole_pages(std::size_t bytes) {
    return std::max<std::size_t>((bytes + 4095) / 4096, 1) * 4096;
  }
  void pay() {
    if (rank_ == 1 && store_->left-- <= 0) throw std::bad_alloc();
  }

  Store* store_;
  int rank_;
};

using Few = std::tuple<PingPong, Stream, PutPingPong, GetStream, HotSpotReceive, Burst>;

/// Cases one after another in one launch of three ranks; rank 0's batches.
std::vector<Batch> launch(const std::vector<Case>& cases, Store& store) {
  constexpr int ranks = 3;
  Fabric fabric(ranks);
  fabric.costs = usual_costs;
  FabricMeeting meeting(fabric);
  std::vector<Batch> batches;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      FabricBootstrap boot(meeting, fabric, rank);
      PoorLink link(fabric, boot, store);
      MessageMemory memory;
      for (const Case& spec : cases) {
        Batch batch;
        Whole answer(batch);
        const bool whole = run_case<PoorLink, VirtualClock>(link, boot, memory, spec, batch, answer,
                                                            1.0, static_cast<Few*>(nullptr));
        EXPECT_EQ(whole, store.is_reached);
        if (rank == 0) batches.push_back(batch);
        if (!whole) break;
      }
      fabric.set_idle(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return batches;
}

TEST(Connections, AreThoseThatACaseNeeds) {
  Store store;
  (void)launch({make_case("ping_pong", 100, 4)}, store);
  EXPECT_EQ(std::set<int>(store.needed[0].begin(), store.needed[0].end()), std::set<int>{1});
  EXPECT_EQ(std::set<int>(store.needed[1].begin(), store.needed[1].end()), std::set<int>{0});
  EXPECT_TRUE(store.needed[2].empty());
  Case all = make_case("hot_spot_receive", 100, 4);
  all.point = 2;
  (void)launch({all}, store);
  EXPECT_EQ(std::set<int>(store.needed[0].begin(), store.needed[0].end()), (std::set<int>{1, 2}));
  EXPECT_EQ(std::set<int>(store.needed[2].begin(), store.needed[2].end()), std::set<int>{0});
}

TEST(Connections, WhereARankLacksOneTheLaunchEndsAndSaysWhich) {
  Store store;
  store.is_reached = false;
  const Case spec = make_case("ping_pong", 100, 4);
  const std::vector<Batch> batches = launch({spec, spec}, store);
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_TRUE(batches[0].ended_launch);
  EXPECT_EQ(batches[0].outcome.status, Status::failed);
  EXPECT_EQ(batches[0].outcome.reason, "rank 1: rank 0 on n7 did not come");
}

TEST(OutOfMemory, OnOneRankFailsThatCaseOnAllAndNoOther) {
  for (const char* name :
       {"ping_pong", "stream", "put_ping_pong", "get_stream", "hot_spot_receive"}) {
    const Case spec = make_case(name, 100, 4);
    bool ended_well = false;
    for (int left = 0; left < 2000 && !ended_well; left += left < 12 ? 1 : 37) {
      Store store;
      store.left = left;
      const Batch poor = launch({spec}, store).front();
      ended_well = poor.outcome.status == Status::ok;
      if (ended_well) break;
      EXPECT_EQ(poor.outcome.status, Status::failed);
      EXPECT_TRUE(poor.outcome.reason.starts_with("rank 1: there was no memory"))
          << name << left << poor.outcome.reason;
      EXPECT_TRUE(poor.ticks.empty() && poor.parts.empty());
      EXPECT_EQ(store.bytes, 0U) << "what was taken is given back";
      EXPECT_EQ(store.reached, 0) << "what was reached is left";
    }
    EXPECT_TRUE(ended_well) << name;
    // As if memory came back: the launch goes on where it was.
    Store store;
    Case large = spec;
    large.bytes = std::size_t{1} << 45U;
    const auto batches = launch({spec, large, spec}, store);
    EXPECT_EQ(batches[0].outcome.status, Status::ok) << batches[0].outcome.reason;
    EXPECT_EQ(batches[1].outcome.status, Status::failed);
    EXPECT_NE(batches[1].outcome.reason.find("MiB are free"), std::string::npos);
    EXPECT_EQ(batches[2].outcome.status, Status::ok) << batches[2].outcome.reason;
  }
}

/// Which of rank 0's buffers of a case lie where those of an equal case before it did.
std::size_t at_old_addresses(const Store& store) {
  const auto second = store.adopted.begin() + static_cast<std::ptrdiff_t>(store.adopted.size() / 2);
  const auto is_old = [&](const std::byte* one) {
    return std::find(store.adopted.begin(), second, one) != second;
  };
  return static_cast<std::size_t>(std::count_if(second, store.adopted.end(), is_old));
}

TEST(OutOfMemory, WhatEarlierCasesLeftIsGivenBackBeforeACaseIsRefused) {
  const Case spec = make_case("ping_pong", 100, 4);
  Store plenty;
  (void)launch({spec, spec}, plenty);
  EXPECT_EQ(at_old_addresses(plenty), plenty.adopted.size() / 2) << "memory is kept";
  const Case asked_twice = make_case("ping_pong", 101, 4);
  Store store;
  store.refused_bytes = asked_twice.bytes;
  store.refusals = 1;
  const auto batches = launch({spec, asked_twice}, store);
  EXPECT_EQ(batches[1].outcome.status, Status::ok) << batches[1].outcome.reason;
  EXPECT_EQ(at_old_addresses(store), 0U) << "memory of the rank that had enough is new too";
  store.refusals = 2;
  const auto refused = launch({asked_twice, spec}, store);
  EXPECT_EQ(refused[0].outcome.status, Status::failed);
  EXPECT_EQ(refused[0].outcome.reason, "no room");
  EXPECT_EQ(refused[1].outcome.status, Status::ok) << refused[1].outcome.reason;
}

TEST(OutOfMemory, AThrowInOneCaseLeavesTheNextAsItWas) {
  const Case first = make_case("ping_pong", 100, 4);
  Store plenty;
  const Ticks wanted = launch({first}, plenty).front().ticks.at(3);
  // 510 buffers a side in turn tell no two uses apart by their mark; rank 2 stands by.
  Case marks = make_case("put_ping_pong", 16, 1);
  marks.schedule = {"reuse", 300, 40};
  Store store;
  for (const Case& bad : {marks}) {
    const auto batches = launch({bad, first}, store);
    EXPECT_EQ(batches[1].outcome.status, Status::ok) << batches[1].outcome.reason;
    EXPECT_EQ(batches[1].ticks.at(3), wanted);
  }
}

TEST(Memory, BuffersNeverTakeMoreThanTheFormulaSays) {
  for (const char* name :
       {"ping_pong", "stream", "put_ping_pong", "get_stream", "hot_spot_receive", "burst"}) {
    for (const std::size_t bytes : {1UL, 5000UL, 1UL << 17U}) {
      for (const std::uint32_t depth : {7U, 64U}) {
        Case spec = make_case(name, bytes, 1);
        // Whole turns: one of warm-up and two behind it.
        spec.warmup = 9;
        spec.samples = 18;
        spec.queue_depth = depth;
        spec.schedule = depth == 7 ? Schedule{"turn", 9, 100} : Schedule{};
        Store store;
        EXPECT_EQ(launch({spec}, store).front().outcome.status, Status::ok);
        const auto patterns = supported<PoorLink, VirtualClock>(static_cast<Few*>(nullptr));
        const auto self = std::find_if(patterns.begin(), patterns.end(),
                                       [&](const Support& one) { return one.info.name == name; });
        EXPECT_LE(static_cast<double>(store.most_bytes), needed_bytes(spec, self->footprint, 3))
            << name << bytes << depth;
      }
    }
  }
}

TEST(Memory, OfManyHostsOnlyThisOnesRanksAreCounted) {
  Case spec = make_case("stream", 1, 4);
  const Footprint stream{};
  const double all = needed_bytes(spec, stream, 1024);
  spec.ranks_here = 16;
  EXPECT_DOUBLE_EQ(needed_bytes(spec, stream, 1024) * 64, all);
  // So much is on no host; which one it is stands there where there are several.
  spec.bytes = std::size_t{1} << 46U;
  EXPECT_NE(refuse_memory(spec, stream, 1024).find(" MiB are free on " + host_name() + ";"),
            std::string::npos);
  EXPECT_EQ(refuse_memory(spec, stream, 16).find(" on "), std::string::npos);
}

TEST(Memory, PartsOfACollectiveOperationLieWithoutGaps) {
  Case spec = make_case("alltoall", 1, 4);
  spec.bytes = 8;
  spec.ranks_here = 1;
  const Footprint alltoall{.own_messages_per_rank = 2};
  // 16 KiB there and back, the page at which what it gets begins, control messages and a sample.
  EXPECT_LT(needed_bytes(spec, alltoall, 1024), 128.0 * 1024);
  spec.bytes = 4097;
  EXPECT_GE(needed_bytes(spec, alltoall, 2), 4.0 * 4097);
}

TEST(Memory, AnOrdersSizeIsThatOfTheOrderThatIsMade) {
  for (const Schedule& schedule :
       {Schedule{"one", 5, 10}, Schedule{"shared", 1, 100}, Schedule{"turn", 1, 100},
        Schedule{"turn", 77, 0}, Schedule{"reuse", 1, 0}, Schedule{"reuse", 9, 50},
        Schedule{"reuse", 33, 99}, Schedule{"reuse", 33, 100}}) {
    for (const std::size_t at_once : {0U, 1U, 2U, 50U, 128U}) {
      const BufferOrders orders = make_orders(schedule, 3, at_once);
      const OrderSize size = size_of(schedule, at_once);
      EXPECT_EQ(size.slots, slots_of(orders.out)) << schedule.kind << at_once;
      EXPECT_EQ(size.arriving, orders.sent_from.size()) << schedule.kind << at_once;
      EXPECT_EQ(size.places, orders.out.size() + orders.in.size()) << schedule.kind << at_once;
    }
  }
}

TEST(HostileLines, AreRefusedByTheirBounds) {
  for (const char* line :
       {R"({"test":"ping_pong","point":18014398509481984})",
        R"({"test":"hot_spot_send","point":9223372036854775808})",
        R"({"test":"ping_pong","samples":100000000})", R"({"test":"ping_pong","samples":1e8})",
        R"({"test":"ping_pong","samples":1000000,"ops_per_sample":1000000})",
        R"({"test":"ping_pong","warmup":100000000})", R"({"test":"stream","queue_depth":65537})",
        R"({"test":"stream","ops_per_sample":4294967296})", R"({"schedule":5})",
        R"({"schedule":{"kind":"turn","count":4294967297}})",
        R"({"schedule":{"kind":"reuse","count":2,"reuse_percent":101}})"}) {
    EXPECT_THROW((void)parse_case(line), std::invalid_argument) << line;
  }
}

TEST(HostileLines, WithinTheBoundsTheyAreRefusedOrRunAndNeverCrash) {
  std::vector<Case> cases;
  for (const char* name : {"ping_pong", "stream", "put_ping_pong", "get_stream", "hot_spot_receive",
                           "burst", "nope"}) {
    for (const char* rest :
         {R"("point":1000000)", R"("bytes":70368744177664)",
          R"("bytes":8,"schedule":{"kind":"reuse","count":1048576,"reuse_percent":99})",
          R"("bytes":65536,"schedule":{"kind":"turn","count":1048576})",
          R"("bytes":1099511627776,"queue_depth":65536,"schedule":{"kind":"turn","count":1048576})",
          R"("bytes":8,"wait":"prayer","verify":false)",
          R"("bytes":8,"pages":"small","schedule":{"kind":"reuse","count":1,"reuse_percent":0})"}) {
      cases.push_back(parse_case(std::string(R"({"id":1,"test":")") + name + R"(",)" + rest + "}"));
    }
  }
  cases.push_back(make_case("ping_pong", 8, 1));
  Store store;
  const auto batches = launch(cases, store);
  ASSERT_EQ(batches.size(), cases.size());
  for (const Batch& batch : batches) {
    EXPECT_EQ(batch.outcome.status == Status::ok, batch.outcome.reason.empty());
  }
  EXPECT_EQ(batches.back().outcome.status, Status::ok) << batches.back().outcome.reason;
}

TEST(Exchange, RefusesWhatMpiCannotCount) {
  EXPECT_EQ(starts_of({3, 0, 4}), (std::vector<int>{0, 3, 3, 7}));
  EXPECT_EQ(starts_of({0x7fffffff}).back(), 0x7fffffff);
  EXPECT_THROW((void)starts_of({0x7fffffff, 1}), std::length_error);
  EXPECT_THROW((void)starts_of({1, ~0ULL}), std::length_error);
}

TEST(Exchange, WhoGivesUpTellsAllAndTheNextExchangeIsWhole) {
  constexpr int ranks = 3;
  Fabric fabric(ranks);
  FabricMeeting meeting(fabric);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      FabricBootstrap boot(meeting, fabric, rank);
      // Rank 1 gives up before the exchange that the others have begun.
      const auto act = [&] {
        if (rank == 1) throw std::runtime_error("no");
        (void)boot.exchange("key");
        ADD_FAILURE() << "exchanged with a rank that gave up";
      };
      try {
        together(boot, act);
        ADD_FAILURE() << "went on";
      } catch (const GaveUp& reported) {
        EXPECT_STREQ(reported.what(), "rank 1: no");
      }
      EXPECT_EQ(boot.exchange(std::to_string(rank)), (std::vector<std::string>{"0", "1", "2"}));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace weft::fake

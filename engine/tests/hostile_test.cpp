// Hostile or senseless case lines, and ranks that run out of memory: they cost their own case.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "host/hosts.hpp"
#include "run/case.hpp"
#include "run/footprint.hpp"
#include "run/ranks_of_case.hpp"
#include "run/schedule.hpp"
#include "tests/support/poor_link.hpp"

namespace weft::fake {
namespace {

TEST(OutOfMemory, OnOneRankFailsThatCaseOnAllAndNoOther) {
  for (const char* name :
       {"ping_pong", "stream", "put_ping_pong", "get_stream", "hot_spot_receive", "pair_rounds"}) {
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

/// How many of rank 0's last buffers, so many of a case, lie where others before them did.
std::size_t at_old_addresses(const Store& store, std::size_t of_case) {
  const auto second = store.adopted.end() - static_cast<std::ptrdiff_t>(of_case);
  const auto is_old = [&](const std::byte* one) {
    return std::find(store.adopted.begin(), second, one) != second;
  };
  return static_cast<std::size_t>(std::count_if(second, store.adopted.end(), is_old));
}

TEST(OutOfMemory, WhatEarlierCasesLeftIsGivenBackBeforeACaseIsRefused) {
  for (const char* name : {"ping_pong", "pair_rounds"}) {
    const Case spec = make_case(name, 100, 4);
    Store plenty;
    (void)launch({spec, spec}, plenty);
    const std::size_t of_case = plenty.adopted.size() / 2;
    EXPECT_EQ(at_old_addresses(plenty, of_case), of_case) << "memory is kept";
    const Case asked_twice = make_case(name, 101, 4);
    Store store;
    store.refused_bytes = asked_twice.bytes;
    store.refusals = 1;
    const auto batches = launch({spec, asked_twice}, store);
    EXPECT_EQ(batches[1].outcome.status, Status::ok) << batches[1].outcome.reason;
    EXPECT_EQ(at_old_addresses(store, of_case), 0U)
        << "memory of the rank that had enough is new too";
    store.refusals = 2;
    const auto refused = launch({asked_twice, spec}, store);
    EXPECT_EQ(refused[0].outcome.status, Status::failed);
    EXPECT_EQ(refused[0].outcome.reason, "no room");
    EXPECT_EQ(refused[1].outcome.status, Status::ok) << refused[1].outcome.reason;
    EXPECT_EQ(store.bytes, 0U) << "all is given back";
  }
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

PatternOn pattern_named(std::string_view name) {
  for (PatternOn& one : patterns_on<PoorLink, VirtualClock>(static_cast<Few*>(nullptr))) {
    if (one.info.name == name) return std::move(one);
  }
  throw std::invalid_argument(std::string(name));
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
        const PatternOn self = pattern_named(name);
        EXPECT_LE(static_cast<double>(store.most_bytes),
                  needed_bytes(spec, self.footprint, 3, ranks_of_case(spec, self, 3)))
            << name << bytes << depth;
      }
    }
  }
}

TEST(Memory, OfManyHostsOnlyThisOnesRanksThatTakePartAreCounted) {
  Case spec = make_case("stream", 1, 4);
  const PatternOn stream = pattern_named("stream");
  spec.ranks_here = {1, 65};
  // So much is on no host; which one it is stands there where there are several.
  spec.bytes = std::size_t{1} << 46U;
  EXPECT_NE(refuse_memory(spec, stream, 1024).find(" MiB are free on " + host_name() + ";"),
            std::string::npos);
  spec.ranks_here = {};
  EXPECT_EQ(refuse_memory(spec, stream, 16).find(" on "), std::string::npos);
  // A host whose ranks all stand by needs none.
  spec.ranks_here = {16, 17};
  EXPECT_EQ(refuse_memory(spec, stream, 1024), "");
}

TEST(Memory, PartsOfACollectiveOperationLieWithoutGaps) {
  Case spec = make_case("alltoall", 1, 4);
  spec.bytes = 8;
  const Footprint alltoall{.own_messages_per_rank = 2};
  // 16 KiB there and back, the page at which what it gets begins, control messages and a sample.
  EXPECT_LT(needed_bytes(spec, alltoall, 1024, {1, 1}), 128.0 * 1024);
  spec.bytes = 4097;
  EXPECT_GE(needed_bytes(spec, alltoall, 2, {1, 1}), 4.0 * 4097);
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

// A rank's host has no room for the case, another has no peer: that one ends the launch.
TEST(Exchange, WhatEndsTheLaunchIsHeardBeforeWhatEndsACaseAndThatBeforeARefusal) {
  const std::string peer = std::string(lacks_a_peer) + "rank 2: gone";
  const std::string given_up = std::string(gives_up) + "rank 1: no";
  EXPECT_EQ(place_of("", 1, 3), 9);
  EXPECT_EQ(place_of("full", 1, 3), 7);
  EXPECT_EQ(place_of(given_up, 1, 3), 4);
  EXPECT_EQ(place_of(peer, 2, 3), 2);
  EXPECT_EQ(first_text({"", "", ""}), "");
  EXPECT_EQ(first_text({"", "full", "long"}), "full");
  EXPECT_THROW((void)first_text({"full", given_up, ""}), GaveUp);
  EXPECT_THROW((void)first_text({"full", given_up, peer}), NotConnected);
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

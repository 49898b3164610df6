// What memory of a case a link is given and has to give back, and which control messages go: by a
// link that writes it down.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contract/sums.hpp"
#include "run/buffer_set.hpp"
#include "run/control_messages.hpp"
#include "run/schedule.hpp"
#include "run/verification.hpp"
#include "tests/support/alone.hpp"
#include "tests/support/noted_link.hpp"

namespace weft::fake {
namespace {

constexpr Fault broken{7, "poll"};
using Said = std::vector<std::string>;

/// Three buffers of 40 bytes, 64 from one to the next.
struct Slices {
  std::vector<std::byte> memory = std::vector<std::byte>(std::size_t{3} * 64);
  std::vector<Buffer> all = slices_of({memory.data(), memory.size(), 3}, 3, 40, 64);
};

void expect_alike(const Buffer& one, const Buffer& other) {
  EXPECT_EQ(one.data, other.data);
  EXPECT_EQ(one.bytes, other.bytes);
}

void expect_alike(const std::vector<Buffer>& some, const std::vector<Buffer>& others) {
  ASSERT_EQ(some.size(), others.size());
  for (std::size_t at = 0; at < some.size(); ++at) expect_alike(some[at], others[at]);
}

TEST(BufferSets, GiveTheLinkEachBufferAndTakeItBackOnce) {
  const Slices slices;
  NotedLink link;
  {
    BufferSet first(link, slices.all);
    expect_alike(first.buffers(), slices.all);
    EXPECT_EQ(first[2].key, 5U);
    EXPECT_EQ(first.count(), 3U);
    BufferSet moved(std::move(first));
    BufferSet assigned;
    assigned = std::move(moved);
    EXPECT_TRUE(link.disowned.empty());
    expect_alike(assigned.buffers(), slices.all);
  }
  expect_alike(link.adopted, slices.all);
  expect_alike(link.disowned, slices.all);
  EXPECT_EQ(link.disowned[1].key, 5U);
}

TEST(BufferSets, GiveTheMemoryFromTheFirstToTheLastWhereALinkAdoptsAtOnce) {
  Slices slices;
  slices.all[2].bytes = 50;
  NotedLink link;
  link.at_once = true;
  {
    BufferSet first(link, slices.all);
    BufferSet all;
    all = std::move(first);
    expect_alike(all.buffers(), slices.all);
    EXPECT_EQ(all[2].key, 5U);
    const BufferSet none(link, {});
    EXPECT_EQ(none.count(), 0U);
  }
  const std::vector<Buffer> whole{{slices.all[0].data, 2 * 64 + 50, 0}};
  expect_alike(link.adopted, whole);
  expect_alike(link.disowned, whole);
}

TEST(BufferSets, GiveBackWhatWasTakenWhereOneCannotBeHad) {
  const Slices slices;
  NotedLink link;
  link.most_adopted = 2;
  EXPECT_THROW((BufferSet(link, slices.all)), std::runtime_error);
  expect_alike(link.disowned, {slices.all[0], slices.all[1]});
  // What a link is not to know it is not given, nor does it give it back.
  NotedLink other;
  { const BufferSet unknown(slices.all); }
  EXPECT_TRUE(other.adopted.empty() && other.disowned.empty());
}

class Others final : public Alone {
 public:
  std::vector<std::string> swap(std::span<const int> ranks,
                                const std::vector<std::string>& mine) override {
    EXPECT_EQ(mine, std::vector<std::string>(ranks.size(), "mine"));
    std::vector<std::string> theirs;
    for (const int rank : ranks) theirs.push_back("n" + std::to_string(rank));
    return theirs;
  }
};

TEST(OpenedMemories, AreReachedOfEachRankOnceAndLeftBeforeTheirOwnIsClosed) {
  NotedLink link;
  {
    OpenedMemory opened(link, {nullptr, 9, 0});
    Others boot;
    opened.reach(boot, std::vector<int>{4, 2, 4});
    EXPECT_EQ(opened.local().bytes, 10U);
    EXPECT_EQ(opened.of_rank(4).address, 4U);
    EXPECT_EQ(opened.of_rank(2).bytes, 10U);
  }
  EXPECT_EQ(link.said, (Said{"expose 9", "reach 2 of 10 called n2", "reach 4 of 10 called n4",
                             "leave 2", "leave 4", "withdraw 10 of 6"}));
}

TEST(OpenedMemories, LeaveWhatWasReachedWhereOneIsOutOfReach) {
  NotedLink link;
  link.out_of_reach = {4};
  {
    OpenedMemory opened(link, {nullptr, 9, 0});
    Others boot;
    EXPECT_THROW(opened.reach(boot, std::vector<int>{2, 4, 5}), std::runtime_error);
  }
  EXPECT_EQ(link.said, (Said{"expose 9", "reach 2 of 10 called n2", "reach 4 of 10 called n4",
                             "leave 2", "withdraw 10 of 6"}));
}

TEST(OpenedMemories, OfALinkThatBrokeAreLeftAsTheyAre) {
  NotedLink link;
  {
    OpenedMemory opened(link, {nullptr, 9, 0});
    Others boot;
    opened.reach(boot, std::vector<int>{2});
    link.broken = &broken;
  }
  EXPECT_EQ(link.said, (Said{"expose 9", "reach 2 of 10 called n2"}));
}

/// A rank that has two neighbours, and sums with one of them.
struct Rank {
  explicit Rank(std::string_view wait) : loop{wait, nullptr, nullptr} {
    plan.pattern = &pattern;
    plan.loop = &loop;
    plan.rank = 2;
    plan.size = 5;
    plan.spec.id = 9;
    plan.role.neighbours = {3, 1};
    plan.role.partners = {1};
    plan.orders = orders_in_turn(1);
    own.emplace(plan, memory, false);
  }
  [[nodiscard]] Content closing_of(int rank) const {
    return {static_cast<std::uint32_t>(rank), 9, closing_message};
  }

  PatternOn pattern;
  LoopOn loop;
  CasePlan plan;
  MessageMemory memory;
  std::optional<CaseMemory> own;
};

// Of a pass seven, to shake hands and to close three each, and of sums; a page from one to the
// next.
TEST(ControlMessagesOfARank, LieOneBehindTheOtherOnPagesOfTheirOwn) {
  Rank rank("spin");
  NotedLink link;
  {
    const ControlMessages control(rank.plan, link, *rank.own);
    ASSERT_EQ(link.adopted.size(), 7 + 3 + 3 + messages_of_partner);
    for (std::size_t at = 0; at < link.adopted.size(); ++at) {
      const bool is_handshake = at >= 7 && at < 10;
      expect_alike(link.adopted[at], {rank.own->control() + at * 4096, is_handshake ? 1U : 32U, 0});
      EXPECT_EQ(link.adopted[at].key, 0U);
    }
    expect_alike(control.own(), link.adopted[0]);
    ASSERT_EQ(control.of_others().size(), 6U);
    expect_alike(control.of_others()[5], link.adopted[6]);
    ASSERT_EQ(control.of_sums().size(), messages_of_partner);
    expect_alike(control.of_sums()[0], link.adopted[13]);
  }
  EXPECT_EQ(link.disowned.size(), link.adopted.size());
}

TEST(ControlMessagesOfARank, GoToEachNeighbourBeforeAPassAndAtTheEnd) {
  for (const bool sleeps : {false, true}) {
    Rank rank(sleeps ? "block" : "spin");
    NotedLink link;
    ControlMessages control(rank.plan, link, *rank.own);
    std::vector<std::vector<Buffer>> swapped;
    link.once_swapped = [&](std::span<const Buffer> all) {
      swapped.emplace_back(all.begin(), all.end());
    };
    Outcome outcome;
    control.shake_hands();
    EXPECT_TRUE(control.close(outcome));
    const std::string swap = sleeps ? "swap asleep 3 1" : "swap 3 1";
    EXPECT_EQ(link.said, (Said{swap, swap}));
    const auto adopted = [&](std::ptrdiff_t first) {
      const auto begin = link.adopted.begin() + first;
      return std::vector<Buffer>(begin, begin + 3);
    };
    expect_alike(swapped.at(0), adopted(7));
    expect_alike(swapped.at(1), adopted(10));
  }
}

// Also where the message of a case of the same number lies there since.
TEST(ControlMessagesOfARank, ClosePoisonedInEveryByteAndAreLookedAt) {
  Rank rank("spin");
  NotedLink link;
  ControlMessages control(rank.plan, link, *rank.own);
  int wrong_from = 0;
  link.once_swapped = [&](std::span<const Buffer> all) {
    EXPECT_FALSE(first_difference({all[0].data, 32}, rank.closing_of(2)));
    for (std::size_t at = 1; at < all.size(); ++at) {
      const int from = at == 1 ? 3 : 1;
      std::vector<std::byte> wanted(32);
      fill(wanted, rank.closing_of(from));
      for (std::size_t byte = 0; byte < 32; ++byte) {
        EXPECT_NE(all[at].data[byte], wanted[byte]) << at << ' ' << byte;
      }
      fill({all[at].data, 32}, rank.closing_of(from));
      if (from == wrong_from) all[at].data[31] ^= std::byte{1};
    }
  };
  for (const int wrong : {0, 0, 3, 1}) {
    Outcome outcome;
    wrong_from = wrong;
    EXPECT_TRUE(control.close(outcome));
    EXPECT_EQ(outcome.verified_bytes, 64U);
    EXPECT_EQ(outcome.reason, wrong == 0 ? ""
                                         : "wrong byte at offset 31 of 32 in the closing message "
                                           "(one was lost or came twice) from rank " +
                                               std::to_string(wrong));
  }
  // Over a link that broke nothing came.
  link.broken = &broken;
  Outcome outcome;
  EXPECT_FALSE(control.close(outcome));
  EXPECT_EQ(outcome.status, Status::ok);
  EXPECT_EQ(outcome.verified_bytes, 0U);
}

}  // namespace
}  // namespace weft::fake

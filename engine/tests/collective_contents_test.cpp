// What ranks give to an operation of all of them, where it lies, and what they look for: messages
// and numbers that were written down by hand.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "host/memory.hpp"
#include "patterns/allgather.hpp"
#include "patterns/allreduce.hpp"
#include "patterns/alltoall.hpp"
#include "patterns/broadcast.hpp"
#include "patterns/parts/collective.hpp"

namespace weft {
namespace {

constexpr int ranks = 3;
constexpr std::size_t bytes = 40;
constexpr std::uint32_t operation = 5;

/// A rank's memory of an operation of messages that are given and got.
class Memory {
 public:
  Memory(int rank, std::size_t messages_out, std::size_t messages_in)
      : room_(4 * 4096),
        own_(spec(), rank, ranks, {room_.data(), room_.size(), 0}, messages_out, messages_in) {}

  [[nodiscard]] const CollectiveMemory& own() const { return own_; }

 private:
  static Case spec() {
    Case made;
    made.id = 9;
    made.bytes = bytes;
    return made;
  }
  std::vector<std::byte> room_;
  CollectiveMemory own_;
};

/// Of operation 5 the message from a rank to another.
Content content(int from, int to) {
  return {static_cast<std::uint32_t>(from), 9,
          (std::uint64_t{5} << 32U) + static_cast<std::uint64_t>(to)};
}
bool holds(std::span<const std::byte> memory, const Content& wanted) {
  return !first_difference(memory, wanted).has_value();
}

template <class Operation>
Task checked(const Memory& memory) {
  Task task;
  Operation::check(memory.own(), operation, task);
  return task;
}

TEST(CollectiveMemories, HaveWhatIsGivenFirstAndWhatIsGotFromTheNextPageOn) {
  const Memory memory(1, 1, 3);
  EXPECT_EQ(memory.own().out().bytes, bytes);
  EXPECT_EQ(memory.own().in().bytes, 3 * bytes);
  EXPECT_EQ(memory.own().in().data - memory.own().out().data, 4096);
  EXPECT_EQ(memory.own().part(memory.own().in(), 2).data(), memory.own().in().data + 2 * bytes);
  EXPECT_EQ(memory.own().part(memory.own().in(), 2).size(), bytes);
  Case spec;
  spec.bytes = 4096;
  std::vector<std::byte> room(4 * 4096);
  const CollectiveMemory page(spec, 0, ranks, {room.data(), room.size(), 0}, 1, 1);
  EXPECT_EQ(page.in().data - page.out().data, 4096);
  spec.bytes = 4097;
  const CollectiveMemory more(spec, 0, ranks, {room.data(), room.size(), 0}, 1, 1);
  EXPECT_EQ(more.in().data - more.out().data, 8192);
  const CollectiveMemory none(spec, 0, ranks, {nullptr, 0, 0}, 1, 1);
  EXPECT_EQ(none.out().bytes + none.in().bytes, 0U);
}

TEST(CollectiveContents, OfASumAreSmallNumbersOfThePlaceTheOperationAndTheRank) {
  for (const int rank : {0, 1, 126, 127}) {
    const Memory memory(rank, 1, 1);
    Allreduce::fill_in(memory.own(), 58);
    const float of_rank = rank == 127 ? 1 : static_cast<float>(rank + 1);
    for (std::size_t at = 0; at < bytes / sizeof(float); ++at) {
      float number = 0;
      std::memcpy(&number, memory.own().out().data + at * sizeof number, sizeof number);
      // 58, 59, 60, and then from 0 on.
      const float of_place = static_cast<float>(at < 3 ? 58 + at : at - 3);
      EXPECT_EQ(number, of_place + of_rank) << rank << ' ' << at;
    }
    EXPECT_EQ(memory.own().in().data[0], std::byte{0xff});
    EXPECT_EQ(memory.own().in().data[bytes - 1], std::byte{0xff});
  }
}

TEST(CollectiveContents, OfASumEveryNumberIsLookedAt) {
  for (std::size_t wrong = 0; wrong <= bytes / sizeof(float); ++wrong) {
    const Memory memory(1, 1, 1);
    for (std::size_t at = 0; at < bytes / sizeof(float); ++at) {
      // Three ranks, whose own numbers are 1, 2 and 3.
      const auto sum = static_cast<float>(3 * (at + operation) + 6 + (at == wrong ? 1 : 0));
      std::memcpy(memory.own().in().data + at * sizeof sum, &sum, sizeof sum);
    }
    const Task task = checked<Allreduce>(memory);
    EXPECT_EQ(task.wrong != nullptr, wrong < bytes / sizeof(float)) << wrong;
    EXPECT_EQ(task.verified_bytes, bytes);
  }
}

TEST(CollectiveContents, OfAMessageToEachRankAreThatRanks) {
  const Memory memory(1, ranks, ranks);
  Alltoall::fill_in(memory.own(), operation);
  const CollectiveMemory& own = memory.own();
  for (int peer = 0; peer < ranks; ++peer) {
    EXPECT_TRUE(holds(own.part(own.out(), peer), content(1, peer))) << peer;
    fill(own.part(own.in(), peer), content(peer, 1));
  }
  EXPECT_EQ(checked<Alltoall>(memory).wrong, nullptr);
  EXPECT_EQ(checked<Alltoall>(memory).verified_bytes, ranks * bytes);
  for (int peer = 0; peer < ranks; ++peer) {
    own.part(own.in(), peer)[bytes - 1] ^= std::byte{1};
    EXPECT_STREQ(checked<Alltoall>(memory).wrong, wrong_result) << peer;
    own.part(own.in(), peer)[bytes - 1] ^= std::byte{1};
  }
}

TEST(CollectiveContents, OfAMessageToAllRanksAreTheSendersOwn) {
  const Memory memory(1, 1, ranks);
  Allgather::fill_in(memory.own(), operation);
  const CollectiveMemory& own = memory.own();
  EXPECT_TRUE(holds(own.part(own.out(), 0), content(1, 0)));
  for (int peer = 0; peer < ranks; ++peer) fill(own.part(own.in(), peer), content(peer, 0));
  EXPECT_EQ(checked<Allgather>(memory).wrong, nullptr);
  EXPECT_EQ(checked<Allgather>(memory).verified_bytes, ranks * bytes);
  for (int peer = 0; peer < ranks; ++peer) {
    fill(own.part(own.in(), peer), content(peer, 1));
    EXPECT_STREQ(checked<Allgather>(memory).wrong, wrong_result) << peer;
    fill(own.part(own.in(), peer), content(peer, 0));
  }
}

TEST(CollectiveContents, ThatAreToComeArePoisonedInEveryByte) {
  const Memory memory(1, ranks, ranks);
  const CollectiveMemory& own = memory.own();
  const auto expect_poison = [&](int peer, const Content& wanted) {
    std::vector<std::byte> good(bytes);
    fill(good, wanted);
    for (std::size_t at = 0; at < bytes; ++at) {
      EXPECT_NE(own.part(own.in(), peer)[at], good[at]) << peer << ' ' << at;
    }
  };
  for (int peer = 0; peer < ranks; ++peer) fill(own.part(own.in(), peer), content(peer, 1));
  Alltoall::fill_in(own, operation);
  for (int peer = 0; peer < ranks; ++peer) expect_poison(peer, content(peer, 1));
  for (int peer = 0; peer < ranks; ++peer) fill(own.part(own.in(), peer), content(peer, 0));
  Allgather::fill_in(own, operation);
  for (int peer = 0; peer < ranks; ++peer) expect_poison(peer, content(peer, 0));
}

}  // namespace
}  // namespace weft

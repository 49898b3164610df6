// Operations of all ranks on a fabric whose answer is known, and planted faults that must show.
#include <gtest/gtest.h>

#include "tests/support/fake_cases.hpp"
#include "tests/support/link_around.hpp"

namespace weft::fake {
namespace {

constexpr Costs costs = usual_costs;
constexpr int ranks = 3;
constexpr std::size_t bytes = 100;

using Collectives = std::tuple<Allreduce, Broadcast, Alltoall, Allgather, BarrierOfAll>;

/// Ticks of an operation of a rank other than 0.
double per_operation_of(const Result& result, int rank) {
  for (const Series& one : result.batch.parts) {
    if (one.name != "rank" + std::to_string(rank)) continue;
    return static_cast<double>(one.ticks.at(3)) / static_cast<double>(result.batch.ops_per_sample);
  }
  ADD_FAILURE() << "no times of rank " << rank;
  return 0;
}

TEST(Collectives, EveryRankTakesWhatTheOperationTakes) {
  for (const char* test : {"allreduce", "alltoall", "allgather"}) {
    const Result result = run(make_case(test, bytes, 4), costs, {}, ranks);
    // There and back, and a message's bytes on the wire.
    EXPECT_DOUBLE_EQ(per_operation(result), 2 * 500 + 2 * bytes) << test;
    for (int rank = 1; rank < ranks; ++rank) {
      EXPECT_DOUBLE_EQ(per_operation_of(result, rank), 2 * 500 + 2 * bytes) << test;
    }
  }
}

TEST(Collectives, ABarrierTakesAWordThereAndBack) {
  const Result result = run(make_case("barrier", 0, 4), costs, {}, ranks);
  EXPECT_DOUBLE_EQ(per_operation(result), 2 * 500);
  EXPECT_EQ(result.batch.outcome.verified_bytes, 0U);
}

TEST(Collectives, TheRootIsDoneBeforeTheOthersAndWaitsForThemOutsideTheClock) {
  const Result result = run(make_case("broadcast", bytes, 4), costs, {}, ranks);
  EXPECT_DOUBLE_EQ(per_operation(result), 7);
  for (int rank = 1; rank < ranks; ++rank) {
    EXPECT_DOUBLE_EQ(per_operation_of(result, rank), 7 + 500 + 2 * bytes);
  }
}

TEST(Collectives, EachOperationIsTimedByItself) {
  Costs slow_clock = costs;
  slow_clock.clock_read = 30;
  const Result result = run(make_case("allgather", bytes, 4), slow_clock, {}, ranks);
  EXPECT_DOUBLE_EQ(per_operation(result), 2 * 500 + 2 * bytes + 30);
}

TEST(Collectives, WhatEveryRankGotIsLookedAt) {
  // Four operations before the clock starts, and the last one; each pass on every rank.
  const std::map<std::string, std::size_t> got{
      {"allreduce", 1}, {"broadcast", 1}, {"alltoall", ranks}, {"allgather", ranks}};
  for (const auto& [spec, messages] : got) {
    const Result result = run(make_case(spec, bytes, 4), costs, {}, ranks);
    EXPECT_EQ(result.batch.outcome.verified_bytes, 5 * ranks * messages * bytes) << spec;
  }
}

TEST(Collectives, SizesThatCannotBeAreUnsupportedWithTheFix) {
  const Result odd = run(make_case("allreduce", 7, 1), costs);
  EXPECT_EQ(odd.batch.outcome.status, Status::unsupported);
  EXPECT_EQ(odd.batch.outcome.reason, "it sums floats; choose --sizes of multiples of 4");
  Case turns = make_case("alltoall", 8, 1);
  turns.schedule = {"turn", 2, 100};
  EXPECT_EQ(run(turns, costs).batch.outcome.reason,
            "it has one buffer of its own each way; omit --buffers and --pages");
  Case spun = make_case("barrier", 0, 1);
  spun.wait = "block";
  EXPECT_EQ(run(spun, costs).batch.outcome.reason,
            "the transport cannot wait by block; choose another --wait");
}

/// A link without them.
class PlainLink final : public LinkAround {
 public:
  using LinkAround::LinkAround;
};

TEST(Collectives, ATransportWithoutThemSaysSo) {
  const Result result = run<Collectives, PlainLink>(make_case("allgather", bytes, 1), costs);
  EXPECT_EQ(result.batch.outcome.status, Status::unsupported);
  EXPECT_EQ(result.batch.outcome.reason, "the transport has no collective operations");
}

/// What a broken library may do to an operation on one rank.
enum class Harm : std::uint8_t { flips, swaps, forgets, leaves_out };

/// The operations of a fabric on which one of a rank goes wrong.
template <Harm harm, std::size_t wrong_operation>
class HarmedLink final : public LinkAround {
 public:
  HarmedLink(Fabric& fabric, const Bootstrap& boot)
      : LinkAround(fabric, boot), is_harmed_(boot.rank() == 1) {}

  void allreduce(const Buffer& out, const Buffer& in) noexcept {
    const Buffer none{zeros_.data(), out.bytes, 0};
    const bool leaves_out = now() && harm == Harm::leaves_out;
    around(in, in.bytes, [&] { link().allreduce(leaves_out ? none : out, in); });
  }
  void broadcast(Peer root, const Buffer& buffer) noexcept {
    around(buffer, buffer.bytes, [&] { link().broadcast(root, buffer); });
  }
  void alltoall(const Buffer& out, const Buffer& in) noexcept {
    around(in, in.bytes / ranks, [&] { link().alltoall(out, in); });
  }
  void allgather(const Buffer& out, const Buffer& in) noexcept {
    around(in, out.bytes, [&] { link().allgather(out, in); });
  }
  void barrier() noexcept { link().barrier(); }
  void meet() noexcept { link().meet(); }

 private:
  [[nodiscard]] bool now() const { return is_harmed_ && operation_ == wrong_operation; }
  template <class Call>
  void around(const Buffer& in, std::size_t part, const Call& call) noexcept {
    const std::vector<std::byte> before(in.data, in.data + in.bytes);
    call();
    if (now() && harm == Harm::flips) in.data[in.bytes - 1] ^= std::byte{1};
    if (now() && harm == Harm::swaps) std::swap_ranges(in.data, in.data + part, in.data + part);
    if (now() && harm == Harm::forgets) std::copy(before.begin(), before.end(), in.data);
    ++operation_;
  }

  bool is_harmed_;
  std::size_t operation_ = 0;
  std::array<std::byte, bytes> zeros_{};
};

/// Four operations are checked before the clock starts, and 6 samples of 4 follow: the last one.
constexpr std::size_t checked = 2;
constexpr std::size_t last = 4 + 6 * 4 - 1;

template <Harm harm>
void expect_caught(const std::string& test) {
  const Case made = make_case(test, bytes, 4);
  const Result before = run<Collectives, HarmedLink<harm, checked>>(made, costs, {}, ranks);
  EXPECT_EQ(before.batch.outcome.status, Status::failed) << test;
  EXPECT_EQ(before.batch.outcome.reason, wrong_result);
  const Result behind = run<Collectives, HarmedLink<harm, last>>(made, costs, {}, ranks);
  EXPECT_EQ(behind.batch.outcome.status, harm == Harm::forgets ? Status::ok : Status::failed)
      << test;
}

TEST(Planted, AWrongBitOnOneRankIsAFailedCase) {
  for (const char* test : {"allreduce", "broadcast", "alltoall", "allgather"}) {
    expect_caught<Harm::flips>(test);
  }
}

TEST(Planted, MessagesOfRanksThatAreMixedUpAreAFailedCase) {
  for (const char* test : {"alltoall", "allgather"}) expect_caught<Harm::swaps>(test);
}

TEST(Planted, AnOperationThatGivesNothingIsAFailedCase) {
  // What timed operations give is the same each time: there only those before the clock can tell.
  for (const char* test : {"allreduce", "broadcast", "alltoall", "allgather"}) {
    expect_caught<Harm::forgets>(test);
  }
}

TEST(Planted, ASumWithoutOneRanksNumbersIsAFailedCase) {
  const Case made = make_case("allreduce", bytes, 4);
  const Result result =
      run<Collectives, HarmedLink<Harm::leaves_out, checked>>(made, costs, {}, ranks);
  EXPECT_EQ(result.batch.outcome.status, Status::failed);
}

}  // namespace
}  // namespace weft::fake

// Sums over ranks that are made of messages: values, bits, messages, and what disturbs them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "patterns/halo.hpp"
#include "patterns/milc.hpp"
#include "tests/support/fake_cases.hpp"
#include "tests/support/link_around.hpp"

namespace weft::fake {
namespace {

using Numbers = std::array<double, summed_numbers>;

/// The fabric without its own sum.
class Sumless final : public LinkAround {
 public:
  using LinkAround::LinkAround;

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    ++sent_;
    LinkAround::post_send(peer, buffer);
  }
  using LinkAround::receives_in_flight;
  using LinkAround::sends_in_flight;
  [[nodiscard]] std::uint32_t sends_in_flight(Peer peer) const noexcept {
    return link().sends_in_flight(peer);
  }
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept {
    return link().receives_in_flight(peer);
  }
  [[nodiscard]] std::size_t sent() const noexcept { return sent_; }

 private:
  std::size_t sent_ = 0;
};
static_assert(TellsPeers<Sumless> && !Summing<Sumless> && Summing<Link>);

/// What the ranks have of sums in turn of the numbers that each gives.
struct Sums {
  /// By rank, by sum.
  std::vector<std::vector<Numbers>> of;
  std::vector<std::size_t> sent;
};

template <class Give>
Sums sums_on(int ranks, std::size_t count, const Give& give) {
  Fabric fabric(ranks);
  fabric.costs = usual_costs;
  FabricMeeting meeting(fabric);
  Sums sums{std::vector<std::vector<Numbers>>(static_cast<std::size_t>(ranks)),
            std::vector<std::size_t>(static_cast<std::size_t>(ranks))};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const auto self = static_cast<std::size_t>(rank);
      FabricBootstrap boot(meeting, fabric, rank);
      Sumless link(fabric, boot);
      std::vector<Peer> partners;
      for (const int partner : sum_partners(rank, ranks)) partners.push_back({partner});
      std::vector<Numbers> memory(messages_of_partner * partners.size());
      std::vector<Buffer> buffers;
      for (Numbers& message : memory) {
        buffers.push_back({std::as_writable_bytes(std::span(message)).data(), sizeof(message), 0});
      }
      Task task;
      task.rank = rank;
      task.size = ranks;
      task.partners = partners;
      task.sum_messages = buffers;
      MessageSums<Sumless> over_ranks(link, task);
      over_ranks.expect(1);
      for (std::size_t sum = 0; sum < count; ++sum) {
        if (sum + 1 < count) over_ranks.expect(1);
        Numbers numbers = give(rank, sum);
        EXPECT_TRUE(over_ranks.sum<SpinOnCompletions>(numbers, false)) << rank << " of " << ranks;
        sums.of[self].push_back(numbers);
      }
      EXPECT_EQ(over_ranks.expected(), 0U);
      sums.sent[self] = link.sent();
      fabric.set_idle(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return sums;
}

TEST(RankSums, AreTheKnownOnesForAnyNumberOfRanks) {
  for (int ranks = 1; ranks <= 17; ++ranks) {
    const Sums sums = sums_on(ranks, 9, [](int rank, std::size_t sum) {
      return Numbers{rank + 1.0, -2.0 * rank, 1, static_cast<double>(sum)};
    });
    const double n = ranks;
    for (const std::vector<Numbers>& of_rank : sums.of) {
      for (std::size_t sum = 0; sum < of_rank.size(); ++sum) {
        const Numbers wanted{n * (n + 1) / 2, -n * (n - 1), n, n * static_cast<double>(sum)};
        EXPECT_EQ(of_rank[sum], wanted) << ranks << " ranks, sum " << sum;
      }
    }
  }
}

TEST(RankSums, HaveTheSameBitsOnEveryRank) {
  for (int ranks = 2; ranks <= 17; ++ranks) {
    // In another order these add up to other bits.
    const auto give = [](int rank, std::size_t sum) {
      const double third = 1.0 / (3 * rank + 1 + static_cast<double>(sum));
      return Numbers{third, third * std::pow(10.0, rank % 5 * 4), -third, rank % 2 == 0 ? 1e16 : 1};
    };
    const Sums sums = sums_on(ranks, 3, give);
    for (const std::vector<Numbers>& of_rank : sums.of) {
      for (std::size_t sum = 0; sum < of_rank.size(); ++sum) {
        for (std::size_t at = 0; at < summed_numbers; ++at) {
          EXPECT_EQ(std::bit_cast<std::uint64_t>(of_rank[sum][at]),
                    std::bit_cast<std::uint64_t>(sums.of[0][sum][at]))
              << ranks;
        }
      }
    }
  }
}

TEST(RankSums, TakeAMessageForEachDoublingAndTwoForEachRankBeyond) {
  for (int ranks = 1; ranks <= 17; ++ranks) {
    const Sums sums = sums_on(ranks, 5, [](int, std::size_t) { return Numbers{}; });
    const auto power = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
    const auto doublings = static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(power)));
    for (int rank = 0; rank < ranks; ++rank) {
      const std::size_t beyond = rank + power < ranks ? 1 : 0;
      EXPECT_EQ(sums.sent[static_cast<std::size_t>(rank)],
                5 * (rank >= power ? 1 : doublings + beyond))
          << rank << " of " << ranks;
    }
  }
}

Case lattice_case(const std::string& test, std::uint32_t sums) {
  Case made = make_case(test, 36, 3);
  made.lattice.dimensions = 4;
  made.lattice.extents = {4, 4, 4, 4};
  made.lattice.sums = sums;
  return made;
}

using Applications = std::tuple<Halo, Milc>;

Result without_a_sum(const Case& spec, int ranks, const Mischief& mischief = {},
                     const std::map<int, Costs>& unlike = {}) {
  return run<Applications, Sumless>(spec, usual_costs, mischief, ranks, unlike);
}

double sums_of_iteration(const Result& result) {
  for (const Series& part : result.batch.parts) {
    if (part.name == "sum") return static_cast<double>(part.ticks.at(3)) / 3;
  }
  return -1;
}

/// A message there, while one comes here.
constexpr double step = 7 + 2 * 32 + 500 + 11;

TEST(SumsOfMessages, CostAStepForEachDoublingBesideTheFaces) {
  for (const auto& [ranks, steps] : std::map<int, int>{{2, 1}, {4, 2}, {8, 3}}) {
    for (const std::uint32_t sums : {1U, 2U}) {
      const Result result = without_a_sum(lattice_case("halo", sums), ranks);
      EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
      EXPECT_EQ(sums_of_iteration(result), sums * steps * step) << ranks;
      EXPECT_GT(result.batch.outcome.verified_bytes, 0U);
      // Faces alone.
      EXPECT_EQ(result.batch.sent_messages, 2U * static_cast<unsigned>(steps));
    }
  }
}

TEST(SumsOfMessages, KeepTheFacesApartWhereARankIsSlow) {
  for (const int ranks : {1, 2, 3, 4, 5, 7}) {
    for (const bool overlaps : {true, false}) {
      Case spec = lattice_case("halo", 2);
      spec.lattice.compute_ps_per_site = 1000;
      spec.lattice.overlaps = overlaps;
      // One rank is slow: sums and faces of the others come long before it takes them.
      Costs slow = usual_costs;
      slow.compute_round = 50;
      const Result result = without_a_sum(spec, ranks, {}, {{ranks / 2, slow}});
      EXPECT_EQ(result.batch.outcome.status, Status::ok)
          << ranks << ": " << result.batch.outcome.reason;
    }
  }
}

TEST(SumsOfMessages, SolveTheSameEquationAsTheTransportsOwn) {
  for (const int ranks : {1, 2, 3}) {
    for (const std::uint32_t sums : {1U, 2U}) {
      Case spec = lattice_case("milc", sums);
      spec.bytes = 72;
      spec.lattice.overlaps = sums == 1;
      const Result own = run<Applications>(spec, usual_costs, {}, ranks);
      const Result made = without_a_sum(spec, ranks);
      EXPECT_EQ(made.batch.outcome.status, Status::ok) << ranks << made.batch.outcome.reason;
      const double residual = answer_of(own, "residual");
      EXPECT_NEAR(answer_of(made, "residual"), residual, 1e-9 * residual);
      EXPECT_EQ(made.batch.outcome.verified_bytes, own.batch.outcome.verified_bytes);
    }
  }
}

TEST(SumsOfMessages, BlockingWaitsAndBuffersInTurnLoseNothing) {
  for (const char* test : {"halo", "milc"}) {
    for (const char* wait : {"spin", "block"}) {
      Case asked = lattice_case(test, 2);
      asked.wait = wait;
      asked.schedule = {"turn", 3, 100};
      const Batch batch = without_a_sum(asked, 3).batch;
      // This link cannot sleep.
      const Status wanted = std::string(wait) == "spin" ? Status::ok : Status::unsupported;
      EXPECT_EQ(batch.outcome.status, wanted) << test << wait << batch.outcome.reason;
    }
  }
}

/// One of two ranks, whose partner gives 10 and 20: what comes is here with the first poll, and
/// what goes is gone with the next one.
class SlowSends final {
 public:
  static constexpr std::string_view name = "slow";
  static constexpr std::string_view summary = "sends end last";

  [[nodiscard]] static Buffer adopt(const Buffer& memory) { return memory; }
  void disown(const Buffer& /*buffer*/) const {}
  void reserve(std::size_t /*depth*/, std::span<const int> /*ranks*/) const {}
  void post_send(Peer /*peer*/, const Buffer& /*buffer*/) noexcept {
    EXPECT_EQ(sends_, 0U) << "its memory was written";
    ++sends_;
    ++sent;
  }
  void post_recv(Peer /*peer*/, const Buffer& buffer) noexcept { receives_.push_back(buffer); }
  void poll() noexcept {
    if (receives_.empty()) {
      sends_ = 0;
      return;
    }
    constexpr Numbers theirs{10, 20, 0, 0};
    std::memcpy(receives_.front().data, theirs.data(), sizeof theirs);
    receives_.erase(receives_.begin());
  }
  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return sends_; }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept {
    return static_cast<std::uint32_t>(receives_.size());
  }
  [[nodiscard]] std::uint32_t sends_in_flight(Peer /*peer*/) const noexcept { return sends_; }
  [[nodiscard]] std::uint32_t receives_in_flight(Peer /*peer*/) const noexcept {
    return receives_in_flight();
  }
  [[nodiscard]] static int take_ended() noexcept { return -1; }
  [[nodiscard]] static const Fault* fault() noexcept { return nullptr; }

  int sent = 0;

 private:
  std::uint32_t sends_ = 0;
  std::vector<Buffer> receives_;
};

TEST(SumsOfMessages, WriteNothingIntoMemoryThatIsStillBeingSent) {
  std::array<Numbers, messages_of_partner> memory{};
  std::vector<Buffer> messages;
  for (Numbers& one : memory) {
    messages.push_back({reinterpret_cast<std::byte*>(one.data()), sizeof one, 0});  // NOLINT
  }
  const std::array partners{Peer{1}};
  Task task;
  task.size = 2;
  task.partners = partners;
  task.sum_messages = messages;
  SlowSends link;
  MessageSums<SlowSends> sums(link, task);
  for (int times = 0; times < 9; ++times) {
    sums.expect(1);
    EXPECT_EQ(sums.expected(), 1U);
    std::array<double, 2> numbers{1, 2};
    EXPECT_TRUE(sums.sum<SpinOnCompletions>(numbers, false));
    EXPECT_EQ(numbers, (std::array<double, 2>{11, 22}));
    EXPECT_EQ(sums.expected(), 0U);
  }
  EXPECT_EQ(link.sent, 9);
}

TEST(SumsOfMessages, AWordThatIsDamagedLostOrRepeatedGivesNoFigure) {
  Case spec = lattice_case("halo", 1);
  spec.verify = false;
  // Two ranks: a handshake, then two faces and a sum's message an iteration.
  constexpr std::size_t of_sum = 1 + 3 * 17 + 2;
  const Result damaged = without_a_sum(spec, 2, {.message = of_sum, .flip_offset = 6});
  EXPECT_EQ(damaged.batch.outcome.status, Status::failed);
  EXPECT_EQ(damaged.batch.outcome.reason, "a wrong sum over the ranks");
  for (const bool drop : {true, false}) {
    const Result result =
        without_a_sum(spec, 2, {.message = of_sum, .drop = drop, .repeat = !drop});
    EXPECT_FALSE(result.whole && result.batch.outcome.status == Status::ok) << drop;
  }
}

}  // namespace
}  // namespace weft::fake

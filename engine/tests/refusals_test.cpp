// Why a case cannot run, in full: what a transport lacks, what a case asks of it, and what a host
// has no memory for; both sides of each bound.
#include <gtest/gtest.h>

#include <climits>
#include <string>

#include "patterns/parts/collective.hpp"
#include "run/pattern_on.hpp"
#include "run/ranks_of_case.hpp"
#include "tests/support/fake_cases.hpp"
#include "tests/support/link_around.hpp"

namespace weft::fake {
namespace {

/// A link with one-sided operations and nothing more.
class OneSidedLink final : public LinkAround {
 public:
  using LinkAround::LinkAround;
};

/// A link that sends and receives and does nothing else.
class BareLink final {
 public:
  static constexpr std::string_view name = "bare";
  static constexpr std::string_view summary = "";

  BareLink(Fabric& fabric, const Bootstrap& boot) : link_(fabric, boot) {}
  [[nodiscard]] Buffer adopt(const Buffer& memory) const { return link_.adopt(memory); }
  void disown(const Buffer& buffer) { link_.disown(buffer); }
  void reserve(std::size_t depth, std::span<const int> ranks) { link_.reserve(depth, ranks); }
  void post_send(Peer peer, const Buffer& buffer) noexcept { link_.post_send(peer, buffer); }
  void post_recv(Peer peer, const Buffer& buffer) noexcept { link_.post_recv(peer, buffer); }
  void poll() noexcept { link_.poll(); }
  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return link_.sends_in_flight(); }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept {
    return link_.receives_in_flight();
  }
  [[nodiscard]] const Fault* fault() const noexcept { return link_.fault(); }

 private:
  Link link_;
};

template <class Pattern, TwoSided T>
std::string_view lack() {
  return lack_of<Pattern, T, VirtualClock>();
}

TEST(Lacks, OfATransportAreNamed) {
  EXPECT_EQ((lack<Allgather, OneSidedLink>()), "the transport has no collective operations");
  EXPECT_EQ((lack<HotSpotSend, BareLink>()), "the transport does not report whose message arrived");
  EXPECT_EQ((lack<RegisterPingPong, OneSidedLink>()),
            "the transport registers no memory by itself");
  EXPECT_EQ((lack<PutNotifyPingPong, OneSidedLink>()),
            "the transport cannot notify the target of a put");
  for (const std::string_view reason :
       {lack<PutNotifyPingPong, BareLink>(), lack<PutLatency, BareLink>(),
        lack<GetStream, BareLink>()}) {
    EXPECT_EQ(reason, "the transport has no one-sided operations");
  }
  EXPECT_EQ((lack<PutLatency, OneSidedLink>()), "");
  EXPECT_EQ((lack<Stream, BareLink>()), "");
}

TEST(Lacks, MakeACaseUnsupportedAndLeaveThePatternWithoutLoops) {
  const Result result = run<std::tuple<PutLatency>, BareLink>(make_case("put_latency", 8, 1), {});
  EXPECT_TRUE(result.whole);
  EXPECT_EQ(result.batch.outcome.status, Status::unsupported);
  EXPECT_EQ(result.batch.outcome.reason, "the transport has no one-sided operations");
  const PatternOn one = pattern_on<PutLatency, BareLink, VirtualClock>();
  EXPECT_TRUE(one.loops.empty());
  EXPECT_EQ(one.role, nullptr);
}

TEST(Waits, OfALinkAreTheUsualOneAndWhatItHasBeside) {
  EXPECT_EQ(waits_of<BareLink>(), (std::vector<std::string_view>{"spin"}));
  EXPECT_EQ(waits_of<Link>(), (std::vector<std::string_view>{"spin", "block"}));
  const PatternOn bare = pattern_on<Stream, BareLink, VirtualClock>();
  ASSERT_EQ(bare.loops.size(), 1U);
  EXPECT_EQ(bare.loops.front().wait, "spin");
}

Outcome outcome_of(const Case& spec, int ranks = 2) {
  const Result result = run(spec, usual_costs, {}, ranks);
  EXPECT_TRUE(result.whole);
  return result.batch.outcome;
}

void expect(const Outcome& found, Status status, const std::string& reason) {
  EXPECT_EQ(found.status, status) << reason;
  EXPECT_EQ(found.reason, reason);
  EXPECT_EQ(found.verified_bytes, 0U);
}

TEST(RefusedCases, NameAnUnknownTestAndTooFewRanks) {
  expect(outcome_of(make_case("nope", 8, 1)), Status::failed, "unknown test: nope");
  expect(outcome_of(make_case("ping_pong", 8, 1), 1), Status::failed,
         "needs at least 2 ranks: start it with mpirun -n 2");
}

TEST(RefusedCases, HaveNoMessageOfFewerBytesThanTheTestTakes) {
  expect(outcome_of(make_case("stream", 0, 1)), Status::unsupported,
         "the test has no message of zero bytes");
  EXPECT_EQ(outcome_of(make_case("stream", 1, 1)).reason, "");
  EXPECT_EQ(outcome_of(make_case("ping_pong", 0, 1)).reason, "");
}

TEST(RefusedCases, SayWhoCannotSleepAndWhatNobodyWaitsBy) {
  Case timed = make_case("offered_load", 8, 1);
  timed.point = 50;
  timed.wait = "block";
  expect(outcome_of(timed), Status::unsupported,
         "messages are due at set times: the rank that sends them cannot block");
  Case polled = make_case("put_ping_pong", 8, 1);
  polled.wait = "block";
  expect(outcome_of(polled), Status::unsupported, "a target that polls memory cannot block");
  polled.wait = "prayer";
  expect(outcome_of(polled), Status::unsupported,
         "the transport cannot wait by prayer; choose another --wait");
  Case usual = make_case("ping_pong", 8, 1);
  for (const char* wait : {"", "spin", "block"}) {
    usual.wait = wait;
    EXPECT_EQ(outcome_of(usual).reason, "") << wait;
  }
}

TEST(RefusedCases, SayHowManyRanksAPointNeeds) {
  Case spot = make_case("hot_spot_send", 8, 1);
  spot.point = 3;
  expect(outcome_of(spot, 3), Status::unsupported,
         "3 peers need 4 ranks; choose more with --ranks");
  EXPECT_EQ(outcome_of(spot, 4).reason, "");
  Case pairs = make_case("message_rate", 8, 1);
  pairs.point = 2;
  expect(outcome_of(pairs, 3), Status::unsupported,
         "2 pairs need 4 ranks; choose more with --ranks");
  EXPECT_EQ(outcome_of(pairs, 4).reason, "");
  Case shift = make_case("shift", 8, 1);
  const std::string places =
      "a shift is by 1 place to one less than there are ranks; choose other --points";
  expect(outcome_of(shift, 3), Status::unsupported, places);
  shift.point = 3;
  expect(outcome_of(shift, 3), Status::unsupported, places);
  for (const std::uint64_t by : {1U, 2U}) {
    shift.point = by;
    EXPECT_EQ(outcome_of(shift, 3).reason, "") << by;
  }
}

TEST(RefusedCases, OfAHaloHaveNoThreadsAndNoRankAloneThatOnlyWaits) {
  Case halo = make_case("halo", 8, 1);
  expect(outcome_of(halo, 1), Status::unsupported,
         "one rank exchanges nothing; choose --compute, or more with --ranks");
  EXPECT_EQ(outcome_of(halo, 2).reason, "");
  halo.lattice.threads = 2;
  expect(outcome_of(halo, 2), Status::unsupported, "it has no threads; omit --threads");
}

TEST(RefusedCases, OfAllRanksHaveMessagesThatTheLibraryCanCountAndOneBufferOfTheirOwn) {
  Case spec = make_case("alltoall", INT_MAX, 1);
  EXPECT_EQ(OfAllRanks::lacks(spec, 2), "");
  spec.bytes += 1;
  EXPECT_EQ(OfAllRanks::lacks(spec, 2),
            "a message of it has less than 2 GiB; choose smaller sizes");
  spec = make_case("alltoall", 8, 1);
  const std::string one = "it has one buffer of its own each way; omit --buffers and --pages";
  spec.pages = "small";
  EXPECT_EQ(OfAllRanks::lacks(spec, 2), one);
  spec.pages = "";
  spec.schedule.kind = "shared";
  EXPECT_EQ(OfAllRanks::lacks(spec, 2), one);
}

PatternOn named(std::string_view name) {
  for (PatternOn& one : patterns_on<Link, VirtualClock>(static_cast<AllPatterns*>(nullptr))) {
    if (one.info.name == name) return std::move(one);
  }
  return {};
}

TEST(RefusedMemory, SaysWhatIsNeededWhatIsFreeAndWhatToChoose) {
  Case spec = make_case("ping_pong", std::size_t{1} << 46U, 1);
  for (const char* name : {"ping_pong", "stream"}) {
    const PatternOn pattern = named(name);
    const double needed = needed_bytes(spec, pattern.footprint, 2, ranks_of_case(spec, pattern, 2));
    const std::string begin = "needs " +
                              in_thousands(std::to_string(std::llround(needed / (1 << 20U)))) +
                              " MiB of memory where ";
    const std::string end =
        std::string(" MiB are free; choose smaller sizes, fewer buffers or samples") +
        (pattern.footprint.receives_per_queue > 0 ? ", or a shorter queue (--queue-depth)" : "");
    const std::string found = refuse_memory(spec, pattern, 2);
    EXPECT_EQ(found.substr(0, begin.size()), begin);
    EXPECT_TRUE(found.ends_with(end)) << found;
    // What is carried of a message is what there has to be room for.
    EXPECT_EQ(refuse_memory(spec, pattern, 2, {.content = 64}), "");
  }
}

TEST(RefusedThreads, AreLeftToRanksThatKnowTheirCores) {
  Case spec = make_case("milc", 36, 1);
  spec.lattice.sums = 2;
  spec.lattice.threads = 8;
  EXPECT_EQ(refuse_before_start(std::array{named("milc")}, spec, 2, std::nullopt).reason, "");
  spec.lattice.depth = 2;
  EXPECT_NE(refuse_before_start(std::array{named("milc")}, spec, 2, std::nullopt).reason, "");
}

TEST(RefusedMemory, IsLookedAtBeforeAStartOnlyWhereAllRanksAreOfThisHost) {
  const std::vector<PatternOn> all{named("ping_pong"), named("allgather")};
  Case spec = make_case("ping_pong", std::size_t{1} << 46U, 1);
  EXPECT_EQ(refuse_before_start(all, spec, 2, std::nullopt).status, Status::ok);
  const Outcome refused = refuse_before_start(all, spec, 2, Carried{});
  EXPECT_EQ(refused.status, Status::failed);
  EXPECT_EQ(refused.reason.substr(0, 6), "needs ");
  EXPECT_EQ(refuse_before_start(all, spec, 2, Carried{.content = 64}).status, Status::ok);
  expect(refuse_before_start(all, make_case("nope", 8, 1), 2, std::nullopt), Status::failed,
         "unknown test: nope");
  // A library moves all of what it moves on by itself.
  Case parts = make_case("allgather", INT_MAX, 1);
  EXPECT_EQ(refuse_before_start(all, parts, 1 << 20, Carried{.content = 64}).status,
            Status::failed);
}

}  // namespace
}  // namespace weft::fake

// Buffers that are used in turn, once, or registered as they go, where the costs are scripted.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "host/copy_memory.hpp"
#include "host/memory.hpp"
#include "host/pages.hpp"
#include "run/schedule.hpp"
#include "tests/fake_fabric.hpp"
#include "transports/parts/connecting.hpp"

namespace weft::fake {
namespace {

Case make_case(const std::string& test, std::size_t bytes, const Schedule& schedule) {
  Case made;
  made.test = test;
  made.bytes = bytes;
  made.samples = 120;
  made.warmup = 10;
  made.queue_depth = 8;
  made.schedule = schedule;
  return made;
}

double median_operation(const Result& result) {
  std::vector<Ticks> ticks(result.batch.ticks.begin() + result.batch.warmup,
                           result.batch.ticks.end());
  std::sort(ticks.begin(), ticks.end());
  return static_cast<double>(ticks.at(ticks.size() / 2)) / result.batch.ops_per_sample;
}

constexpr Ticks look_up = 300;
constexpr Costs small_cache{.send_overhead = 7,
                            .receive_overhead = 11,
                            .latency = 500,
                            .per_byte = 2,
                            .known_buffers = 16,
                            .look_up = look_up};
constexpr double one_way = 7 + 2 * 100 + 500 + 11;

TEST(BufferReuse, LatencyRisesByTheLookUpWithMoreBuffersThanTheCardKnows) {
  for (const std::uint32_t count : {1U, 8U, 16U, 17U, 64U}) {
    Case test = make_case("ping_pong", 100, {"turn", count, 100});
    test.warmup = 64;
    test.samples = 128;
    const Result result = run(test, small_cache);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    const double wanted = 2 * (one_way + (count > 16 ? look_up : 0));
    EXPECT_DOUBLE_EQ(median_operation(result), wanted) << count;
  }
}

TEST(BufferReuse, BandwidthFallsByTheLookUpWithMoreBuffersThanTheCardKnows) {
  for (const std::uint32_t count : {16U, 17U}) {
    Case test = make_case("stream", 1000, {"turn", count, 100});
    test.samples = 4;
    test.ops_per_sample = 2000;
    const Result result = run(test, small_cache);
    const double wanted = 2000 + (count > 16 ? look_up : 0);
    EXPECT_NEAR(median_operation(result), wanted, 0.005 * wanted) << count;
  }
}

TEST(BufferReuse, ASharesLookUpsAreThatShareOfTheMessages) {
  for (const std::uint32_t percent : {0U, 50U, 75U, 90U}) {
    Case test = make_case("ping_pong", 100, {"reuse", 200, percent});
    test.samples = 1;
    test.warmup = 0;
    test.ops_per_sample = 190;
    const Result result = run(test, small_cache);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    // Of 190 messages each way so many look a buffer up, by the order that both sides use, and one
    // more is the first use of the reused one.
    const auto order = make_order(test.schedule, test.seed);
    const auto fresh = 190 - std::count(order.begin(), order.begin() + 190, 0U);
    const bool reuses = fresh < 190;
    const double wanted =
        190 * 2 * one_way + static_cast<double>((fresh + (reuses ? 1 : 0)) * 2 * look_up);
    EXPECT_DOUBLE_EQ(static_cast<double>(result.batch.ticks.at(0)), wanted) << percent;
  }
}

// As a batch that walked the order round would have it: from the second round on each buffer that
// was to be new would have been sent before, and a card that knows many would look up none.
TEST(BufferReuse, ABufferThatIsToBeNewIsNeverSentTwice) {
  Costs forgets_nothing = small_cache;
  forgets_nothing.known_buffers = 100'000;
  Case test = make_case("ping_pong", 100, {"reuse", 100, 0});
  const Result result = run(test, forgets_nothing);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_EQ(result.batch.ticks.size(), 98U);
  EXPECT_EQ(result.batch.warmup, 10U);
  for (const Ticks ticks : result.batch.ticks) EXPECT_EQ(ticks, 2 * (one_way + look_up));
}

TEST(BufferReuse, ASampleThatNeedsMoreNewBuffersThanThereAreIsRefused) {
  const Result result = run(make_case("stream", 100, {"reuse", 4, 0}), small_cache);
  EXPECT_TRUE(result.whole);
  EXPECT_EQ(result.batch.outcome.status, Status::unsupported);
  EXPECT_NE(result.batch.outcome.reason.find("to use once"), std::string::npos);
}

TEST(BufferReuse, NoLaterBufferHasAnEarlierOnesAddress) {
  std::set<const std::byte*> seen;
  for (int round = 0; round < 50; ++round) {
    const Buffer buffer = map_memory(10'000);
    EXPECT_TRUE(seen.insert(buffer.data).second);
    unmap_memory(buffer);
    const Region region(10'000, Pages::usual);
    EXPECT_TRUE(seen.insert(region.data()).second);
  }
}

constexpr Costs registering{.send_overhead = 7,
                            .receive_overhead = 11,
                            .latency = 5000,
                            .per_byte = 2,
                            .register_buffer = 900,
                            .register_byte = 3,
                            .deregister_buffer = 400};

TEST(Registration, RegisteringAndDeregisteringAreTimedApart) {
  Case test = make_case("registration", 100, {});
  test.samples = 5;
  test.warmup = 1;
  for (const std::uint32_t ops : {1U, 8U, 21U}) {
    test.ops_per_sample = ops;
    const Result result = run(test, registering);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    for (std::size_t sample = 0; sample < 6; ++sample) {
      EXPECT_EQ(result.batch.ticks.at(sample), ops * (900 + 3 * 100));
      EXPECT_EQ(result.batch.parts.at(0).ticks.at(sample), ops * 400);
    }
  }
}

TEST(Registration, NoTwoBuffersThatAreRegisteredAtOnceAreTheSame) {
  Costs clever = registering;
  clever.knows_registered = true;
  Case test = make_case("registration", 100, {});
  test.samples = 5;
  test.ops_per_sample = 21;
  for (const Schedule& schedule :
       {Schedule{}, Schedule{"turn", 3, 100}, Schedule{"turn", 20, 100}}) {
    test.schedule = schedule;
    const Result result = run(test, clever);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    EXPECT_EQ(result.batch.ticks.at(3), 21 * (900 + 3 * 100)) << schedule.count;
  }
}

TEST(RegisterPingPong, TheRegistrationIsInTheLatencyAndTheDeregistrationBehindTheFlight) {
  const Result result = run(make_case("register_ping_pong", 100, {}), registering);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_DOUBLE_EQ(median_operation(result), 2 * (900 + 300 + 7 + 200 + 5000 + 11));
}

TEST(RegisterStream, BandwidthIsThatOfRegisteringSendingAndDeregistering) {
  Case test = make_case("register_stream", 100, {"turn", 4, 100});
  test.samples = 4;
  test.ops_per_sample = 2000;
  const Result result = run(test, registering);
  ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  // The processor is busy longer than the wire, for each message: it is the bottleneck.
  EXPECT_NEAR(median_operation(result), 900 + 300 + 400 + 7, 20);
}

TEST(Copy, EveryByteIsCopiedWhateverTheLength) {
  for (const std::size_t bytes : {1UL, 63UL, 64UL, 65UL, 4096UL, 10'007UL}) {
    const Buffer from = map_memory(bytes);
    const Buffer to = map_memory(bytes + 1);
    const Content content{3, 1, bytes};
    fill({from.data, bytes}, content);
    to.data[bytes] = std::byte{0x5a};
    copy_memory(to.data, from.data, bytes);
    EXPECT_FALSE(first_difference({to.data, bytes}, content).has_value());
    EXPECT_EQ(to.data[bytes], std::byte{0x5a});
    unmap_memory(from);
    unmap_memory(to);
  }
}

TEST(Copy, RunsWithoutAnyMessage) {
  const Result result = run(make_case("copy", 10'007, {}), registering);
  EXPECT_TRUE(result.whole);
  EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  EXPECT_EQ(result.batch.ticks.size(), 130U);
}

// Huge pages of the reserve, a mapping with some of the kernel's huge pages, and one with none.
constexpr const char* smaps =
    "10000000-10400000 rw-p 00000000 00:0f 1 /anon_hugepage (deleted)\n"
    "Size:               4096 kB\nKernelPageSize:     2048 kB\nAnonHugePages:         0 kB\n"
    "20000000-20800000 rw-p 00000000 00:00 0 \n"
    "Size:               8192 kB\nKernelPageSize:        4 kB\nAnonHugePages:      4096 kB\n"
    "VmFlags: rd wr mr mw me ac hg\n"
    "30000000-30200000 rw-p 00000000 00:00 0 [heap]\n"
    "KernelPageSize:        4 kB\nAnonHugePages:         0 kB\n";

TEST(Pages, HugeOnesAreCountedByTheKernelsOwnList) {
  const auto huge = [](std::uint64_t start, std::uint64_t end) {
    std::istringstream list(smaps);
    return huge_bytes_in(list, start, end);
  };
  EXPECT_EQ(huge(0x10000000, 0x10400000), 4U << 20U);
  EXPECT_EQ(huge(0x10200000, 0x10400000), 2U << 20U);
  EXPECT_EQ(huge(0x20000000, 0x20800000), 4U << 20U);
  EXPECT_EQ(huge(0x30000000, 0x30200000), 0U);
  EXPECT_EQ(huge(0x10400000, 0x20000000), 0U);
  EXPECT_EQ(huge(0x10000000, 0x30200000), 8U << 20U);
}

TEST(Pages, SmallOnesAreSmallAndHugeOnesHugeOrRefusedWithTheMend) {
  const Region small(std::size_t{5} << 20U, Pages::small);
  EXPECT_EQ(small.huge_bytes(), 0U);
  EXPECT_EQ(small.bytes(), 6U << 20U);
  try {
    const Region huge(std::size_t{5} << 20U, Pages::huge);
    EXPECT_EQ(huge.huge_bytes(), 6U << 20U);
  } catch (const std::runtime_error& refused) {
    EXPECT_NE(std::string(refused.what()).find("vm.nr_hugepages=3"), std::string::npos);
  }
}

TEST(Pages, ACaseWithChosenPagesRunsAndTellsWhatItGot) {
  for (const char* test : {"ping_pong", "stream", "register_ping_pong"}) {
    Case small = make_case(test, 1000, {"turn", 5, 100});
    small.pages = "small";
    const Result result = run(small, registering);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    EXPECT_GE(result.batch.pages.bytes, 5U * 1000U);
    EXPECT_EQ(result.batch.pages.huge_bytes, 0U);
  }
}

// Whoever did not choose pages wants to know all the more what the kernel gave.
TEST(Pages, EveryCaseTellsWhatItGot) {
  constexpr std::size_t bytes = std::size_t{3} << 20U;
  for (const char* test : {"ping_pong", "stream", "put_latency", "get_latency", "copy"}) {
    Case usual = make_case(test, bytes, {});
    usual.samples = 2;
    usual.warmup = 0;
    usual.queue_depth = 2;
    const Result result = run(usual, registering);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    EXPECT_GE(result.batch.pages.bytes, bytes) << test;
    EXPECT_LE(result.batch.pages.huge_bytes, result.batch.pages.bytes) << test;
  }
}

// Memory of malloc or mmap gets huge pages only where a whole one fits, as other benchmarks' does
// where they allocate much at once: nobody else may have them where these buffers do not.
TEST(Pages, UnaskedMemoryCanHaveHugeOnesWhereverTheyFit) {
  constexpr std::uintptr_t huge = std::uintptr_t{2} << 20U;
  for (const std::size_t bytes : {huge, huge + 1, 5 * huge / 2}) {
    const Region region(bytes, Pages::usual);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(region.data()) % huge, 0U);  // NOLINT
    EXPECT_EQ(region.bytes() % huge, 0U);
    EXPECT_GE(region.bytes(), bytes);
    EXPECT_LE(region.huge_bytes(), region.bytes());
  }
  const Region page(1, Pages::usual);
  EXPECT_EQ(page.bytes(), 4096U);
  EXPECT_EQ(page.huge_bytes(), 0U);
}

TEST(MessageMemory, WhatIsKeptStaysPresentForTheNextCase) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20U;
  SideMemory side;
  EXPECT_TRUE(side.empty());
  EXPECT_EQ(side.data(), nullptr);
  side.take(mebibyte, Pages::usual, true);
  std::byte* const first = side.data();
  first[mebibyte - 1] = std::byte{7};
  side.give_back();
  EXPECT_TRUE(side.empty());
  side.take(5 * mebibyte, Pages::usual, true);
  EXPECT_EQ(side.data(), first);
  EXPECT_EQ(side.data(mebibyte - 1)[0], std::byte{7});
  side.data(5 * mebibyte - 1)[0] = std::byte{8};
  side.give_back();
  side.take(8, Pages::usual, true);
  EXPECT_EQ(side.data(), first);
  EXPECT_EQ(side.bytes(), 4096U);
}

TEST(MessageMemory, ACaseThatNeedsNewMemoryHasAddressesThatNoneHadBefore) {
  SideMemory side;
  side.take(4096, Pages::usual, true);
  std::vector<const std::byte*> had{side.data()};
  for (int again = 0; again < 3; ++again) {
    side.give_back();
    side.take(4096, Pages::usual, false);
    EXPECT_EQ(std::count(had.begin(), had.end(), side.data()), 0);
    had.push_back(side.data());
  }
  side.drop();
  side.take(4096, Pages::usual, true);
  EXPECT_EQ(std::count(had.begin(), had.end(), side.data()), 0);
}

TEST(Pages, OpenedMemoryHasThePagesThatAreAskedFor) {
  for (const char* test : {"put_stream", "get_stream", "put_ping_pong"}) {
    Case small = make_case(test, std::size_t{1} << 20U, {});
    small.samples = 3;
    small.warmup = 1;
    small.pages = "small";
    const Result result = run(small, registering);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    EXPECT_GE(result.batch.pages.bytes, std::size_t{1} << 20U);
    EXPECT_EQ(result.batch.pages.huge_bytes, 0U);
  }
}

/// A library that opens memory of its own and no other, as MPI and UCX do.
class OwnMemoryLink final {
 public:
  static constexpr std::string_view name = "own";
  static constexpr std::string_view summary = "the fake one with opened memory of its own";
  static constexpr bool opens_own_memory = true;

  OwnMemoryLink(Fabric& fabric, const Bootstrap& boot) : link_(fabric, boot) {}
  [[nodiscard]] Buffer adopt(const Buffer& memory) const { return link_.adopt(memory); }
  void disown(const Buffer& memory) { link_.disown(memory); }
  void reserve(std::size_t depth, std::size_t peers) { link_.reserve(depth, peers); }
  void post_send(Peer peer, const Buffer& buffer) noexcept { link_.post_send(peer, buffer); }
  void post_recv(Peer peer, const Buffer& buffer) noexcept { link_.post_recv(peer, buffer); }
  void poll() noexcept { link_.poll(); }
  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return link_.sends_in_flight(); }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept {
    return link_.receives_in_flight();
  }
  [[nodiscard]] std::uint32_t transfers_in_flight() const noexcept {
    return link_.transfers_in_flight();
  }
  [[nodiscard]] const Fault* fault() const noexcept { return link_.fault(); }

  [[nodiscard]] Opened expose(const Buffer& memory) {
    EXPECT_EQ(memory.data, nullptr);
    return link_.expose(map_memory(memory.bytes));
  }
  void withdraw(const Buffer& local) {
    link_.withdraw(local);
    unmap_memory(local);
  }
  [[nodiscard]] static RemoteBuffer reach(int rank, std::size_t bytes, const std::string& known) {
    return Link::reach(rank, bytes, known);
  }
  [[nodiscard]] std::string memory_polling_hazard() const { return link_.memory_polling_hazard(); }
  void put(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    link_.put(peer, local, remote);
  }
  void get(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    link_.get(peer, local, remote);
  }
  void flush(Peer peer) noexcept { link_.flush(peer); }

 private:
  Link link_;
};

TEST(Pages, OfALibrarysOwnOpenedMemoryAreNotToBeChosen) {
  using OneSidedOnes = std::tuple<PutPingPong, PutStream, GetStream>;
  for (const char* test : {"put_ping_pong", "put_stream", "get_stream"}) {
    Case put = make_case(test, 1000, {"turn", 3, 100});
    const Result own = run<OneSidedOnes, OwnMemoryLink>(put, registering);
    EXPECT_EQ(own.batch.outcome.status, Status::ok) << own.batch.outcome.reason;
    EXPECT_EQ(own.batch.ticks, run(put, registering).batch.ticks);
    put.pages = "small";
    const Result chosen = run<OneSidedOnes, OwnMemoryLink>(put, registering);
    EXPECT_EQ(chosen.batch.outcome.status, Status::unsupported);
    EXPECT_NE(chosen.batch.outcome.reason.find("cannot be chosen"), std::string::npos);
  }
}

std::int64_t virtual_ns() noexcept {
  return static_cast<std::int64_t>(VirtualClock::time());
}

TEST(Connecting, TheTimeIsThatOfConnectingAndOfNothingElse) {
  Fabric fabric(1);
  FabricMeeting meeting(fabric);
  FabricBootstrap boot(meeting, fabric, 0);
  VirtualClock::time() = 77;
  EXPECT_EQ(connecting_ns<virtual_ns>(boot, [] { VirtualClock::time() += 12'345; }), 12'345);
  EXPECT_EQ(connecting_note(12'345).second, "12345");
}

/// What must be caught: a registration that is given back while its message is on its way.
struct Hasty {
  static constexpr PatternInfo info{.name = "hasty",
                                    .title = "",
                                    .summary = "",
                                    .figure = Figure::latency,
                                    .ranks = 2,
                                    .latency_divisor = 2,
                                    .bandwidth_factor = 2};
  static constexpr bool registers = true;
  template <Clock Now, class Wait, Registers T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank != 0) return true;
    const Buffer known = link.register_memory(task.out.next());
    link.post_send(Peer{1}, known);
    link.deregister_memory(known);
    return link.fault() == nullptr;
  }
};

TEST(Registration, GivingBackWhatIsBeingSentIsCaught) {
  Case test = make_case("hasty", 100, {});
  test.verify = false;
  const Result result = run<std::tuple<Hasty>>(test, registering);
  EXPECT_FALSE(result.whole);
}

}  // namespace
}  // namespace weft::fake

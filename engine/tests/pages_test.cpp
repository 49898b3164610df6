// The pages of messages' memory: those that are asked for, those the kernel gives, those kept.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "host/memory.hpp"
#include "host/pages.hpp"
#include "tests/support/fake_cases.hpp"
#include "tests/support/link_around.hpp"

namespace weft::fake {
namespace {

Case case_with(const std::string& pages, const std::string& test, std::size_t bytes,
               const Schedule& schedule = {}) {
  Case made = make_case(test, bytes, 1);
  made.pages = pages;
  made.schedule = schedule;
  made.samples = 20;
  made.warmup = 10;
  return made;
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

TEST(Pages, SmallOnesAreSmallAndHugeOnesHugeOrRefusedWithTheFix) {
  const Region small(std::size_t{5} << 20U, Pages::small);
  EXPECT_EQ(small.huge_bytes(small.bytes()), 0U);
  EXPECT_EQ(small.bytes(), 6U << 20U);
  try {
    const Region huge(std::size_t{5} << 20U, Pages::huge);
    EXPECT_EQ(huge.huge_bytes(huge.bytes()), 6U << 20U);
  } catch (const std::runtime_error& refused) {
    EXPECT_NE(std::string(refused.what()).find("vm.nr_hugepages=3"), std::string::npos);
  }
}

TEST(Pages, ACaseWithChosenPagesRunsAndTellsWhatItGot) {
  for (const char* test : {"ping_pong", "stream", "register_ping_pong"}) {
    const Result result = run(case_with("small", test, 1000, {"turn", 5, 100}), usual_costs);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    EXPECT_GE(result.batch.pages.bytes, 5U * 1000U);
    EXPECT_EQ(result.batch.pages.huge_bytes, 0U);
  }
}

// Whoever did not choose pages wants to know all the more what the kernel gave.
TEST(Pages, EveryCaseTellsWhatItGot) {
  constexpr std::size_t bytes = std::size_t{3} << 20U;
  for (const char* test : {"ping_pong", "stream", "put_latency", "get_latency", "copy"}) {
    Case usual = case_with("", test, bytes);
    usual.samples = 2;
    usual.warmup = 0;
    usual.queue_depth = 2;
    const Result result = run(usual, usual_costs);
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
    EXPECT_LE(region.huge_bytes(region.bytes()), region.bytes());
  }
  const Region page(1, Pages::usual);
  EXPECT_EQ(page.bytes(), 4096U);
  EXPECT_EQ(page.huge_bytes(page.bytes()), 0U);
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

/// Addresses that this process has mapped, bytes.
std::uint64_t mapped_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Mappings of this process: the kernel allows 65,530.
std::ptrdiff_t mappings() {
  std::ifstream maps("/proc/self/maps");
  return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
}

TEST(MessageMemory, LeavesNoMappingAndFewAddressesBehind) {
  const auto life = [] {
    SideMemory side;
    side.take(4096, Pages::usual, true);
    side.take(std::size_t{3} << 20U, Pages::small, false);
    unmap_memory(map_memory(10'000));
  };
  life();
  const std::ptrdiff_t before = mappings();
  const std::uint64_t bytes_before = mapped_bytes();
  for (int count = 0; count < 300; ++count) {
    // Two lives that overlap: what the first one leaves is not the end of what was taken last.
    SideMemory other;
    other.take(4096, Pages::usual, true);
    life();
  }
  EXPECT_LE(mappings(), before + 2);
  EXPECT_LT(mapped_bytes(), bytes_before + (std::uint64_t{1} << 40U));
}

TEST(MessageMemory, GrowsInPlaceAndBeyondItTakesNewAddresses) {
  SideMemory side;
  side.take(4096, Pages::usual, true);
  const std::byte* const first = side.data();
  side.give_back();
  side.take(std::size_t{60} << 20U, Pages::usual, true);
  EXPECT_EQ(side.data(), first);
  side.give_back();
  side.take(std::size_t{100} << 20U, Pages::usual, true);
  EXPECT_NE(side.data(), first);
  side.data()[(std::size_t{100} << 20U) - 1] = std::byte{1};
}

TEST(Pages, OpenedMemoryHasThePagesThatAreAskedFor) {
  for (const char* test : {"put_stream", "get_stream", "put_ping_pong"}) {
    Case small = case_with("small", test, std::size_t{1} << 20U);
    small.samples = 3;
    small.warmup = 1;
    const Result result = run(small, usual_costs);
    ASSERT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
    EXPECT_GE(result.batch.pages.bytes, std::size_t{1} << 20U);
    EXPECT_EQ(result.batch.pages.huge_bytes, 0U);
  }
}

/// A library that opens memory of its own and no other, as MPI and UCX do.
class OwnMemoryLink final : public LinkAround {
 public:
  static constexpr bool opens_own_memory = true;

  using LinkAround::LinkAround;
  [[nodiscard]] Opened expose(const Buffer& memory) {
    EXPECT_EQ(memory.data, nullptr);
    return LinkAround::expose(map_memory(memory.bytes));
  }
  void withdraw(const Buffer& local) {
    LinkAround::withdraw(local);
    unmap_memory(local);
  }
};

TEST(Pages, OfALibrarysOwnOpenedMemoryAreNotToBeChosen) {
  using OneSidedOnes = std::tuple<PutPingPong, PutStream, GetStream>;
  for (const char* test : {"put_ping_pong", "put_stream", "get_stream"}) {
    Case put = case_with("", test, 1000, {"turn", 3, 100});
    const Result own = run<OneSidedOnes, OwnMemoryLink>(put, usual_costs);
    EXPECT_EQ(own.batch.outcome.status, Status::ok) << own.batch.outcome.reason;
    EXPECT_EQ(own.batch.ticks, run(put, usual_costs).batch.ticks);
    put.pages = "small";
    const Result chosen = run<OneSidedOnes, OwnMemoryLink>(put, usual_costs);
    EXPECT_EQ(chosen.batch.outcome.status, Status::unsupported);
    EXPECT_NE(chosen.batch.outcome.reason.find("cannot be chosen"), std::string::npos);
  }
}

}  // namespace
}  // namespace weft::fake

// What a measured loop says of its link: that it went to its end, or that the link broke, wherever
// a message is lost and everybody waits for it without end, or the link itself has a fault.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "run/link_control.hpp"
#include "tests/support/engine_patterns.hpp"
#include "tests/support/fake_cases.hpp"

namespace weft::fake {
namespace {

/// A loop and the link that it runs over, and how often its word was not that of the link.
struct Watch {
  Link* link = nullptr;
  bool (*run)(void* link, Task& task) noexcept = nullptr;
  std::atomic<int>* wrong = nullptr;
};

bool watched(void* both, Task& task) noexcept {
  const Watch& one = *static_cast<const Watch*>(both);
  const bool is_whole = one.run(one.link, task);
  if (is_whole != (one.link->fault() == nullptr)) ++*one.wrong;
  return is_whole;
}

/// The link of a rank, whose loops are given what watches them.
class WatchedControl final : public LinkControl {
 public:
  WatchedControl(Link& link, Watch watch) : own_(link), watch_(watch) {}

  void* link() override { return &watch_; }
  [[nodiscard]] const Fault* fault() const override { return own_.fault(); }
  [[nodiscard]] std::string refusal(std::size_t bytes, std::size_t depth) const override {
    return own_.refusal(bytes, depth);
  }
  [[nodiscard]] std::string refuse_peers(std::size_t depth,
                                         std::span<const int> ranks) const override {
    return own_.refuse_peers(depth, ranks);
  }
  [[nodiscard]] std::string memory_polling_hazard() const override {
    return own_.memory_polling_hazard();
  }
  [[nodiscard]] Carried carry(bool whole) override { return own_.carry(whole); }
  void reserve(std::size_t depth, std::span<const int> ranks) override {
    own_.reserve(depth, ranks);
  }
  [[nodiscard]] bool adopts_at_once() const override { return own_.adopts_at_once(); }
  Buffer adopt(const Buffer& memory) override { return own_.adopt(memory); }
  void disown(const Buffer& buffer) override { own_.disown(buffer); }
  [[nodiscard]] bool opens_own_memory() const override { return own_.opens_own_memory(); }
  Opened expose(const Buffer& memory) override { return own_.expose(memory); }
  void withdraw(const Buffer& local) override { own_.withdraw(local); }
  RemoteBuffer reach(int rank, std::size_t bytes, const std::string& name) override {
    return own_.reach(rank, bytes, name);
  }
  void leave(const RemoteBuffer& remote) override { own_.leave(remote); }
  bool swap_control_messages(std::span<const int> ranks, std::span<const Buffer> messages,
                             bool sleeps) override {
    return own_.swap_control_messages(ranks, messages, sleeps);
  }

 private:
  ControlOf<Link> own_;
  Watch watch_;
};

struct Seen {
  bool is_whole = true;
  int wrong = 0;
};

/// A case on all ranks, of which one loses a message or its link.
Seen seen(const Case& spec, const Mischief& mischief, int ranks, const PatternOn& pattern) {
  Fabric fabric(ranks);
  fabric.costs = usual_costs;
  fabric.mischief = mischief;
  FabricMeeting meeting(fabric);
  std::atomic<int> wrong{0};
  std::atomic<bool> is_whole{true};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      FabricBootstrap boot(meeting, fabric, rank);
      Link link(fabric, boot);
      MessageMemory memory;
      Batch batch;
      Whole answer(batch);
      WatchedControl control(link, {&link, pattern.loops.front().run, &wrong});
      std::vector<PatternOn> instead{pattern};
      instead.front().loops.front().run = watched;
      bool own = false;
      try {
        own = run_case_on(control, boot, memory, instead, spec, 1.0, batch, answer);
      } catch (const std::runtime_error& /*gone*/) {
        own = false;
      }
      if (!own) {
        is_whole = false;
        meeting.abandon();
      }
      fabric.set_idle(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return {is_whole, wrong};
}

Case small_case(const PatternInfo& info) {
  Case spec = make_case(std::string(info.name), 40, 3);
  spec.samples = 2;
  spec.queue_depth = 2;
  spec.most_checked = 2;
  if (info.name == "shift") spec.point = 1;
  if (info.every_operation) {
    spec.point = 50;
    spec.ops_per_sample = 1;
  }
  if (info.axis.name == "work") spec.point = 100;
  if (info.lattice.dimensions > 0) spec.lattice.sums = 1;
  if (info.name == "milc") {
    spec.lattice.extents = {4, 4, 4, 4};
    spec.lattice.dimensions = 4;
    spec.bytes = 36;
    spec.samples = spec.warmup = spec.ops_per_sample = 1;
  }
  return spec;
}

int ranks_of(const PatternOn& one) {
  return one.info.name == "sendrecv" ? 3 : 2;
}

// The solver's messages are many, of what is of all ranks together none is the fabric's, and gets
// read memory of a rank that may be gone.
std::vector<PatternOn> watched_patterns() {
  const std::set<std::string_view> others{"milc", "copy", "registration"};
  std::vector<PatternOn> all = engine_patterns();
  std::erase_if(all, [&](const PatternOn& one) {
    return others.contains(one.info.name) || one.is_collective || one.opens == Opens::outgoing;
  });
  return all;
}

class BrokenLinks : public testing::TestWithParam<PatternOn> {};

TEST_P(BrokenLinks, AreSeenByTheLoopWhereverAMessageIsLost) {
  const PatternOn& one = GetParam();
  int broken = 0;
  for (int rank = 0; rank < 2; ++rank) {
    for (std::size_t message = 0; message < 60; ++message) {
      const Mischief lost{.rank = rank, .message = message, .drop = true};
      const Seen found = seen(small_case(one.info), lost, ranks_of(one), one);
      EXPECT_EQ(found.wrong, 0) << rank << ' ' << message;
      if (found.is_whole) break;
      ++broken;
    }
  }
  EXPECT_GT(broken, 3);
}

/// All whose ranks send: of a link with a fault a get ends too.
std::vector<PatternOn> breaking_patterns() {
  std::vector<PatternOn> all = engine_patterns();
  std::erase_if(all, [&](const PatternOn& one) {
    return one.info.name == "copy" || one.info.name == "registration" || one.is_collective;
  });
  return all;
}

/// A case in which a rank's link has a fault from one of its messages on.
Seen seen_breaking(const PatternOn& one, int rank, std::size_t message) {
  const Mischief fault{.rank = rank, .message = message, .breaks = true};
  const Seen found = seen(small_case(one.info), fault, ranks_of(one), one);
  EXPECT_EQ(found.wrong, 0) << rank << ' ' << message;
  return found;
}

/// How many messages a rank has, of more than `least`.
std::size_t messages_of(const PatternOn& one, int rank, std::size_t least) {
  std::size_t most = least;
  while (!seen_breaking(one, rank, most).is_whole) most *= 2;
  for (least = most / 2; least + 1 < most;) {
    const std::size_t middle = (least + most) / 2;
    (seen_breaking(one, rank, middle).is_whole ? most : least) = middle;
  }
  return most;
}

class BreakingLinks : public testing::TestWithParam<PatternOn> {};

TEST_P(BreakingLinks, AreSeenByTheLoopWhereverOneBreaks) {
  constexpr std::size_t most = 40;
  const PatternOn& one = GetParam();
  // A rank whose memory others read has nothing of its own that could break.
  for (int rank = 0; rank < (one.opens == Opens::outgoing ? 1 : 2); ++rank) {
    std::size_t message = 0;
    while (message < most && !seen_breaking(one, rank, message).is_whole) ++message;
    EXPECT_GT(message, 1U);
    if (message < most) continue;
    // The timed pass is the last one, and its messages are many or few.
    const std::size_t all = messages_of(one, rank, most);
    for (std::size_t last = std::min(all - most, most); last > 0; --last) {
      EXPECT_FALSE(seen_breaking(one, rank, all - last).is_whole);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BreakingLinks, testing::ValuesIn(breaking_patterns()),
                         [](const auto& one) { return std::string(one.param.info.name); });

INSTANTIATE_TEST_SUITE_P(All, BrokenLinks, testing::ValuesIn(watched_patterns()),
                         [](const auto& one) { return std::string(one.param.info.name); });

}  // namespace
}  // namespace weft::fake

// A fabric in virtual time, for tests whose answer is known: two or more ranks are threads, and
// every message takes exactly what the script says.
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "patterns/all.hpp"
#include "run/batch_line.hpp"
#include "run/describe.hpp"
#include "run/run_case.hpp"
#include "tests/support/fake_link.hpp"
#include "tests/support/thread_bootstrap.hpp"

namespace weft::fake {

/// Ranks that are threads and idle as long as they wait for each other outside the fabric.
class FabricBootstrap final : public ThreadBootstrap {
 public:
  FabricBootstrap(Meeting& meeting, Fabric& fabric, int rank)
      : ThreadBootstrap(meeting, rank), fabric_(&fabric) {}

 private:
  void before_meeting() override { fabric_->set_idle(rank()); }

  Fabric* fabric_;
};

/// A meeting of all the ranks of a fabric.
struct FabricMeeting : Meeting {
  explicit FabricMeeting(Fabric& fabric) : Meeting(fabric.size) {
    once_all_came = [&fabric](const auto& /*texts*/) { fabric.wake_all(); };
  }
};

/// Puts an answer together to a batch with all its parts.
class Whole final : public Answer {
 public:
  explicit Whole(Batch& batch) : batch_(&batch) {}
  void begin(const Batch& /*batch*/) override { batch_->parts.clear(); }
  void begin_part(const std::string& name) override { batch_->parts.push_back({name, {}}); }
  void values(std::span<const Ticks> ticks) override {
    std::vector<Ticks>& all = batch_->parts.back().ticks;
    all.insert(all.end(), ticks.begin(), ticks.end());
  }
  void over_ranks(const OverRanks& /*found*/) override {}
  void end(const Batch& /*batch*/) override {}

 private:
  Batch* batch_;
};

struct Result {
  bool whole = false;
  Batch batch;
  /// When the last rank ended.
  Ticks elapsed = 0;
  /// By length: messages of any rank that arrived before their receive was posted.
  std::map<std::size_t, std::size_t> unexpected = {};
  /// How often all ranks met.
  int meetings = 0;
};

/// Run one case on all ranks; rank 0's result. `Patterns` may hold planted ones, and `Own` be a
/// link of a test's own, and `Now` a clock.
template <class Patterns = AllPatterns, class Own = Link, Clock Now = VirtualClock>
Result run(const Case& spec, const Costs& costs, const Mischief& mischief = {}, int ranks = 2,
           const std::map<int, Costs>& unlike = {}) {
  Fabric fabric(ranks);
  fabric.costs = costs;
  fabric.unlike = unlike;
  fabric.mischief = mischief;
  FabricMeeting meeting(fabric);
  Result result;
  std::vector<Ticks> ends(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      FabricBootstrap boot(meeting, fabric, rank);
      Own link(fabric, boot);
      MessageMemory memory;
      Batch batch;
      Whole answer(batch);
      bool whole = false;
      try {
        whole = run_case<Own, Now>(link, boot, memory, spec, batch, answer, 1.0,
                                   static_cast<Patterns*>(nullptr));
      } catch (const std::runtime_error& error) {
        batch.outcome = {Status::failed, error.what(), 0};
      }
      if (!whole) meeting.abandon();
      fabric.set_idle(rank);
      ends[static_cast<std::size_t>(rank)] = VirtualClock::time();
      if (rank == 0) result = {whole, batch, 0, {}, 0};
    });
  }
  for (std::thread& thread : threads) thread.join();
  result.elapsed = *std::max_element(ends.begin(), ends.end());
  result.unexpected = fabric.unexpected;
  result.meetings = meeting.times();
  return result;
}

// The engine's own patterns are compiled once for all tests: they take a minute.
extern template Result run<AllPatterns, Link>(const Case& spec, const Costs& costs,
                                              const Mischief& mischief, int ranks,
                                              const std::map<int, Costs>& unlike);

}  // namespace weft::fake

// Cases on several scripted links that are used as one.
#pragma once

#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/fake_cases.hpp"
#include "transports/rails/rails.hpp"

namespace weft::fake {

inline constexpr std::size_t rails_threshold = 256;

/// Rank 0's results of cases in a row over one link for each of the costs, up to the first that
/// breaks the links.
template <class Sharing, class One = Link, class Patterns = AllPatterns>
std::vector<Result> run_on_rails(const std::vector<Case>& tests, const std::vector<Costs>& costs,
                                 const Mischief& mischief = {}) {
  constexpr int ranks = 2;
  std::deque<Fabric> fabrics;
  for (const Costs& rail : costs) {
    Fabric& fabric = fabrics.emplace_back(ranks);
    fabric.costs = rail;
    fabric.polls_wait = false;
  }
  fabrics.back().mischief = mischief;
  FabricMeeting meeting(fabrics.front());
  std::vector<Result> results;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      FabricBootstrap boot(meeting, fabrics.front(), rank);
      std::vector<std::unique_ptr<One>> links;
      for (Fabric& fabric : fabrics) links.push_back(std::make_unique<One>(fabric, boot));
      using Together = Rails<One, Sharing>;
      Together rails(std::move(links), rails_threshold, boot);
      MessageMemory memory;
      bool whole = true;
      for (const Case& spec : tests) {
        Batch batch;
        Whole answer(batch);
        try {
          whole = run_case<Together, VirtualClock>(rails, boot, memory, spec, batch, answer, 1.0,
                                                   static_cast<Patterns*>(nullptr));
        } catch (const std::runtime_error& error) {
          batch.outcome = {Status::failed, error.what(), 0};
          whole = false;
        }
        if (rank == 0) results.push_back({whole, batch, VirtualClock::time()});
        if (!whole) break;
      }
      for (Fabric& fabric : fabrics) {
        const std::scoped_lock hold(fabric.lock);
        fabric.dead = fabric.dead || !whole;
      }
      if (!whole) meeting.abandon();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

}  // namespace weft::fake

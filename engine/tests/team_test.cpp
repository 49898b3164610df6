// Threads that do the parts of a step together, and one that never comes back.
#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <atomic>

#include "host/deadline.hpp"
#include "host/team.hpp"

namespace weft {
namespace {

struct CountsSteps {
  std::array<std::atomic<int>, 4>* steps;
  void operator()(std::size_t member) const noexcept { ++steps->at(member); }
};

TEST(Team, EachMemberDoesItsPartOfEachStepOnce) {
  for (const std::size_t others : {0U, 1U, 3U}) {
    std::array<std::atomic<int>, 4> steps{};
    Team<CountsSteps> team(std::vector<int>(others, sched_getcpu()), CountsSteps{&steps});
    for (int step = 1; step <= 50; ++step) {
      team.together();
      for (std::size_t member = 0; member <= others; ++member) EXPECT_EQ(steps.at(member), step);
    }
  }
}

TEST(Team, ACpuThatIsNotThereIsRefusedAndNoThreadIsLeft) {
  std::array<std::atomic<int>, 4> steps{};
  const std::array<int, 2> cpus{sched_getcpu(), CPU_SETSIZE - 1};
  try {
    const Team<CountsSteps> team(cpus, CountsSteps{&steps});
    FAIL() << "bound to CPU " << cpus[1];
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("omit --threads"), std::string::npos);
  }
}

struct NeverComesBack {
  std::atomic<bool>* goes_on;
  void operator()(std::size_t member) const noexcept {
    while (member == 1 && goes_on->load()) {
    }
  }
};

void wait_for_who_never_comes() {
  std::atomic<bool> goes_on{true};
  Team<NeverComesBack> team(std::array{sched_getcpu()}, NeverComesBack{&goes_on});
  const Deadline deadline(1);
  team.together();
}

TEST(TeamDeathTest, AMemberThatNeverComesBackEndsTheProcessWithTheDeadline) {
  EXPECT_EXIT(wait_for_who_never_comes(), testing::ExitedWithCode(exit_link_fault),
              "did not end within its deadline.*a thread of --threads stands still");
}

}  // namespace
}  // namespace weft

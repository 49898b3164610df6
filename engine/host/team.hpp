// Threads of a rank that do the parts of a step together with its main one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

namespace weft {

/// Keeps a thread on a CPU. Throws std::runtime_error.
void bind_to(std::thread::native_handle_type thread, int cpu);

/// One thread for each of the CPUs, beside the one that makes it, which is member 0; they end with
/// it. `work(member)` is what each does in a step. Between steps they look for the next one all the
/// time, and in a step all look for the last: what waits for too long ends with the deadline of the
/// case (host/deadline.hpp). Nothing is allocated and no pointer is called once it is made.
template <class Work>
class Team {
 public:
  /// Throws std::runtime_error or std::system_error; then no thread is left.
  Team(std::span<const int> cpus, const Work& work) : work_(work), finished_(cpus.size()) {
    try {
      for (const int cpu : cpus) {
        threads_.emplace_back([this, member = threads_.size() + 1] { serve(member); });
        bind_to(threads_.back().native_handle(), cpu);
      }
    } catch (...) {
      end();
      throw;
    }
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  Team(Team&&) = delete;
  Team& operator=(Team&&) = delete;
  ~Team() { end(); }

  [[nodiscard]] std::size_t size() const noexcept { return threads_.size() + 1; }
  /// The others begin their parts; the caller does its own, and then waits for them.
  void start() noexcept {
    if (!threads_.empty()) begun_.value.store(++steps_, std::memory_order_release);
  }
  void join() const noexcept {
    for (const Counter& one : finished_) await(one, steps_);
  }
  void together() noexcept {
    start();
    work_(0);
    join();
  }

 private:
  // In a line of its own: each is written by one thread and read by another.
  struct alignas(64) Counter {
    std::atomic<std::uint32_t> value{0};
  };

  static void await(const Counter& counter, std::uint32_t step) noexcept {
    constexpr std::uint32_t polls = 1U << 12U;
    for (std::uint32_t poll = 1; counter.value.load(std::memory_order_acquire) != step; ++poll) {
      // Where others want this CPU too, one of them may be who is waited for.
      if (poll % polls == 0) std::this_thread::yield();
    }
  }
  void serve(std::size_t member) noexcept {
    for (std::uint32_t step = 1;; ++step) {
      await(begun_, step);
      if (ends_) return;
      work_(member);
      finished_[member - 1].value.store(step, std::memory_order_release);
    }
  }
  void end() noexcept {
    ends_ = true;
    start();
    for (std::thread& one : threads_) one.join();
  }

  Counter begun_;
  Work work_;
  std::vector<Counter> finished_;
  std::vector<std::thread> threads_;
  std::uint32_t steps_ = 0;
  /// Written before the last step begins.
  bool ends_ = false;
};

}  // namespace weft

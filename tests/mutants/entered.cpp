// Which functions each test enters and what it computes, for drawn mutants (entered.py): linked to
// tests that are compiled with -finstrument-functions. It writes a line a test into the file that
// WEFT_ENTERED names: the test, the milliseconds of the processor, and how far each function is
// from weft_entered_from. What is entered before the first test has a line without a name.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

extern "C" void weft_entered_from() {}

namespace {

// Far more than there are functions: each stands at its address or at the next place that is free.
constexpr std::size_t places = std::size_t{1} << 17U;
std::array<std::atomic<void*>, places> entered;

void note(void* function) {
  auto at = (reinterpret_cast<std::uintptr_t>(function) >> 2U) % places;
  for (;; at = (at + 1) % places) {
    void* there = entered.at(at).load(std::memory_order_relaxed);
    if (there == function) return;
    if (there == nullptr && entered.at(at).compare_exchange_strong(there, function)) return;
    if (there == function) return;
  }
}

class Writer : public testing::EmptyTestEventListener {
 public:
  explicit Writer(const char* path) : told_(path) {}

 private:
  void OnTestProgramStart(const testing::UnitTest& /*all*/) override { tell("-"); }
  void OnTestEnd(const testing::TestInfo& test) override {
    tell(std::string(test.test_suite_name()) + "." + test.name());
  }

  // What a suite sets up is the next test's.
  void tell(const std::string& name) {
    const std::clock_t now = std::clock();
    told_ << name << ' ' << (now - before_) * 1000 / CLOCKS_PER_SEC;
    const auto from = reinterpret_cast<std::intptr_t>(&weft_entered_from);
    for (auto& one : entered)
      if (void* function = one.exchange(nullptr))
        told_ << ' ' << reinterpret_cast<std::intptr_t>(function) - from;
    told_ << std::endl;
    before_ = now;
  }

  std::ofstream told_;
  std::clock_t before_ = std::clock();
};

const bool is_listening = [] {
  if (const char* path = std::getenv("WEFT_ENTERED"))
    testing::UnitTest::GetInstance()->listeners().Append(new Writer(path));
  return true;
}();

}  // namespace

extern "C" void __cyg_profile_func_enter(void* function, void* /*from*/) {
  note(function);
}
extern "C" void __cyg_profile_func_exit(void* /*function*/, void* /*from*/) {}

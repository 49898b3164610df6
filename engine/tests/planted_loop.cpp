// A measured loop with an indirect call and an allocation planted in it, for the disassembly test.
#include <memory>
#include <vector>

#include "contract/task.hpp"
#include "host/clock.hpp"
#include "patterns/ping_pong.hpp"

namespace weft {

class Hook {
 public:
  Hook() = default;
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;
  Hook(Hook&&) = delete;
  Hook& operator=(Hook&&) = delete;
  virtual ~Hook() = default;
  virtual void touch(const Buffer& buffer) noexcept = 0;
};

class Planted final {
 public:
  static constexpr std::string_view name = "planted";
  static constexpr std::string_view summary = "a transport that breaks the rules";
  explicit Planted(Hook& hook) : hook_(&hook) {}
  [[nodiscard]] static Buffer adopt(const Buffer& memory) { return memory; }
  void disown(const Buffer& /*buffer*/) const {}
  void reserve(std::size_t /*depth*/, std::span<const int> /*ranks*/) {}
  void post_send(Peer /*peer*/, const Buffer& buffer) noexcept { hook_->touch(buffer); }
  void post_recv(Peer /*peer*/, const Buffer& buffer) noexcept { posted_.push_back(buffer); }
  void poll() noexcept { posted_.clear(); }
  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return 0; }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept {
    return static_cast<std::uint32_t>(posted_.size());
  }
  [[nodiscard]] const Fault* fault() const noexcept { return nullptr; }

 private:
  Hook* hook_;
  std::vector<Buffer> posted_;
};

class Count final : public Hook {
 public:
  void touch(const Buffer& /*buffer*/) noexcept override { ++touched_; }
  [[nodiscard]] int touched() const { return touched_; }

 private:
  int touched_ = 0;
};

/// Compute loops as they must not be: the compiler may leave out the one, the other uses memory.
[[gnu::noinline]] void compute_nothing(std::uint64_t rounds) noexcept {
  std::uint64_t value = 1;
  for (; rounds > 0; --rounds) value ^= value << 13U;
  if (rounds != 0) asm volatile("" : "+r"(value));
}
[[gnu::noinline]] void compute_in_memory(std::uint64_t rounds) noexcept {
  volatile std::uint64_t value = 1;
  for (; rounds > 0; --rounds) value = value ^ value << 13U ^ value >> 7U ^ value << 17U;
}

}  // namespace weft

int main() {
  weft::compute_nothing(1);
  weft::compute_in_memory(1);
  const std::unique_ptr<weft::Hook> hook = std::make_unique<weft::Count>();
  weft::Planted link(*hook);
  weft::Task task;
  return weft::measured_loop<weft::PingPong, weft::CycleCounter, weft::SpinOnCompletions>(link,
                                                                                          task)
             ? 0
             : 1;
}

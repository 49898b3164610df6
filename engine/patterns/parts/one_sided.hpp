// What the one-sided patterns share: waiting for memory, standing by, a stream of transfers.
#pragma once

#include <atomic>
#include <cstddef>

#include "contract/task.hpp"
#include "patterns/parts/send_window.hpp"

namespace weft {

/// Marks of successive messages, 1 to the period and again: never 0, never twice in a row.
class Marks {
 public:
  explicit Marks(std::uint8_t period) noexcept : period_(period) {}
  std::byte next() noexcept {
    at_ = at_ == period_ ? std::uint8_t{1} : static_cast<std::uint8_t>(at_ + 1);
    return std::byte{at_};
  }

 private:
  std::uint8_t period_;
  std::uint8_t at_ = 0;
};

/// Whether puts reach memory without the target's help. Where they do, a target that polls memory
/// asks the link only now and then, for faults.
template <class T>
constexpr bool puts_need_the_target() {
  if constexpr (requires { T::puts_need_the_target; }) return T::puts_need_the_target;
  return true;
}

/// Wait until the last byte of a buffer bears a mark. False once the link has a fault.
template <OneSided T>
[[nodiscard]] bool await_mark(T& link, const Buffer& buffer, std::byte mark) noexcept {
  constexpr std::uint32_t polls = puts_need_the_target<T>() ? 1 : 1024;
  const std::atomic_ref<std::byte> last(buffer.data[buffer.bytes - 1]);
  while (true) {
    for (std::uint32_t poll = 0; poll < polls; ++poll) {
      if (last.load(std::memory_order_acquire) == mark) return true;
    }
    link.poll();
    if (link.fault() != nullptr) return false;
  }
}

/// Rank 0 tells rank 1, which only stood by, that all is done.
template <class Wait, TwoSided T>
[[nodiscard]] bool dismiss(T& link, Task& task) noexcept {
  link.post_send(Peer{1}, task.control_out);
  return drain<Wait>(link);
}

/// Rank 1 where only rank 0 acts: it helps the link along until rank 0 has done. Where it need not
/// help it sleeps: one that spins takes a core from whatever else works there.
template <class Wait, TwoSided T>
[[nodiscard]] bool stand_by(T& link, Task& task) noexcept {
  link.post_recv(Peer{0}, task.control_in.next());
  if constexpr (!puts_need_the_target<T>() && Waiting<BlockOnEvent, T>) {
    return drain<BlockOnEvent>(link);
  } else {
    return drain<Wait>(link);
  }
}

/// Rank 1 where rank 0 puts: as `stand_by`, and the buffers count as used in their order.
template <class Wait, TwoSided T>
[[nodiscard]] bool take_puts(T& link, Task& task) noexcept {
  for (std::size_t message = messages_of(task); message > 0; --message) (void)task.in.next();
  return stand_by<Wait>(link, task);
}

/// `ops_per_sample` transfers with Q in flight; the last Q may still be when it returns.
template <class Wait, OneSided T, class Begin, class Probe>
[[nodiscard]] bool transfer_stream(T& link, const Task& task, const Begin& begin,
                                   const Probe& probe) noexcept {
  return keep_full(
      SendWindow(task.ops_per_sample, task.queue_depth),
      [&](std::uint32_t count) {
        for (; count > 0; --count) begin();
      },
      [&](std::uint32_t most) { return settle_transfers<Wait>(link, most); },
      [&] { probe(link, [&] { return link.transfers_in_flight(); }); }, nothing_more);
}

}  // namespace weft

// One batch: buffers made and filled, an untimed pass with every message checked, the timed run,
// its buffers checked, and a closing message that shows whether one was lost or came twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bootstrap.hpp"
#include "case.hpp"
#include "clock.hpp"
#include "memory.hpp"
#include "schedule.hpp"
#include "slots.hpp"
#include "work.hpp"

namespace weft {

template <class P>
concept Streams = P::streams;

template <class P>
concept EveryRank = P::every_rank;

template <class P>
concept PollsMemory = P::polls_memory;

/// A pattern that registers what it sends: its messages lie in memory that is not registered.
template <class P>
concept RegistersItself = P::registers;

template <class P>
constexpr Window window_of() {
  if constexpr (requires { P::window; }) return P::window;
  return Window::none;
}

/// The names of the series that a pattern fills beside its samples.
template <class P>
constexpr std::span<const std::string_view> parts_of() {
  if constexpr (requires { P::parts; }) return P::parts;
  return {};
}

/// Whether the samples of every rank are wanted and not rank 0's alone.
template <class P>
constexpr bool every_rank_times() {
  if constexpr (requires { P::every_rank_times; }) return P::every_rank_times;
  return false;
}

/// Messages each way that one operation sends at most, and those before the first operation: the
/// checked pass has a buffer for each.
template <class P>
constexpr std::uint32_t messages_per_operation() {
  if constexpr (requires { P::messages_per_operation; }) return P::messages_per_operation;
  return 1;
}
template <class P>
constexpr std::uint32_t messages_before() {
  if constexpr (requires { P::messages_before; }) return P::messages_before;
  return 0;
}

template <class P, class T, class Now, class Wait>
concept RunsOn = requires(T& link, Work& work) {
  { P::template run<Now, Wait>(link, work) }
  noexcept->std::same_as<bool>;
};

/// Where a pattern's messages lie and where they arrive.
template <class Pattern, TwoSided T>
struct Sets {
  template <bool exposed, bool raw>
  static auto choose() {
    if constexpr (exposed) {
      return std::type_identity<ExposedSlots<T>>{};
    } else if constexpr (raw) {
      return std::type_identity<RawSlots<T>>{};
    } else {
      return std::type_identity<Slots<T>>{};
    }
  }
  using Out = typename decltype(choose<window_of<Pattern>() == Window::outgoing,
                                       RegistersItself<Pattern>>())::type;
  using In = typename decltype(choose<window_of<Pattern>() == Window::incoming, false>())::type;

  Sets(T& link, std::size_t count, std::size_t bytes)
      : out(link, count, bytes), in(link, count, bytes) {}

  /// The peer's end of a one-sided pattern.
  [[nodiscard]] std::vector<RemoteBuffer> remote(int rank) const {
    if constexpr (window_of<Pattern>() == Window::outgoing) return out.of_rank(rank);
    if constexpr (window_of<Pattern>() == Window::incoming) return in.of_rank(rank);
    return {};
  }

  Out out;
  In in;
};

/// Marks of messages in one buffer must differ from one use to the next: the longest period up to
/// 255 that no distance between two uses of a slot is a multiple of.
std::uint8_t mark_period_of(const std::vector<std::uint32_t>& order);

/// Who takes part, and where this rank's messages come from.
struct Neighbours {
  int rank;
  int size;
  [[nodiscard]] bool takes_part() const { return rank < size; }
  [[nodiscard]] int left() const { return (rank + size - 1) % size; }
  [[nodiscard]] int right() const { return (rank + 1) % size; }
};

inline constexpr std::size_t token_bytes = 32;

/// How many sends, and as many receives, a case may have under way at once to one peer.
inline std::size_t room_for(const Case& test) {
  return std::size_t{2} * test.queue_depth + 8;
}

/// Content numbers of the messages that are no part of the measured stream.
inline constexpr std::uint64_t closing_message = 1ULL << 62U;
inline constexpr std::uint64_t timed_message = 1ULL << 61U;

/// Compare a received buffer with what its sender put there.
inline void check(Outcome& outcome, const Buffer& buffer, const Content& content,
                  const std::string& what, std::size_t unchecked_tail = 0) {
  const std::size_t bytes = buffer.bytes - unchecked_tail;
  outcome.verified_bytes += bytes;
  const auto offset = first_difference({buffer.data, bytes}, content);
  if (!offset || outcome.status != Status::ok) return;
  outcome.status = Status::failed;
  outcome.reason = "wrong byte at offset " + std::to_string(*offset) + " of " +
                   std::to_string(buffer.bytes) + " in " + what + " from rank " +
                   std::to_string(content.rank);
}

/// A batch over one link. `Now` is the clock the pattern reads, `Wait` how it waits.
template <class Pattern, Clock Now, class Wait, TwoSided T>
class BatchRun {
 public:
  BatchRun(T& link, Bootstrap& boot, const Case& test)
      : link_(&link),
        boot_(&boot),
        test_(&test),
        ring_{boot.rank(), EveryRank<Pattern> ? boot.size() : Pattern::info.ranks} {}

  /// False once the link has a fault: the ranks may be out of step. `report` gets what this rank
  /// has to tell rank 0.
  bool run(Batch& batch, Report& report) {
    link_->reserve(room_for(*test_));
    batch.warmup = test_->warmup;
    batch.ops_per_sample = operations();
    if (samples_within(make_order(test_->schedule, test_->seed)) == 0) {
      report.outcome = {Status::unsupported,
                        "a sample has more messages than there are buffers to be used once; ask "
                        "for more of them, or for a shorter queue (--queue-depth)",
                        0};
      return true;
    }
    if (test_->verify && !every_message(report.outcome)) return false;
    boot_->barrier();
    return timed(batch, report) && (!ring_.takes_part() || closing(report.outcome));
  }

 private:
  using Order = std::vector<std::uint32_t>;

  [[nodiscard]] std::uint32_t operations() const {
    return stream_operations(test_->ops_per_sample, test_->queue_depth);
  }

  // A stream posts Q at first and Q/2 at a time then, so its length is a multiple of Q/2 from Q on.
  static std::uint32_t stream_operations(std::uint32_t asked, std::uint32_t queue_depth) {
    if constexpr (Streams<Pattern>) {
      const std::uint32_t refill = refill_of(queue_depth);
      const std::uint32_t least = std::max(asked, queue_depth);
      return (least + refill - 1) / refill * refill;
    } else {
      return asked;
    }
  }

  /// Untimed: each message has a content and a buffer of its own, and each is checked.
  bool every_message(Outcome& outcome) {
    constexpr std::size_t most_bytes = std::size_t{16} << 20U;
    const std::size_t fits = most_bytes / std::max<std::size_t>(test_->bytes, 1);
    const auto messages = static_cast<std::uint32_t>(std::clamp<std::size_t>(fits, 4, 256));
    const std::uint32_t depth = std::min(test_->queue_depth, messages / 2);
    constexpr std::uint32_t each = messages_per_operation<Pattern>();
    const std::uint32_t operations =
        stream_operations(std::max<std::uint32_t>(messages / each, 1), depth);
    Order order(operations * each + messages_before<Pattern>() + 2);
    for (std::uint32_t slot = 0; slot < order.size(); ++slot) order[slot] = slot;
    Work pass;
    pass.ops_per_sample = operations;
    pass.queue_depth = depth;
    pass.point = test_->point;
    std::array<Ticks, 1 + most_parts> ignored{};
    pass.samples = {ignored.data(), 1};
    for (std::size_t at = 0; at < most_parts; ++at) pass.parts.at(at) = {&ignored.at(1 + at), 1};
    return one_pass(outcome, order, pass, 0, "message ");
  }

  bool timed(Batch& batch, Report& report) {
    Work pass;
    pass.point = test_->point;
    pass.ops_per_sample = operations();
    pass.queue_depth = test_->queue_depth;
    const Order order = make_order(test_->schedule, test_->seed);
    const std::size_t samples = samples_within(order);
    const std::size_t asked = std::size_t{test_->warmup} + test_->samples;
    // The warm-up takes buffers that were never used before too; where they are few it is shorter.
    if (samples < asked)
      batch.warmup = std::min(batch.warmup, static_cast<std::uint32_t>(samples / 2));
    if (ring_.takes_part()) batch.ticks.assign(samples, 0);
    pass.samples = batch.ticks;
    constexpr auto names = parts_of<Pattern>();
    static_assert(names.size() <= most_parts);
    report.parts.reserve(names.size() + 1);
    for (std::size_t at = 0; at < names.size(); ++at) {
      report.parts.push_back({std::string(names[at]), std::vector<Ticks>(batch.ticks.size(), 0)});
      pass.parts.at(at) = report.parts.back().ticks;
    }
    if (!one_pass(report.outcome, order, pass, timed_message, "the last message in buffer ")) {
      return false;
    }
    batch.timed_ns = spent_.wall_ns;
    report.cpu_ns = spent_.cpu_ns;
    if (every_rank_times<Pattern>() && ring_.rank > 0) report.parts.push_back({"", batch.ticks});
    return true;
  }

  /// How many of the asked samples, warm-up too, the buffers last for.
  [[nodiscard]] std::size_t samples_within(const Order& order) const {
    constexpr std::size_t besides = messages_before<Pattern>() + 2;
    const std::size_t last = messages_of_order(test_->schedule, order);
    const std::size_t each = std::size_t{messages_per_operation<Pattern>()} * operations();
    const std::size_t asked = std::size_t{test_->warmup} + test_->samples;
    return std::min(asked, last < besides ? 0 : (last - besides) / each);
  }

  /// Buffers made and filled, the pattern run, what arrived checked.
  bool one_pass(Outcome& outcome, const Order& order, Work& pass, std::uint64_t base,
                const char* what) {
    // Opening memory is collective, so ranks outside a one-sided pattern come this far too.
    if (!ring_.takes_part() && window_of<Pattern>() == Window::none) return true;
    const Sets<Pattern, T> sets(*link_, slots_of(order), test_->bytes);
    if (!ring_.takes_part()) return true;
    const Slots<T> tokens(*link_, 2, token_bytes);
    prepare(sets, base);
    const std::vector<Buffer> out = in_order(sets.out.buffers(), order);
    const std::vector<Buffer> in = in_order(sets.in.buffers(), order);
    std::vector<RemoteBuffer> remote = sets.remote(ring_.left());
    if (!remote.empty()) remote = in_order(remote, order);
    pass.rank = ring_.rank;
    pass.size = ring_.size;
    pass.out = Rotation<Buffer>(out);
    pass.in = Rotation<Buffer>(in);
    pass.remote = Rotation<RemoteBuffer>(remote);
    if constexpr (PollsMemory<Pattern>) pass.mark_period = mark_period_of(order);
    std::vector<Buffer> registered(RegistersItself<Pattern> ? room_for(*test_) : 0);
    pass.registered = registered;
    pass.token_out = tokens[0];
    pass.token_in = tokens[1];
    const Spent before = spent_so_far();
    if (!measured_loop<Pattern, Now, Wait>(*link_, pass)) return false;
    spent_ = spent_so_far() - before;
    std::vector<bool> used(sets.in.count(), false);
    for (std::size_t at = 0; at < std::min(order.size(), pass.in.taken()); ++at) {
      used[order[at]] = true;
    }
    check_slots(outcome, sets, used, base, what);
    return true;
  }

  /// One more message to and from each neighbour: after a lost or repeated message it is not the
  /// one that the receiver gets.
  bool closing(Outcome& outcome) {
    const Slots<T> tokens(*link_, 3, token_bytes);
    const Content mine{static_cast<std::uint32_t>(ring_.rank), test_->id, closing_message};
    const Content from_left{static_cast<std::uint32_t>(ring_.left()), test_->id, closing_message};
    const Content from_right{static_cast<std::uint32_t>(ring_.right()), test_->id, closing_message};
    fill({tokens[0].data, tokens[0].bytes}, mine);
    poison({tokens[1].data, tokens[1].bytes}, from_left);
    poison({tokens[2].data, tokens[2].bytes}, from_right);
    if (!greet(tokens)) return false;
    check(outcome, tokens[1], from_left, "the closing message (one was lost or came twice)");
    check(outcome, tokens[2], from_right, "the closing message (one was lost or came twice)");
    return true;
  }

  void prepare(const Sets<Pattern, T>& sets, std::uint64_t base) {
    const auto rank = static_cast<std::uint32_t>(ring_.rank);
    const auto left = static_cast<std::uint32_t>(ring_.left());
    for (std::size_t slot = 0; slot < sets.out.count(); ++slot) {
      const Buffer& in = sets.in[slot];
      fill({sets.out[slot].data, sets.out[slot].bytes}, {rank, test_->id, base + slot});
      poison({in.data, in.bytes}, {left, test_->id, base + slot});
      if constexpr (PollsMemory<Pattern>) in.data[in.bytes - 1] = std::byte{0};
    }
    // Nobody may send before the other side's buffers are poisoned. Only those who take part wait:
    // the link itself carries the word, so ranks outside the pattern stay out of it.
    const Slots<T> tokens(*link_, 3, 1);
    (void)greet(tokens);  // a fault stays latched and ends the run that follows
  }

  /// Send the first token to both neighbours, get theirs into the two others.
  bool greet(const Slots<T>& tokens) {
    link_->post_recv(Peer{ring_.left()}, tokens[1]);
    link_->post_recv(Peer{ring_.right()}, tokens[2]);
    link_->post_send(Peer{ring_.right()}, tokens[0]);
    link_->post_send(Peer{ring_.left()}, tokens[0]);
    return drain<UsualWait<T>>(*link_);
  }

  void check_slots(Outcome& outcome, const Sets<Pattern, T>& sets, const std::vector<bool>& used,
                   std::uint64_t base, const char* what) {
    const auto left = static_cast<std::uint32_t>(ring_.left());
    for (std::size_t slot = 0; slot < used.size(); ++slot) {
      if (!used[slot]) continue;
      // Where memory is polled the last byte is the mark that the pattern itself waited for.
      check(outcome, sets.in[slot], {left, test_->id, base + slot}, what + std::to_string(slot),
            PollsMemory<Pattern> ? 1 : 0);
    }
  }

  T* link_;
  Bootstrap* boot_;
  const Case* test_;
  Neighbours ring_;
  Spent spent_;
};

}  // namespace weft

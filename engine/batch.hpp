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
#include "patterns/all.hpp"
#include "schedule.hpp"
#include "work.hpp"

namespace weft {

template <class P>
concept Streams = P::streams;

template <class P>
concept EveryRank = P::every_rank;

template <class P, class T, class Now>
concept RunsOn = requires(T& link, Work& work) {
  { P::template run<Now>(link, work) }
  noexcept->std::same_as<bool>;
};

/// A set of equal buffers of one case, given back to the transport at the end of its life.
template <TwoSided T>
class Slots {
 public:
  Slots(T& link, std::size_t count, std::size_t bytes) : link_(&link) {
    buffers_.reserve(count);
    for (std::size_t slot = 0; slot < count; ++slot) buffers_.push_back(link.allocate(bytes));
  }
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  Slots(Slots&&) = delete;
  Slots& operator=(Slots&&) = delete;
  ~Slots() {
    for (const Buffer& buffer : buffers_) link_->release(buffer);
  }

  [[nodiscard]] std::vector<Buffer> in_order(const std::vector<std::uint32_t>& order) const {
    std::vector<Buffer> buffers;
    buffers.reserve(order.size());
    for (const std::uint32_t slot : order) buffers.push_back(buffers_[slot]);
    return buffers;
  }
  const Buffer& operator[](std::size_t slot) const { return buffers_[slot]; }
  [[nodiscard]] std::size_t count() const { return buffers_.size(); }

 private:
  T* link_;
  std::vector<Buffer> buffers_;
};

/// Who takes part, and where this rank's messages come from.
struct Neighbours {
  int rank;
  int size;
  [[nodiscard]] bool takes_part() const { return rank < size; }
  [[nodiscard]] int left() const { return (rank + size - 1) % size; }
  [[nodiscard]] int right() const { return (rank + 1) % size; }
};

inline constexpr std::size_t token_bytes = 32;

/// Content numbers of the messages that are no part of the measured stream.
inline constexpr std::uint64_t closing_message = 1ULL << 62U;
inline constexpr std::uint64_t timed_message = 1ULL << 61U;

/// Compare a received buffer with what its sender put there.
inline void check(Outcome& outcome, const Buffer& buffer, const Content& content,
                  const std::string& what) {
  outcome.verified_bytes += buffer.bytes;
  const auto offset = first_difference({buffer.data, buffer.bytes}, content);
  if (!offset || outcome.status != Status::ok) return;
  outcome.status = Status::failed;
  outcome.reason = "wrong byte at offset " + std::to_string(*offset) + " of " +
                   std::to_string(buffer.bytes) + " in " + what + " from rank " +
                   std::to_string(content.rank);
}

/// A batch over one link. `Now` is the clock the pattern reads.
template <class Pattern, Clock Now, TwoSided T>
class BatchRun {
 public:
  BatchRun(T& link, Bootstrap& boot, const Case& test)
      : link_(&link),
        boot_(&boot),
        test_(&test),
        ring_{boot.rank(), EveryRank<Pattern> ? boot.size() : Pattern::info.ranks} {}

  /// False once the link has a fault: the ranks may be out of step.
  bool run(Batch& batch) {
    link_->reserve(std::size_t{2} * test_->queue_depth + 8);
    batch.warmup = test_->warmup;
    batch.ops_per_sample = operations();
    if (ring_.takes_part() && test_->verify && !every_message(batch.outcome)) return false;
    boot_->barrier();
    if (!ring_.takes_part()) return true;
    return timed(batch) && closing(batch.outcome);
  }

 private:
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

  Work work(std::span<const Buffer> out, std::span<const Buffer> in, const Slots<T>& tokens) const {
    return {.rank = ring_.rank,
            .size = ring_.size,
            .ops_per_sample = operations(),
            .queue_depth = test_->queue_depth,
            .out = Rotation(out),
            .in = Rotation(in),
            .token_out = tokens[0],
            .token_in = tokens[1],
            .samples = {}};
  }

  /// Untimed: each message has a content and a buffer of its own, and each is checked.
  bool every_message(Outcome& outcome) {
    constexpr std::size_t most_bytes = std::size_t{16} << 20U;
    const std::size_t fits = most_bytes / std::max<std::size_t>(test_->bytes, 1);
    const auto messages = static_cast<std::uint32_t>(std::clamp<std::size_t>(fits, 4, 256));
    const std::uint32_t depth = std::min(test_->queue_depth, messages / 2);
    const std::uint32_t operations = stream_operations(messages, depth);
    std::vector<std::uint32_t> order(operations + 2);
    for (std::uint32_t slot = 0; slot < order.size(); ++slot) order[slot] = slot;
    const Slots<T> out(*link_, order.size(), test_->bytes);
    const Slots<T> in(*link_, order.size(), test_->bytes);
    const Slots<T> tokens(*link_, 2, token_bytes);
    prepare(out, in, 0);
    const std::vector<Buffer> out_order = out.in_order(order);
    const std::vector<Buffer> in_order = in.in_order(order);
    Work pass = work(out_order, in_order, tokens);
    pass.ops_per_sample = operations;
    pass.queue_depth = depth;
    Ticks ignored = 0;
    pass.samples = {&ignored, 1};
    if (!measured_loop<Pattern, Now>(*link_, pass)) return false;
    check_slots(outcome, in, pass.in.taken(), 0, "message ");
    return true;
  }

  bool timed(Batch& batch) {
    const std::vector<std::uint32_t> order = make_order(test_->schedule, test_->seed);
    const Slots<T> out(*link_, slots_of(order), test_->bytes);
    const Slots<T> in(*link_, slots_of(order), test_->bytes);
    const Slots<T> tokens(*link_, 2, token_bytes);
    prepare(out, in, timed_message);
    const std::vector<Buffer> out_order = out.in_order(order);
    const std::vector<Buffer> in_order = in.in_order(order);
    Work pass = work(out_order, in_order, tokens);
    batch.ticks.assign(std::size_t{test_->warmup} + test_->samples, 0);
    pass.samples = batch.ticks;
    if (!measured_loop<Pattern, Now>(*link_, pass)) return false;
    std::size_t used = 0;
    for (std::size_t at = 0; at < std::min(order.size(), pass.in.taken()); ++at) {
      used = std::max<std::size_t>(used, order[at] + 1);
    }
    check_slots(batch.outcome, in, used, timed_message, "the last message in buffer ");
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
    link_->post_recv(Peer{ring_.left()}, tokens[1]);
    link_->post_recv(Peer{ring_.right()}, tokens[2]);
    link_->post_send(Peer{ring_.right()}, tokens[0]);
    link_->post_send(Peer{ring_.left()}, tokens[0]);
    if (!drain(*link_)) return false;
    check(outcome, tokens[1], from_left, "the closing message (one was lost or came twice)");
    check(outcome, tokens[2], from_right, "the closing message (one was lost or came twice)");
    return true;
  }

  void prepare(const Slots<T>& out, const Slots<T>& in, std::uint64_t base) {
    const auto rank = static_cast<std::uint32_t>(ring_.rank);
    const auto left = static_cast<std::uint32_t>(ring_.left());
    for (std::size_t slot = 0; slot < out.count(); ++slot) {
      fill({out[slot].data, out[slot].bytes}, {rank, test_->id, base + slot});
      poison({in[slot].data, in[slot].bytes}, {left, test_->id, base + slot});
    }
    wait_until_ready();
  }

  // Nobody may send before the other side's buffers are poisoned. Only those who take part wait:
  // the link itself carries the word, so ranks outside the pattern stay out of it.
  void wait_until_ready() {
    const Slots<T> tokens(*link_, 3, 1);
    link_->post_recv(Peer{ring_.left()}, tokens[1]);
    link_->post_recv(Peer{ring_.right()}, tokens[2]);
    link_->post_send(Peer{ring_.right()}, tokens[0]);
    link_->post_send(Peer{ring_.left()}, tokens[0]);
    (void)drain(*link_);  // a fault stays latched and ends the run that follows
  }

  void check_slots(Outcome& outcome, const Slots<T>& in, std::size_t used, std::uint64_t base,
                   const char* what) {
    const auto left = static_cast<std::uint32_t>(ring_.left());
    for (std::size_t slot = 0; slot < std::min(used, in.count()); ++slot) {
      check(outcome, in[slot], {left, test_->id, base + slot}, what + std::to_string(slot));
    }
  }

  T* link_;
  Bootstrap* boot_;
  const Case* test_;
  Neighbours ring_;
};

/// What of the engine's patterns a transport can run, decided at compile time.
template <TwoSided T, Clock Now, class... Patterns>
std::vector<Support> supported(const std::tuple<Patterns...>* /*list*/) {
  return {{Patterns::info, RunsOn<Patterns, T, Now>,
           RunsOn<Patterns, T, Now> ? "" : "the transport has no one-sided operations"}...};
}

/// The memory a case needs on a host, against what the host has.
std::string refuse_memory(const Case& test, int ranks);

/// Run one case; `batch.outcome` of rank 0 tells for all ranks. False: the link has a fault.
template <class Pattern, TwoSided T, Clock Now>
bool run_pattern(T& link, Bootstrap& boot, const Case& test, Batch& batch) {
  if constexpr (!RunsOn<Pattern, T, Now>) {
    batch.outcome = {Status::unsupported, "the transport has no one-sided operations", 0};
    return true;
  } else {
    if (boot.size() < Pattern::info.ranks) {
      batch.outcome = {Status::failed, "needs at least 2 ranks: start it with mpirun -n 2", 0};
      return true;
    }
    return BatchRun<Pattern, Now, T>(link, boot, test).run(batch);
  }
}

/// The failure of any rank is the batch's; verified bytes add up.
inline void merge_outcomes(Outcome& mine, const std::vector<std::string>& all) {
  std::uint64_t verified = 0;
  for (const std::string& line : all) {
    const Outcome other = parse_outcome(line);
    verified += other.verified_bytes;
    if (mine.status == Status::ok && other.status != Status::ok) mine = other;
  }
  mine.verified_bytes = verified;
}

template <TwoSided T, Clock Now, class... Patterns>
bool run_case(T& link, Bootstrap& boot, const Case& test, Batch& batch,
              const std::tuple<Patterns...>* /*list*/) {
  batch.id = test.id;
  const Instant start = read_both_clocks();
  bool known = false;
  bool whole = true;
  const std::string refusal = refuse_memory(test, boot.size());
  std::vector<std::string> refusals = boot.exchange(refusal);
  const auto refused = std::find_if(refusals.begin(), refusals.end(),
                                    [](const std::string& text) { return !text.empty(); });
  if (refused != refusals.end()) {
    batch.outcome = {Status::failed, *refused, 0};
    return true;
  }
  ((test.test == Patterns::info.name
        ? (known = true, whole = run_pattern<Patterns, T, Now>(link, boot, test, batch))
        : true),
   ...);
  if (!known) batch.outcome = {Status::failed, "unknown test: " + test.test, 0};
  if (!whole) {
    batch.ticks.clear();
    const Fault fault = *link.fault();
    batch.outcome = {Status::failed,
                     std::string("the link failed in ") + fault.during + " (code " +
                         std::to_string(fault.code) + "): a peer is gone or the network broke",
                     0};
    return false;
  }
  merge_outcomes(batch.outcome, boot.exchange(to_line(batch.outcome)));
  if (batch.outcome.status != Status::ok) batch.ticks.clear();
  batch.elapsed_ns = read_both_clocks().nanoseconds - start.nanoseconds;
  return true;
}

}  // namespace weft

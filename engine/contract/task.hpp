// What one rank of a pattern is given: counts, buffers in their order of use, room for samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "contract/application.hpp"
#include "contract/case.hpp"
#include "contract/clock.hpp"
#include "contract/transport.hpp"

namespace weft {

/// What a pattern varies beside the message's size: a case takes one point of it. `points` is the
/// usual list, as --points takes it; an empty name: there is no such axis.
struct Axis {
  std::string_view name = {};
  std::string_view unit = {};
  std::string_view points = {};
};

/// What an application on a lattice says of itself; without dimensions it has none. `extents` are
/// the usual ones of a rank, as --extents takes them, `bytes` the usual --sizes of it, each list in
/// the order of curves. Extents are so long at least and so many sites' multiple. What a site of a
/// rank costs in an iteration: arithmetic, bytes moved to and from memory, and bytes that must be
/// kept over iterations (the working set); 0 where it has none. They are for the first of `bytes`
/// and grow with it. `rest` is what an iteration does beside its parts. `options` are what it can
/// be given beside the lattice, `answers` the names of what it finds out.
struct LatticeInfo {
  std::uint32_t dimensions = 0;
  std::string_view extents = {};
  std::string_view bytes = {};
  std::uint32_t least_extent = 1;
  std::uint32_t multiple = 1;
  std::uint32_t sums = 0;
  std::uint32_t flops_per_site = 0;
  std::uint32_t moved_bytes_per_site = 0;
  std::uint32_t set_bytes_per_site = 0;
  std::string_view rest = "other";
  std::span<const ApplicationOption> options = {};
  std::span<const std::string_view> answers = {};
};

/// What kind of figure a pattern gives. `latency` is the time of one message from a rank to
/// another, and nothing else is: only from it is known how long a control message takes. A
/// `collective` is what an operation of all ranks takes, the mean over them.
enum class Figure : std::uint8_t {
  latency,
  exchange,
  one_sided_latency,
  bandwidth,
  burst,
  overhead,
  overlap,
  loaded_latency,
  registration,
  copy,
  iteration,
  collective,
  pairs,
};

/// Series that a pattern may fill beside its samples.
inline constexpr std::size_t most_parts = 5;

/// What a pattern measures, for lists, tables and the conversion of ticks: all that an analysis has
/// to know of it, for it is in the record.
/// With t the time of one operation: latency is t / latency_divisor (0: has none), bandwidth is
/// bandwidth_factor * bytes / t (0: has none).
struct PatternInfo {
  std::string_view name;
  std::string_view title;
  std::string_view summary;
  Figure figure;
  int ranks;
  int latency_divisor;
  int bandwidth_factor;
  /// The smallest message it can be measured with.
  int least_bytes = 0;
  /// Whether there are messages that have a size: without, it is planned with 0 bytes alone.
  bool has_size = true;
  /// How much longer an operation takes than its figure says, about: pauses are not in it.
  int time_factor = 1;
  /// Whether a sample is one operation in any case: each has a time at which it is due.
  bool every_operation = false;
  Axis axis = {};
  /// Whether it keeps the case's Q messages in flight.
  bool has_queue = false;
  /// Whether it can be measured from rank 1 to rank 0 too.
  bool has_directions = false;
  /// How often a sample holds the time that a small message is on its way, beside its messages' own
  /// times: the first message, the control messages that start and end a stream.
  std::uint32_t latencies_per_sample = 0;
  /// n of PRTT(n, d, s); 0: no burst. A pause d is so many round trips.
  std::uint32_t messages_per_burst = 0;
  std::uint32_t pause_trips = 0;
  /// Pairs of reads of the clock in each operation of the samples, and of each of the `parts`, to
  /// be taken off; 0 where a sample of many operations holds one pair.
  std::uint32_t clock_reads = 0;
  std::array<std::uint32_t, most_parts> part_clock_reads = {};
  /// An operation is one message of any of several streams: a stream's own series has its share.
  bool splits_operations = false;
  LatticeInfo lattice = {};
};

/// What of a pattern decides how much memory a case takes: the messages each way of one operation
/// at most, those before the first operation, the series with its samples among them, whether it
/// streams, and the receives that may be under way at once: so many, so many for each of Q, and so
/// many for each unit of the point; and the buffers that it takes in turn where the case names one.
struct Footprint {
  std::uint32_t messages_per_operation = 1;
  std::uint32_t messages_before = 0;
  std::uint32_t series = 1;
  bool streams = false;
  std::uint32_t receives = 1;
  std::uint32_t receives_per_queue = 0;
  std::uint32_t receives_per_point = 0;
  std::uint32_t buffers = 1;
  /// What an application needs for each site of a rank.
  std::uint32_t bytes_per_site = 0;
  /// Messages in memory that a pattern has of its own in place of buffers: so many, and so many for
  /// each rank of the case.
  std::uint32_t own_messages = 0;
  std::uint32_t own_messages_per_rank = 0;
  /// The ranks that take part, and have memory of the case: so many, and so many for each unit of
  /// the point. Where neither is more than 0 it is all ranks, and so at point 0 of the latter.
  std::uint32_t ranks = 0;
  std::uint32_t ranks_per_point = 0;
  /// Whether rank 0 has a lane, and so buffers, for each of the others.
  bool is_star = false;
  /// Whether ranks take part in pairs: where it is all ranks, one of an odd number stands by.
  bool pairs_all = false;

  [[nodiscard]] std::uint64_t receives_of(std::uint32_t queue_depth,
                                          std::uint64_t point) const noexcept {
    return receives + std::uint64_t{receives_per_queue} * queue_depth + receives_per_point * point;
  }
};

inline bool has_all_ranks(const Footprint& footprint) noexcept {
  return footprint.ranks == 0 && footprint.ranks_per_point == 0;
}

/// What a one-sided pattern opens to its peers: where its messages come in, or where they lie.
enum class Opens : std::uint8_t { none, incoming, outgoing };

/// The buffers of a case in the order of use, round and round. The order is data made before the
/// clock starts, so reuse schemes need no loop of their own.
template <class Item>
class Rotation {
 public:
  Rotation() = default;
  explicit Rotation(std::span<const Item> order) noexcept : order_(order) {}

  const Item& next() noexcept {
    const Item& item = order_[at_];
    if (++at_ == order_.size()) {
      at_ = 0;
      ++rounds_;
    }
    return item;
  }

  [[nodiscard]] bool empty() const noexcept { return order_.empty(); }
  /// The next item, which is not handed out by this.
  [[nodiscard]] const Item& peek() const noexcept { return order_[at_]; }

  /// After how many items it begins again.
  [[nodiscard]] std::size_t round() const noexcept { return order_.size(); }

  /// How many buffers were handed out so far.
  [[nodiscard]] std::size_t taken() const noexcept { return rounds_ * round() + at_; }

 private:
  std::span<const Item> order_;
  std::size_t at_ = 0;
  std::size_t rounds_ = 0;
};

/// What a rank exchanges with one other rank: each lane has buffers of its own. The counts are the
/// pattern's.
struct Lane {
  /// Whom it exchanges messages with; where it receives from another rank than it sends to, the one
  /// that it receives from, and `target` the other.
  Peer peer{0};
  Peer target{0};
  Rotation<Buffer> out;
  Rotation<Buffer> in;
  /// Messages of this sample that are still to be sent, and to come.
  std::uint32_t to_send = 0;
  std::uint32_t to_come = 0;
  /// Messages of a sample, and how many of their receives come before the next one for a control
  /// message.
  std::uint32_t messages = 0;
  std::uint32_t until_control = 0;
  /// Receives in flight, and still to post in this batch.
  std::uint32_t posted = 0;
  std::size_t to_post = 0;
};

/// One rank's share of a batch. `samples` has room for the warm-up too; only rank 0's are kept.
struct Task {
  int rank = 0;
  int size = 0;
  std::uint32_t ops_per_sample = 1;
  std::uint32_t queue_depth = 1;
  Rotation<Buffer> out;
  Rotation<Buffer> in;
  /// The peer's side of a one-sided pattern: where puts go, or where gets come from.
  Rotation<RemoteBuffer> remote;
  /// Marks of messages run from 1 to this and start again: two messages in a row in one buffer
  /// never bear the same.
  std::uint8_t mark_period = 255;
  /// Room for the registrations of messages that are on their way, where a pattern registers.
  std::span<Buffer> registered;
  /// A control message that this rank sends, and in turn where those of others come in: each that
  /// may be awaited at once has a buffer of its own.
  Buffer control_out;
  Rotation<Buffer> control_in;
  /// Of a pattern with roles: its lanes, its followers, and how many streams run at once.
  std::span<Lane> lanes;
  std::span<const Peer> followers;
  /// Whom this rank sums with by messages, and for each of them the messages that it needs: one
  /// that goes out, then those that come in.
  std::span<const Peer> partners;
  std::span<const Buffer> sum_messages;
  std::uint32_t streams = 1;
  /// Of a stream, for each sample of the warm-up: how many of the Q messages that were posted at
  /// once were still in flight then.
  std::span<std::uint32_t> held;
  /// The untimed pass, in which every message is checked.
  bool checks = false;
  std::span<Ticks> samples;
  /// Where the case lies on the pattern's axis.
  std::uint64_t point = 0;
  /// Whether rank 1 sends to rank 0.
  bool is_back = false;
  /// The lattice of an application, and the computing of an iteration.
  Lattice lattice;
  Ticks work = 0;
  /// A series of ticks for each of the pattern's `parts`, one value a sample.
  std::array<std::span<Ticks>, most_parts> parts;
  /// What is wrong with what came out, where a pattern looks at it itself: it fails the case.
  const char* wrong = nullptr;
  /// What the pattern prepared, and what it found right of its messages.
  Application* application = nullptr;
  std::uint64_t verified_bytes = 0;
};

/// How many messages a stream waits for before it posts as many again: Q/2, as in section 4.1 of
/// Liu et al., Micro-Benchmark Level Performance Comparison of High-Speed Cluster Interconnects.
constexpr std::uint32_t refill_of(std::uint32_t queue_depth) noexcept {
  return queue_depth < 2 ? 1 : queue_depth / 2;
}

/// The messages of all samples of a batch.
inline std::size_t messages_of(const Task& task) noexcept {
  return task.samples.size() * task.ops_per_sample;
}

/// Where every measured loop is entered: a function of its own, so that the disassembly test finds
/// each of them by name.
template <class Pattern, Clock Now, class Wait, TwoSided T>
[[gnu::noinline]] bool measured_loop(T& link, Task& task) noexcept {
  return Pattern::template run<Now, Wait>(link, task);
}

}  // namespace weft

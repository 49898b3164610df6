// One batch: buffers made and filled, an untimed pass with every message checked, the timed run,
// its buffers checked, and a closing message that shows whether one was lost or came twice.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "contract/cast.hpp"
#include "contract/pattern_traits.hpp"
#include "contract/work.hpp"
#include "host/clock.hpp"
#include "host/memory.hpp"
#include "host/pages.hpp"
#include "run/case.hpp"
#include "run/footprint.hpp"
#include "run/schedule.hpp"
#include "run/slots.hpp"

namespace weft {

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

  /// Opened memory comes last: closing it is collective, so nothing that may throw on one rank
  /// alone may follow it.
  Sets(T& link, std::size_t outgoing, std::size_t incoming, std::size_t bytes,
       std::byte* out_memory, std::byte* in_memory) {
    if constexpr (window_of<Pattern>() == Window::outgoing) {
      in_.emplace(link, incoming, bytes, in_memory);
      out_.emplace(link, outgoing, bytes, out_memory);
    } else {
      out_.emplace(link, outgoing, bytes, out_memory);
      in_.emplace(link, incoming, bytes, in_memory);
    }
  }

  [[nodiscard]] const Out& out() const { return *out_; }
  [[nodiscard]] const In& in() const { return *in_; }
  /// The peer's end of a one-sided pattern, in the order of use.
  [[nodiscard]] std::vector<RemoteBuffer> remote(int rank, const BufferOrders& orders) const {
    if constexpr (window_of<Pattern>() == Window::outgoing) {
      return in_order(out_->of_rank(rank), orders.out);
    }
    if constexpr (window_of<Pattern>() == Window::incoming) {
      return in_order(in_->of_rank(rank), orders.in);
    }
    return {};
  }

 private:
  std::optional<Out> out_;
  std::optional<In> in_;
};

/// Marks of messages in one buffer must differ from one use to the next: the longest period up to
/// 255 that no distance between two uses of a slot is a multiple of.
std::uint8_t mark_period_of(const std::vector<std::uint32_t>& order);

/// This rank's part: the pattern's own, or that of a ring of the ranks it needs.
template <class P>
Cast cast_of(const Case& test, int rank, int size) {
  if constexpr (HasCast<P>) return P::cast(test, rank, size);
  if constexpr (OneWay<P>) return one_way_cast(rank);
  return ring_cast(rank, EveryRank<P> ? size : P::info.ranks);
}

/// The median, of two in the middle the larger.
inline std::uint32_t middle_of(std::vector<std::uint32_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

inline constexpr std::size_t token_bytes = 32;

/// How many sends, and as many receives, a case may have under way at once to one peer.
inline std::size_t room_for(const Case& test) {
  return std::size_t{2} * test.queue_depth + 8;
}

/// Content numbers of the messages that are no part of the measured stream.
inline constexpr std::uint64_t closing_message = 1ULL << 62U;
inline constexpr std::uint64_t timed_message = 1ULL << 61U;
/// One rank's messages to another are not those to a third.
inline std::uint64_t message_to(int receiver, std::uint64_t message) {
  return message + (static_cast<std::uint64_t>(receiver) << 40U);
}

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

/// A refusal of any rank is every rank's; empty when all can.
inline std::string any_refusal(Bootstrap& boot, const std::string& mine) {
  for (const std::string& text : boot.exchange(mine)) {
    if (!text.empty()) return text;
  }
  return "";
}

/// A batch over one link. `Now` is the clock the pattern reads, `Wait` how it waits.
template <class Pattern, Clock Now, class Wait, TwoSided T>
class BatchRun {
 public:
  BatchRun(T& link, Bootstrap& boot, MessageMemory& memory, const Case& test)
      : link_(&link),
        boot_(&boot),
        memory_(&memory),
        test_(&test),
        rank_(boot.rank()),
        cast_(cast_of<Pattern>(test, boot.rank(), boot.size())) {
    for (const int rank : cast_.followers) followers_.push_back(Peer{rank});
  }

  /// False once the link has a fault: the ranks may be out of step. `report` gets what this rank
  /// has to tell rank 0.
  bool run(Batch& batch, Report& report) {
    together(*boot_, [&] {
      link_->reserve(room_for(*test_), std::max<std::size_t>(cast_.neighbours.size(), 1));
      if (!cast_.takes_part()) return;
      const std::size_t words = pass_words() + 2 * greeting_words();
      memory_->words.take(words * page_stride_of(token_bytes), Pages::usual, true);
      closing_.emplace(*link_, greeting_words(), token_bytes,
                       words_from(pass_words() + greeting_words()));
    });
    batch.warmup = test_->warmup;
    batch.ops_per_sample = operations();
    if (std::string reason = refuse_buffers(); !reason.empty()) {
      report.outcome = {Status::unsupported, std::move(reason), 0};
      return true;
    }
    std::string refusal;
    together(*boot_, [&] { refusal = take_memory(); });
    if (std::string reason = any_refusal(*boot_, refusal); !reason.empty()) {
      memory_->out.give_back();
      memory_->in.give_back();
      report.outcome = {Status::unsupported, std::move(reason), 0};
      return true;
    }
    if (test_->verify && !every_message(report.outcome)) return false;
    wait_for_all();
    if (!timed(batch, report)) return false;
    if (cast_.takes_part() && !closing(report.outcome)) return false;
    if constexpr (HasCast<Pattern>) wait_for_all();
    return true;
  }

 private:
  using Order = std::vector<std::uint32_t>;

  /// Ranks that a case leaves out sleep until it is over.
  void wait_for_all() {
    if constexpr (HasCast<Pattern>) {
      boot_->barrier_asleep(!cast_.takes_part());
    } else {
      boot_->barrier();
    }
  }

  [[nodiscard]] std::uint32_t operations() const {
    if (!Streams<Pattern>) return test_->ops_per_sample;
    return stream_operations(test_->ops_per_sample, test_->queue_depth, cast_.streams);
  }

  /// Why the asked messages do not go with the asked buffers; empty when they do.
  [[nodiscard]] std::string refuse_buffers() const {
    if (samples_within(make_order(test_->schedule, test_->seed)) == 0) {
      return "a sample has more messages than there are buffers to use once; choose more "
             "--buffers, or a smaller --queue-depth";
    }
    // Buffers that the pattern itself takes in turn, to have them distinct, need no whole turns.
    if (test_->schedule.count <= least_buffers<Pattern>()) return "";
    const std::uint64_t each = operations() / cast_.streams;
    return refuse_turns(test_->schedule, test_->warmup * each, test_->samples * each);
  }

  /// One piece of memory for each side, which both passes use. Why its pages cannot be had; empty
  /// when they can.
  std::string take_memory() {
    if (!cast_.takes_part()) return "";
    const Pages pages = pages_of(test_->pages);
    const BufferOrders orders = orders_of_case();
    const auto take = [&](SideMemory& side, Window opened, std::size_t lanes, std::size_t timed) {
      if (window_of<Pattern>() == opened || lanes == 0) return;
      const std::size_t slots = std::max(checked_slots(), slots_before_timed() + timed);
      side.take(slots * lanes * page_stride_of(test_->bytes), pages, keeps_memory());
    };
    try {
      take(memory_->out, Window::outgoing, cast_.to.size(), slots_of(orders.out));
      take(memory_->in, Window::incoming, cast_.from.size(), orders.sent_from.size());
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  /// Not where it matters whether memory was registered before, or what its pages are.
  [[nodiscard]] bool keeps_memory() const {
    return test_->pages.empty() && !RegistersItself<Pattern> && is_repeated(test_->schedule);
  }

  [[nodiscard]] std::size_t checked_slots() const {
    return test_->verify ? checked_pass().slots : 0;
  }
  /// Buffers that are to be used once are none that the checked pass had.
  [[nodiscard]] std::size_t slots_before_timed() const {
    return test_->schedule.kind == "reuse" ? checked_slots() : 0;
  }

  /// Untimed: each message has a content and a buffer of its own, and each is checked; long ones
  /// take a few buffers in turn.
  bool every_message(Outcome& outcome) {
    const CheckedPass checked = checked_pass();
    Work pass;
    pass.checks = true;
    pass.ops_per_sample = checked.operations;
    pass.queue_depth = checked.depth;
    pass.point = test_->point;
    std::array<Ticks, 1 + most_parts> ignored{};
    pass.samples = {ignored.data(), 1};
    for (std::size_t at = 0; at < most_parts; ++at) pass.parts.at(at) = {&ignored.at(1 + at), 1};
    return one_pass(outcome, orders_in_turn(checked.slots), pass, 0, "message ", 0);
  }

  [[nodiscard]] CheckedPass checked_pass() const {
    return checked_pass_of(*test_, footprint_of<Pattern, T>(), cast_.streams);
  }

  [[nodiscard]] BufferOrders orders_of_case() const {
    return make_orders(test_->schedule, test_->seed,
                       receives_at_once<Pattern, Wait, T>(test_->queue_depth));
  }

  bool timed(Batch& batch, Report& report) {
    Work pass;
    pass.point = test_->point;
    pass.ops_per_sample = operations();
    pass.queue_depth = test_->queue_depth;
    const BufferOrders orders = orders_of_case();
    const std::size_t samples = samples_within(orders.out);
    const std::size_t asked = std::size_t{test_->warmup} + test_->samples;
    // The warm-up takes buffers that were never used before too; where they are few it is shorter.
    if (samples < asked)
      batch.warmup = std::min(batch.warmup, static_cast<std::uint32_t>(samples / 2));
    if (cast_.takes_part()) batch.ticks.assign(samples, 0);
    pass.samples = batch.ticks;
    constexpr std::uint32_t no_look = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> held(Streams<Pattern> ? batch.warmup : 0, no_look);
    pass.held = held;
    constexpr auto names = parts_of<Pattern>();
    static_assert(names.size() <= most_parts);
    report.parts.reserve(names.size() + 1);
    for (std::size_t at = 0; at < names.size(); ++at) {
      report.parts.push_back({std::string(names[at]), std::vector<Ticks>(batch.ticks.size(), 0)});
      pass.parts.at(at) = report.parts.back().ticks;
    }
    if (!one_pass(report.outcome, orders, pass, timed_message, "the last message in buffer ",
                  slots_before_timed())) {
      return false;
    }
    batch.pages = pages_;
    batch.timed_ns = spent_.wall_ns;
    report.cpu_ns = spent_.cpu_ns;
    if (!held.empty() && held.front() != no_look) report.queue_held = middle_of(held);
    if (every_rank_times<Pattern>() && rank_ > 0) report.parts.push_back({"", batch.ticks});
    return true;
  }

  /// How many of the asked samples, warm-up too, the buffers last for.
  [[nodiscard]] std::size_t samples_within(const Order& order) const {
    constexpr std::size_t besides = messages_besides(footprint_of<Pattern, T>());
    const std::size_t last = messages_of_order(test_->schedule, order);
    const std::size_t each = std::size_t{messages_per_operation<Pattern>()} * operations();
    const std::size_t asked = std::size_t{test_->warmup} + test_->samples;
    return std::min(asked, last < besides ? 0 : (last - besides) / each);
  }

  /// Buffers made and filled, the pattern run, what arrived checked. The buffers lie `behind` so
  /// many others of each lane.
  bool one_pass(Outcome& outcome, const BufferOrders& orders, Work& pass, std::uint64_t base,
                const char* what, std::size_t behind) {
    std::optional<Sets<Pattern, T>> sets;
    Prepared made;
    together(*boot_, [&] { make_sets(sets, orders, behind); });
    if (link_->fault() != nullptr) return false;
    together(*boot_, [&] {
      if (cast_.takes_part()) prepare(made, *sets, orders);
    });
    if (!cast_.takes_part()) return true;
    fill_and_poison(*sets, orders, base);
    (void)greet(*made.greeting);  // a fault stays latched and ends the run that follows
    give_to(pass, made);
    const Spent before = spent_so_far();
    if (!measured_loop<Pattern, Now, Wait>(*link_, pass)) return false;
    spent_ = spent_so_far() - before;
    if (rank_ == 0 && !pass.checks) pages_ = pages_had(*sets);
    for (std::size_t lane = 0; lane < cast_.from.size(); ++lane) {
      // A pattern takes from its lanes, or from the work's own where it has but one.
      const std::size_t taken = made.lanes[lane].in.taken() + (lane == 0 ? pass.in.taken() : 0);
      std::vector<bool> used(orders.sent_from.size(), false);
      for (std::size_t at = 0; at < std::min(orders.in.size(), taken); ++at) {
        used[orders.in[at]] = true;
      }
      check_lane(outcome, *sets, lane, used, orders, base, what);
    }
    return true;
  }

  void make_sets(std::optional<Sets<Pattern, T>>& sets, const BufferOrders& orders,
                 std::size_t behind) {
    // Opening memory is collective, so ranks outside a one-sided pattern come this far too.
    constexpr bool opens = window_of<Pattern>() != Window::none;
    if (!cast_.takes_part() && !opens) return;
    // What is opened is opened by every rank, and as much of it.
    const auto lanes_with = [](Window opened, std::size_t lanes) {
      return window_of<Pattern>() == opened ? std::max<std::size_t>(lanes, 1) : lanes;
    };
    const auto part = [&](const SideMemory& side, std::size_t lanes) {
      return side.data(behind * lanes * page_stride_of(test_->bytes));
    };
    sets.emplace(*link_, slots_of(orders.out) * lanes_with(Window::outgoing, cast_.to.size()),
                 orders.sent_from.size() * lanes_with(Window::incoming, cast_.from.size()),
                 test_->bytes, part(memory_->out, cast_.to.size()),
                 part(memory_->in, cast_.from.size()));
  }

  /// Of the memory where this rank's messages arrive, or lie if none do: as it is once all went.
  [[nodiscard]] PagesGot pages_had(const Sets<Pattern, T>& sets) const {
    const auto of_side = [](const auto& set, const SideMemory& side) -> PagesGot {
      if (!side.empty()) return {side.bytes(), side.huge_bytes()};
      const auto first = std::bit_cast<std::uint64_t>(set.buffers().front().data);
      const std::uint64_t bytes = set.count() * stride_of(set.buffers().front().bytes);
      return {bytes, huge_bytes_between(first, first + bytes)};
    };
    if (sets.in().count() > 0) return of_side(sets.in(), memory_->in);
    if (sets.out().count() > 0) return of_side(sets.out(), memory_->out);
    return {};
  }

  /// The buffers of every lane in the order of use.
  struct LaneBuffers {
    std::vector<std::vector<Buffer>> out;
    std::vector<std::vector<Buffer>> in;
  };

  /// What a pass holds beside its messages.
  struct Prepared {
    LaneBuffers buffers;
    std::vector<Lane> lanes;
    std::vector<RemoteBuffer> remote;
    std::vector<Buffer> registered;
    std::uint8_t mark_period = 255;
    /// The first is sent, the words of others come into the rest in turn.
    std::optional<Slots<T>> tokens;
    std::optional<Slots<T>> greeting;
  };

  void prepare(Prepared& made, const Sets<Pattern, T>& sets, const BufferOrders& orders) {
    made.lanes = lanes_of(sets, orders, made.buffers);
    made.remote = sets.remote(cast_.neighbours.front(), orders);
    if constexpr (PollsMemory<Pattern>) made.mark_period = mark_period_of(orders.in);
    if (RegistersItself<Pattern>) made.registered.resize(room_for(*test_));
    made.tokens.emplace(*link_, pass_words(), token_bytes, words_from(0));
    // Nobody may send before the other side's buffers are poisoned. Only those who take part wait:
    // the link itself carries the word, so ranks outside the pattern stay out of it.
    made.greeting.emplace(*link_, greeting_words(), 1, words_from(pass_words()));
  }

  void give_to(Work& pass, Prepared& made) const {
    pass.rank = rank_;
    pass.size = EveryRank<Pattern> ? boot_->size() : Pattern::info.ranks;
    pass.out = made.lanes.front().out;
    pass.in = made.lanes.front().in;
    pass.lanes = made.lanes;
    pass.followers = followers_;
    pass.streams = cast_.streams;
    pass.remote = Rotation<RemoteBuffer>(made.remote);
    pass.mark_period = made.mark_period;
    pass.registered = made.registered;
    pass.token_out = (*made.tokens)[0];
    pass.words = Rotation<Buffer>(std::span(made.tokens->buffers()).subspan(1));
  }

  std::vector<Lane> lanes_of(const Sets<Pattern, T>& sets, const BufferOrders& orders,
                             LaneBuffers& buffers) const {
    const auto of_lane = [&](const auto& set, std::size_t lane, std::size_t slots,
                             const Order& order) {
      const auto first = set.buffers().begin() + static_cast<std::ptrdiff_t>(lane * slots);
      return in_order(std::vector<Buffer>(first, first + static_cast<std::ptrdiff_t>(slots)),
                      order);
    };
    for (std::size_t lane = 0; lane < cast_.to.size(); ++lane) {
      buffers.out.push_back(of_lane(sets.out(), lane, slots_of(orders.out), orders.out));
    }
    for (std::size_t lane = 0; lane < cast_.from.size(); ++lane) {
      buffers.in.push_back(of_lane(sets.in(), lane, orders.sent_from.size(), orders.in));
    }
    std::vector<Lane> lanes(std::max(cast_.to.size(), cast_.from.size()));
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      if (lane < cast_.to.size()) {
        lanes[lane].peer = Peer{cast_.to[lane]};
        lanes[lane].out = Rotation<Buffer>(buffers.out[lane]);
      }
      if (lane < cast_.from.size()) {
        lanes[lane].peer = Peer{cast_.from[lane]};
        lanes[lane].in = Rotation<Buffer>(buffers.in[lane]);
      }
    }
    return lanes;
  }

  /// What a rank puts into its slots for another.
  [[nodiscard]] Content content(int sender, int receiver, std::uint64_t message) const {
    return {static_cast<std::uint32_t>(sender), test_->id, message_to(receiver, message)};
  }

  void fill_and_poison(const Sets<Pattern, T>& sets, const BufferOrders& orders,
                       std::uint64_t base) {
    const std::size_t slots = slots_of(orders.out);
    for (std::size_t slot = 0; slot < slots * cast_.to.size(); ++slot) {
      const int receiver = cast_.to[slot / slots];
      fill({sets.out()[slot].data, sets.out()[slot].bytes},
           content(rank_, receiver, base + slot % slots));
    }
    const std::size_t arriving = orders.sent_from.size();
    for (std::size_t slot = 0; slot < arriving * cast_.from.size(); ++slot) {
      const Buffer& in = sets.in()[slot];
      poison({in.data, in.bytes},
             content(cast_.from[slot / arriving], rank_, base + orders.sent_from[slot % arriving]));
      if constexpr (PollsMemory<Pattern>) in.data[in.bytes - 1] = std::byte{0};
    }
  }

  /// How many words of others may be awaited at once: two of each, and of one two samples' more.
  [[nodiscard]] std::size_t words_at_once() const { return 2 * cast_.neighbours.size() + 2; }
  /// One is sent, the words of others come into the rest: in a pass, and before and after it.
  [[nodiscard]] std::size_t pass_words() const { return 1 + words_at_once(); }
  [[nodiscard]] std::size_t greeting_words() const { return 1 + cast_.neighbours.size(); }
  [[nodiscard]] std::byte* words_from(std::size_t first) const {
    return memory_->words.data(first * page_stride_of(token_bytes));
  }

  /// Send the first token to all neighbours, get theirs into the others.
  bool greet(const Slots<T>& tokens) {
    std::size_t token = 0;
    for (const int rank : cast_.neighbours) link_->post_recv(Peer{rank}, tokens[++token]);
    // Backwards: the last neighbour of a ring is the next rank's first.
    std::for_each(cast_.neighbours.rbegin(), cast_.neighbours.rend(),
                  [&](int rank) { link_->post_send(Peer{rank}, tokens[0]); });
    return drain<UsualWait<T>>(*link_);
  }

  /// One more message to and from each neighbour: after a lost or repeated message it is not the
  /// one that the receiver gets.
  bool closing(Outcome& outcome) {
    const Slots<T>& tokens = *closing_;
    const auto from = [&](int rank) {
      return Content{static_cast<std::uint32_t>(rank), test_->id, closing_message};
    };
    fill({tokens[0].data, tokens[0].bytes}, from(rank_));
    std::size_t token = 0;
    for (const int rank : cast_.neighbours) {
      ++token;
      poison({tokens[token].data, tokens[token].bytes}, from(rank));
    }
    if (!greet(tokens)) return false;
    token = 0;
    for (const int rank : cast_.neighbours) {
      check(outcome, tokens[++token], from(rank),
            "the closing message (one was lost or came twice)");
    }
    return true;
  }

  void check_lane(Outcome& outcome, const Sets<Pattern, T>& sets, std::size_t lane,
                  const std::vector<bool>& used, const BufferOrders& orders, std::uint64_t base,
                  const char* what) {
    for (std::size_t slot = 0; slot < used.size(); ++slot) {
      if (!used[slot]) continue;
      // Where memory is polled the last byte is the mark that the pattern itself waited for.
      check(outcome, sets.in()[lane * used.size() + slot],
            content(cast_.from[lane], rank_, base + orders.sent_from[slot]),
            what + std::to_string(slot), PollsMemory<Pattern> ? 1 : 0);
    }
  }

  /// Ends after all that lies in the memory.
  struct GivenBack {
    MessageMemory* memory;
    explicit GivenBack(MessageMemory* given) : memory(given) {}
    GivenBack(const GivenBack&) = delete;
    GivenBack& operator=(const GivenBack&) = delete;
    GivenBack(GivenBack&&) = delete;
    GivenBack& operator=(GivenBack&&) = delete;
    ~GivenBack() { memory->give_back(); }
  };

  T* link_;
  Bootstrap* boot_;
  MessageMemory* memory_;
  const Case* test_;
  int rank_;
  Cast cast_;
  std::vector<Peer> followers_;
  Spent spent_;
  PagesGot pages_;
  GivenBack at_end_{memory_};
  /// Of the closing message, whose memory is there before anything is measured: ranks that are left
  /// out sleep from then on and could not be notified that it is not.
  std::optional<Slots<T>> closing_;
};

}  // namespace weft

// One rank's link to the fabric in virtual time: what its calls take, and what they do to messages.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "bootstrap/bootstrap.hpp"
#include "contract/transport.hpp"
#include "tests/support/fake_card.hpp"
#include "tests/support/fake_collectives.hpp"
#include "tests/support/fake_wires.hpp"
#include "transports/parts/ended_peers.hpp"

namespace weft::fake {

/// One rank's link to the fabric.
class Link final : public CollectiveCalls {
 public:
  static constexpr std::string_view name = "fake";
  static constexpr std::string_view summary = "a scripted fabric in virtual time";

  Link(Fabric& fabric, const Bootstrap& boot)
      : CollectiveCalls(fabric, boot.rank()), ended_(fabric.size), card_(fabric.costs) {
    VirtualClock::time() = 0;
    VirtualClock::read_cost() = costs().clock_read;
    VirtualClock::costs() = &costs();
    VirtualClock::away() = 0;
  }

  [[nodiscard]] Buffer adopt(const Buffer& memory) const {
    return {memory.data, memory.bytes, adopted_key};
  }
  void disown(const Buffer& /*memory*/) const {}
  void reserve(std::size_t /*depth*/, std::span<const int> /*ranks*/) {}

  [[nodiscard]] static bool registers_ahead() noexcept { return true; }
  void make_room(std::size_t /*count*/) {}
  Buffer register_memory(const Buffer& memory) noexcept {
    VirtualClock::time() += card_.enter(memory);
    return {memory.data, memory.bytes, adopted_key};
  }
  void deregister_memory(const Buffer& memory) noexcept {
    if (card_.registered() <= sends_.size()) fault_ = {3, "deregistering what is still being sent"};
    VirtualClock::time() += card_.forget(memory);
  }

  /// All ranks are threads of one process: an address is good everywhere.
  [[nodiscard]] Opened expose(const Buffer& memory) {
    exposes_ = true;
    const auto mine = reinterpret_cast<std::uintptr_t>(memory.data);  // NOLINT
    return {{memory.data, memory.bytes, exposed_key}, std::to_string(mine)};
  }
  void withdraw(const Buffer& /*local*/) { exposes_ = false; }
  [[nodiscard]] static RemoteBuffer reach(int /*rank*/, std::size_t bytes,
                                          const std::string& theirs) {
    return {std::stoull(theirs), bytes, 0};
  }
  [[nodiscard]] std::string memory_polling_hazard() const {
    return costs().scatters ? "the fabric scatters the bytes of a put" : "";
  }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    const bool copied = buffer.bytes <= costs().copies_up_to;
    const bool waits = costs().acknowledges && !copied;
    const Ticks left = launch(peer, buffer, {{}, 0, nullptr, false, waits});
    if (copied || ++together_ < costs().sends_together) return ended_.note(peer.rank);
    together_ = 0;
    sends_.push_back({peer.rank, waits ? never : left + costs().sends_end_later});
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    VirtualClock::time() += costs().post_receive;
    const bool shared = std::any_of(receives_.begin(), receives_.end(), [&](const Posted& one) {
      return one.buffer.data < buffer.data + buffer.bytes &&
             buffer.data < one.buffer.data + one.buffer.bytes;
    });
    if (shared && !fabric_->costs.shares_receives)
      fault_ = {4, "two receives under way share a buffer"};
    receives_.push_back({peer.rank, buffer, false, VirtualClock::time()});
  }
  void put(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    transfers_.push_back(pending(launch(peer, local, {{}, 0, pointer(remote), false})));
  }
  void put_notify(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    transfers_.push_back(pending(launch(peer, local, {{}, 0, pointer(remote), true})));
  }
  void expect_notice(Peer peer) noexcept {
    receives_.push_back({peer.rank, {}, true, VirtualClock::time()});
  }
  void flush(Peer /*peer*/) noexcept {
    transfers_.push_back(pending(last_arrival_ + costs().latency));
  }
  /// The data of a get come back one latency there, the wire's time and one latency later.
  void get(Peer /*peer*/, const Buffer& local, const RemoteBuffer& remote) noexcept {
    const std::scoped_lock hold(fabric_->lock);
    const Costs& costs = this->costs();
    VirtualClock::time() += costs.send_overhead;
    wire_free_ =
        std::max(wire_free_, VirtualClock::time()) + costs.gap + costs.per_byte * remote.bytes;
    Message message{{pointer(remote), pointer(remote) + remote.bytes}, 0};
    const bool lost = !harm(message, wire_free_ + 2 * costs.latency);
    if (!lost && remote.bytes != 0) {
      std::memcpy(local.data, message.content.data(), remote.bytes);
    }
    transfers_.push_back(pending(message.arrival));
  }

  /// One completion, of this side or from a peer; in virtual time it comes at once, unless a poll
  /// that finds nothing takes a time.
  void poll() noexcept {
    for (const bool asked : {!sends_.empty(), !receives_.empty()}) {
      if (asked) VirtualClock::time() += costs().ask;
    }
    std::unique_lock hold(fabric_->lock);
    held_ = held_up();
    if (!fabric_->polls_wait) {
      probe(hold);
      return;
    }
    const bool walks = longest_poll() > 0;
    const bool waits = !receives_.empty() || !sends_.empty() || exposes_;
    if (!walks && earliest() == never && !waits) return;
    const auto self = static_cast<std::size_t>(rank_);
    now_ = VirtualClock::time();
    fabric_->next_events[self] = [this] { return next_event(); };
    fabric_->throw_if_dead();
    fabric_->changed.notify_all();
    fabric_->changed.wait(hold, [&] { return fabric_->dead || fabric_->may_go(rank_); });
    fabric_->next_events[self] = nullptr;
    if (fabric_->dead) {
      fault_ = {1, "poll"};
    } else if (walks && earliest() > VirtualClock::time() + patience_) {
      walk();
    } else if (!finds_nothing(earliest())) {
      steps_ = 0;
      if (!take_local()) take(first_sender());
    }
  }
  /// Sends end without another rank's help, so there is nothing to wait for.
  void poll_sends() noexcept {
    if (sends_.empty()) return;
    VirtualClock::time() += costs().ask;
    const Ticks done = sends_.front().done;
    if (done == never || finds_nothing(done)) return;
    VirtualClock::time() = std::max(VirtualClock::time(), done);
    ended_.note(sends_.front().to);
    sends_.pop_front();
  }
  void block() noexcept {
    const Ticks before = VirtualClock::time();
    const int steps = steps_;
    poll();
    if (costs().longest_sleep > 0 && steps_ > steps) {
      patience_ = costs().longest_sleep;
      poll();
      patience_ = 0;
    }
    if (VirtualClock::time() > before) VirtualClock::time() += costs().wake_up;
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept {
    return static_cast<std::uint32_t>(sends_.size());
  }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept {
    return static_cast<std::uint32_t>(receives_.size());
  }
  [[nodiscard]] std::uint32_t sends_in_flight(Peer peer) const noexcept {
    return static_cast<std::uint32_t>(std::count_if(
        sends_.begin(), sends_.end(), [peer](const Sent& sent) { return sent.to == peer.rank; }));
  }
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept {
    return static_cast<std::uint32_t>(
        std::count_if(receives_.begin(), receives_.end(),
                      [peer](const Posted& posted) { return posted.from == peer.rank; }));
  }
  int take_ended() noexcept { return ended_.take(); }
  [[nodiscard]] std::uint32_t transfers_in_flight() const noexcept {
    return static_cast<std::uint32_t>(transfers_.size());
  }
  [[nodiscard]] const Fault* fault() const noexcept { return fault_.code == 0 ? nullptr : &fault_; }

 private:
  static constexpr std::uint64_t adopted_key = 1;
  static constexpr std::uint64_t exposed_key = 2;
  struct Posted {
    int from;
    Buffer buffer;
    bool notice;
    Ticks at;
  };
  /// A send and when its buffer is free: never, until the receiver says so.
  struct Sent {
    int to;
    Ticks done;
  };

  static std::byte* pointer(const RemoteBuffer& remote) {
    return reinterpret_cast<std::byte*>(remote.address);  // NOLINT: the fabric's own address
  }

  /// Put a message on the wire; when its buffer is free again.
  Ticks launch(Peer peer, const Buffer& buffer, Message message) {
    const std::scoped_lock hold(fabric_->lock);
    const Costs& costs = this->costs();
    VirtualClock::time() += costs.send_overhead;
    wire_free_ = std::max(wire_free_, VirtualClock::time()) + card_.lookup(buffer.data) +
                 costs.gap + costs.per_byte * buffer.bytes;
    message.content.assign(buffer.data, buffer.data + buffer.bytes);
    const bool repeat = repeats();
    if (!harm(message, wire_free_ + costs.latency)) return wire_free_;
    if (message.target != nullptr && !message.notice && !fabric_->polls_wait) {
      // The message that all puts are done goes by another link, so none may wait to be taken.
      if (buffer.bytes != 0) {
        std::memcpy(message.target, message.content.data(), buffer.bytes);
      }
      return wire_free_;
    }
    auto& queue = fabric_->queue(rank_, peer.rank);
    if (repeat) queue.push_back(message);
    queue.push_back(std::move(message));
    fabric_->changed.notify_all();
    return wire_free_;
  }

  [[nodiscard]] bool repeats() const {
    return rank_ == fabric_->mischief.rank && fabric_->sent == fabric_->mischief.message &&
           fabric_->mischief.repeat;
  }

  /// What the script does to a message that would arrive then; false if it is lost.
  bool harm(Message& message, Ticks arrival) {
    message.arrival = arrival;
    last_arrival_ = arrival;
    const Mischief& mischief = fabric_->mischief;
    if (rank_ != mischief.rank || fabric_->sent++ != mischief.message) return true;
    if (mischief.flip_offset < message.content.size()) {
      message.content[mischief.flip_offset] ^= std::byte{0x10};
    }
    last_arrival_ = message.arrival += mischief.delay;
    if (mischief.breaks) fault_ = {5, "the card gave up"};
    return !mischief.drop && !mischief.breaks;
  }

  [[nodiscard]] const Costs& costs() const { return fabric_->costs_of(rank_); }

  /// When a send ends, if it is its peer's oldest: the receiver takes messages in their order.
  [[nodiscard]] Ticks end_of(const Sent& sent) const {
    if (sent.done != never) return sent.done;
    const std::deque<Ticks>& taken = fabric_->acknowledged_of(rank_, sent.to);
    return taken.empty() ? never : taken.front() + costs().latency;
  }
  /// The send that ends first; later ones of the same peer do not end before it.
  [[nodiscard]] auto first_send() const {
    return std::min_element(sends_.begin(), sends_.end(),
                            [this](const Sent& a, const Sent& b) { return end_of(a) < end_of(b); });
  }
  [[nodiscard]] Ticks first_send_end() const {
    return sends_.empty() ? never : end_of(*first_send());
  }
  [[nodiscard]] Ticks first_transfer() const {
    return transfers_.empty() ? never : transfers_.front() + held_;
  }
  [[nodiscard]] Ticks first_local() const { return std::min(first_send_end(), first_transfer()); }
  /// Puts come in where memory is exposed; other messages wait until they are asked for.
  [[nodiscard]] bool listens_to(int rank, const Message& message) const {
    if (rank == rank_) return false;
    const bool is_put = message.target != nullptr && !message.notice;
    return receives_in_flight(Peer{rank}) > 0 || (is_put && exposes_);
  }
  /// Whose message comes first of those this rank listens to; nobody's: -1.
  [[nodiscard]] int first_sender() const {
    int first = -1;
    Ticks arrival = never;
    for (int rank = 0; rank < fabric_->size; ++rank) {
      const auto& queue = fabric_->queue(rank, rank_);
      if (queue.empty() || !listens_to(rank, queue.front())) continue;
      if (queue.front().arrival >= arrival) continue;
      first = rank;
      arrival = queue.front().arrival;
    }
    return first;
  }
  [[nodiscard]] Ticks earliest() const {
    const int sender = first_sender();
    const Ticks arrival = sender < 0 ? never : fabric_->queue(sender, rank_).front().arrival;
    return std::min(first_local(), arrival);
  }
  /// How long a poll lasts that finds nothing: asleep longer than one probe.
  [[nodiscard]] Ticks longest_poll() const {
    return patience_ > 0 ? patience_ : costs().empty_poll;
  }
  /// When this rank's poll ends: at what comes next, or once it found nothing.
  [[nodiscard]] Ticks next_event() const {
    const Ticks first = earliest();
    const Ticks now = now_;
    if (longest_poll() > 0) return std::min(std::max(first, now), now + longest_poll());
    return first == never ? never : std::max(first, now);
  }

  /// A poll that comes back when there is nothing.
  void probe(std::unique_lock<std::mutex>& hold) noexcept {
    if (fabric_->dead) fault_ = {1, "poll"};
    if (earliest() == never) {
      hold.unlock();
      std::this_thread::yield();
    } else if (!take_local()) {
      take(first_sender());
    }
  }

  /// A rank that only walks would do so for ever after a message was lost.
  void walk() noexcept {
    constexpr int most = 20'000;
    VirtualClock::time() += longest_poll();
    if (++steps_ > most) fault_ = {1, "poll"};
  }

  /// How long this rank kept its transfers waiting, where they need it.
  [[nodiscard]] Ticks held_up() const { return costs().needs_the_host ? VirtualClock::away() : 0; }
  /// When a transfer is done, if the rank does nothing but wait for it.
  [[nodiscard]] Ticks pending(Ticks done) const { return done - held_up(); }

  /// Whether a completion is still to come: a probe that finds nothing lasts until then.
  [[nodiscard]] bool finds_nothing(Ticks completion) const {
    if (!costs().idle_polls || completion <= VirtualClock::time()) return false;
    VirtualClock::time() = completion;
    return true;
  }

  // The earlier of this side's completions, unless a message came before it.
  bool take_local() {
    const Ticks first = first_local();
    if (first == never || earliest() < first) return false;
    VirtualClock::time() = std::max(VirtualClock::time(), first);
    if (first_send_end() <= first_transfer()) {
      const auto ended = first_send();
      if (ended->done == never) fabric_->acknowledged_of(rank_, ended->to).pop_front();
      ended_.note(ended->to);
      sends_.erase(ended);
    } else {
      transfers_.pop_front();
    }
    return true;
  }

  void take(int sender) {
    auto& queue = fabric_->queue(sender, rank_);
    const Message message = std::move(queue.front());
    queue.pop_front();
    VirtualClock::time() = std::max(VirtualClock::time(), message.arrival);
    std::byte* target = message.target;
    std::size_t room = message.content.size();
    if (target == nullptr || message.notice) {
      VirtualClock::time() += costs().receive_overhead;
      const auto posted = std::find_if(receives_.begin(), receives_.end(),
                                       [&](const Posted& one) { return one.from == sender; });
      if (posted == receives_.end() || posted->notice != message.notice) {
        fault_ = {2, "a message that nobody expected"};
        return;
      }
      if (target == nullptr) {
        target = posted->buffer.data;
        room = std::min(room, posted->buffer.bytes);
        if (posted->at > message.arrival) ++fabric_->unexpected[message.content.size()];
      }
      if (message.acknowledge) {
        fabric_->acknowledged_of(sender, rank_).push_back(VirtualClock::time());
      }
      ended_.note(sender);
      receives_.erase(posted);
    }
    if (room != 0) std::memcpy(target, message.content.data(), room);
  }

  std::deque<Sent> sends_;
  std::uint32_t together_ = 0;
  std::deque<Ticks> transfers_;
  std::deque<Posted> receives_;
  EndedPeers ended_;
  Card card_;
  Ticks wire_free_ = 0;
  Ticks last_arrival_ = 0;
  bool exposes_ = false;
  /// The rank's clock when it began to wait: other threads ask for it.
  Ticks now_ = 0;
  /// How long it had kept its transfers waiting then.
  Ticks held_ = 0;
  /// Polls in a row that found nothing.
  int steps_ = 0;
  /// Of a rank that sleeps; 0 of one that is awake.
  Ticks patience_ = 0;
};

}  // namespace weft::fake

// A fabric in virtual time, for tests whose answer is known: two or more ranks are threads, and
// every message takes exactly what the script says.
#pragma once

#include <array>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../batch.hpp"
#include "../bootstrap.hpp"

namespace weft::fake {

/// Costs in virtual ticks (1 tick = 1 ns): the LogGP parameters of the fabric.
struct Costs {
  Ticks send_overhead = 0;
  Ticks receive_overhead = 0;
  Ticks latency = 100;
  Ticks per_byte = 0;
  Ticks gap = 0;
  Ticks clock_read = 0;
};

/// What goes wrong with one message of rank 0, counted from 0 over the fabric's life.
struct Mischief {
  std::size_t message = std::numeric_limits<std::size_t>::max();
  std::size_t flip_offset = std::numeric_limits<std::size_t>::max();
  bool drop = false;
  bool repeat = false;
  Ticks delay = 0;
};

struct Message {
  std::vector<std::byte> content;
  Ticks arrival = 0;
};

/// Shared by all ranks. When every rank waits, some of them for a message, the fabric is dead: a
/// message was lost, and every rank is told so instead of waiting for ever.
struct Fabric {
  explicit Fabric(int ranks)
      : size(ranks),
        lanes(static_cast<std::size_t>(ranks * ranks)),
        waits_for(static_cast<std::size_t>(ranks)),
        idle(static_cast<std::size_t>(ranks)) {}

  /// Called under the lock by a rank that begins to wait.
  void look_whether_dead() {
    bool waiting = false;
    for (std::size_t rank = 0; rank < waits_for.size(); ++rank) {
      const auto* lane = waits_for[rank];
      const bool stuck = lane != nullptr && lane->empty();
      if (!stuck && !idle[rank]) return;
      waiting = waiting || stuck;
    }
    dead = dead || waiting;
    if (dead) changed.notify_all();
  }

  /// A rank outside the link (in an exchange, or at its end) sends nothing.
  void set_idle(int rank) {
    const std::scoped_lock hold(lock);
    idle[static_cast<std::size_t>(rank)] = true;
    look_whether_dead();
  }

  /// All have met; done by the last to come, so that none counts as idle while it wakes up.
  void wake_all() {
    const std::scoped_lock hold(lock);
    idle.assign(idle.size(), false);
  }

  std::deque<Message>& lane(int from, int to) {
    return lanes[static_cast<std::size_t>(from * size + to)];
  }

  int size;
  Costs costs;
  Mischief mischief;
  std::mutex lock;
  std::condition_variable changed;
  std::vector<std::deque<Message>> lanes;
  std::size_t sent_by_rank_0 = 0;
  std::vector<const std::deque<Message>*> waits_for;
  std::vector<bool> idle;
  bool dead = false;
};

/// The virtual clock of the rank that asks: each rank is one thread.
struct VirtualClock {
  static constexpr std::string_view name = "virtual";
  static Ticks& time() noexcept {
    thread_local Ticks now_ticks = 0;
    return now_ticks;
  }
  static Ticks& read_cost() noexcept {
    thread_local Ticks cost = 0;
    return cost;
  }
  static Ticks now() noexcept { return time() += read_cost(); }
};

/// One rank's link to the fabric.
class Link final {
 public:
  static constexpr std::string_view name = "fake";
  static constexpr std::string_view summary = "a scripted fabric in virtual time";

  Link(Fabric& fabric, int rank) : fabric_(&fabric), rank_(rank) {
    VirtualClock::time() = 0;
    VirtualClock::read_cost() = fabric.costs.clock_read;
  }

  [[nodiscard]] Buffer allocate(std::size_t bytes) const { return map_memory(bytes); }
  void release(const Buffer& buffer) const { unmap_memory(buffer); }
  void reserve(std::size_t /*depth*/) {}

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    const std::scoped_lock hold(fabric_->lock);
    const Costs& costs = fabric_->costs;
    VirtualClock::time() += costs.send_overhead;
    wire_free_ =
        std::max(wire_free_, VirtualClock::time()) + costs.gap + costs.per_byte * buffer.bytes;
    Message message{{buffer.data, buffer.data + buffer.bytes}, wire_free_ + costs.latency};
    deliver(peer.rank, std::move(message));
    sends_.push_back(wire_free_);
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    receives_.push_back({peer.rank, buffer});
  }
  void poll() noexcept {
    std::unique_lock hold(fabric_->lock);
    if (!sends_.empty() && (receives_.empty() || !first_arrived_before(sends_.front()))) {
      VirtualClock::time() = std::max(VirtualClock::time(), sends_.front());
      sends_.pop_front();
      return;
    }
    if (receives_.empty()) return;
    auto& lane = fabric_->lane(receives_.front().from, rank_);
    wait_for_message(hold, lane);
    if (!fabric_->dead) take(lane);
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept {
    return static_cast<std::uint32_t>(sends_.size());
  }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept {
    return static_cast<std::uint32_t>(receives_.size());
  }
  [[nodiscard]] const Fault* fault() const noexcept { return fault_.code == 0 ? nullptr : &fault_; }

 private:
  struct Posted {
    int from;
    Buffer buffer;
  };

  void deliver(int to, Message message) {
    Mischief none;
    const bool hit = rank_ == 0 && fabric_->sent_by_rank_0++ == fabric_->mischief.message;
    const Mischief& mischief = hit ? fabric_->mischief : none;
    if (mischief.drop) return;
    if (mischief.flip_offset < message.content.size()) {
      message.content[mischief.flip_offset] ^= std::byte{0x10};
    }
    message.arrival += mischief.delay;
    if (mischief.repeat) fabric_->lane(rank_, to).push_back(message);
    fabric_->lane(rank_, to).push_back(std::move(message));
    fabric_->changed.notify_all();
  }

  bool first_arrived_before(Ticks time) {
    auto& lane = fabric_->lane(receives_.front().from, rank_);
    return !lane.empty() && lane.front().arrival < time;
  }

  void wait_for_message(std::unique_lock<std::mutex>& hold, std::deque<Message>& lane) {
    const auto self = static_cast<std::size_t>(rank_);
    fabric_->waits_for[self] = &lane;
    fabric_->look_whether_dead();
    fabric_->changed.wait(hold, [&] { return !lane.empty() || fabric_->dead; });
    fabric_->waits_for[self] = nullptr;
    if (fabric_->dead) fault_ = {1, "poll"};
  }

  void take(std::deque<Message>& lane) {
    const Message message = std::move(lane.front());
    lane.pop_front();
    VirtualClock::time() =
        std::max(VirtualClock::time(), message.arrival) + fabric_->costs.receive_overhead;
    const Buffer& buffer = receives_.front().buffer;
    if (buffer.bytes != 0) {
      std::memcpy(buffer.data, message.content.data(),
                  std::min(buffer.bytes, message.content.size()));
    }
    receives_.pop_front();
  }

  Fabric* fabric_;
  int rank_;
  std::deque<Ticks> sends_;
  std::deque<Posted> receives_;
  Ticks wire_free_ = 0;
  Fault fault_;
};

/// Threads that meet: the exchange of the ranks of one process.
struct Meeting {
  explicit Meeting(int ranks) : size(ranks), texts(static_cast<std::size_t>(ranks)) {}
  int size;
  std::mutex lock;
  std::condition_variable changed;
  std::vector<std::string> texts;
  std::vector<std::string> last;
  int arrived = 0;
  int generation = 0;
  bool abandoned = false;

  /// A rank whose link broke will not come any more: what an abort does to a real job.
  void abandon() {
    const std::scoped_lock hold(lock);
    abandoned = true;
    changed.notify_all();
  }
};

class ThreadBootstrap final : public Bootstrap {
 public:
  ThreadBootstrap(Meeting& meeting, Fabric& fabric, int rank)
      : meeting_(&meeting), fabric_(&fabric), rank_(rank) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return meeting_->size; }
  std::vector<std::string> exchange(const std::string& mine) override {
    fabric_->set_idle(rank_);
    return meet(mine);
  }
  std::string broadcast(const std::string& mine) override { return exchange(mine).front(); }
  void barrier() override { exchange(""); }
  [[nodiscard]] std::string library() const override { return "threads"; }
  [[noreturn]] void abort(int status) override { std::_Exit(status); }

 private:
  std::vector<std::string> meet(const std::string& mine) {
    std::unique_lock hold(meeting_->lock);
    meeting_->texts[static_cast<std::size_t>(rank_)] = mine;
    const int generation = meeting_->generation;
    if (++meeting_->arrived == meeting_->size) {
      meeting_->arrived = 0;
      meeting_->last = meeting_->texts;
      fabric_->wake_all();
      ++meeting_->generation;
      meeting_->changed.notify_all();
    }
    meeting_->changed.wait(
        hold, [&] { return meeting_->generation != generation || meeting_->abandoned; });
    if (meeting_->generation == generation) throw std::runtime_error("a rank is gone");
    return meeting_->last;
  }

  Meeting* meeting_;
  Fabric* fabric_;
  int rank_;
};

struct Result {
  bool whole = false;
  Batch batch;
  Ticks elapsed = 0;
};

/// Run one case on all ranks; rank 0's result. `Patterns` may hold planted ones.
template <class Patterns = AllPatterns>
Result run(const Case& test, const Costs& costs, const Mischief& mischief = {}, int ranks = 2) {
  Fabric fabric(ranks);
  fabric.costs = costs;
  fabric.mischief = mischief;
  Meeting meeting(ranks);
  Result result;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      Link link(fabric, rank);
      ThreadBootstrap boot(meeting, fabric, rank);
      Batch batch;
      bool whole = false;
      try {
        whole =
            run_case<Link, VirtualClock>(link, boot, test, batch, static_cast<Patterns*>(nullptr));
      } catch (const std::runtime_error& error) {
        batch.outcome = {Status::failed, error.what(), 0};
      }
      if (!whole) meeting.abandon();
      fabric.set_idle(rank);
      if (rank == 0) result = {whole, batch, VirtualClock::time()};
    });
  }
  for (std::thread& thread : threads) thread.join();
  return result;
}

}  // namespace weft::fake

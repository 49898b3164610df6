// What all ranks of the fake fabric share: its costs, what is on the wires, the time.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <vector>

#include "host/clock.hpp"

namespace weft::fake {

/// Costs in virtual ticks (1 tick = 1 ns): the LogGP parameters of the fabric.
struct Costs {
  Ticks send_overhead = 0;
  Ticks receive_overhead = 0;
  Ticks latency = 100;
  Ticks per_byte = 0;
  Ticks gap = 0;
  Ticks clock_read = 0;
  /// What posting a receive takes, and asking after sends or after receives that are in flight.
  Ticks post_receive = 0;
  Ticks ask = 0;
  /// So many sends have one completion, as inline sends do: the others are gone with their post.
  std::uint32_t sends_together = 1;
  /// Whether receives under way may share memory, which libraries bear and MPI forbids.
  bool shares_receives = false;
  /// What a rank that slept takes to wake up.
  Ticks wake_up = 0;
  /// Registering and deregistering a buffer, and each byte of it.
  Ticks register_buffer = 0;
  Ticks register_byte = 0;
  Ticks deregister_buffer = 0;
  /// Whether registering what is registered already costs nothing.
  bool knows_registered = false;
  /// The card knows the buffers it sent last, so many; sending another one costs a lookup.
  std::size_t known_buffers = std::numeric_limits<std::size_t>::max();
  Ticks lookup = 0;
  /// What a round of computing takes, and from which time on it takes twice as long.
  Ticks compute_round = 1;
  Ticks slow_from = std::numeric_limits<Ticks>::max();
  /// Whether a probe that finds nothing yet is a call of its own, as on a real link.
  bool idle_polls = false;
  /// Whether a transfer gets on only while its rank is inside a call, as without a network card.
  bool needs_the_host = false;
  /// Whether the last byte of a put may be seen before the others.
  bool scatters = false;
  /// The longest message that the library copies: its buffer is free when the post returns.
  std::size_t copies_up_to = 0;
  /// Whether the buffer of any other send is free only once the receiver took the message and said
  /// so, and not when the message has left.
  bool acknowledges = false;
  /// How long after any other message has left its buffer is free, where a card reports it late.
  Ticks sends_end_later = 0;
  /// What a poll that finds nothing takes; without it time leaps to what comes next.
  Ticks empty_poll = 0;
  /// How long a rank that blocks sleeps at most where such a poll found nothing and nothing
  /// happens.
  Ticks longest_sleep = 0;
};

inline constexpr Ticks never = std::numeric_limits<Ticks>::max();

/// What goes wrong with one message of a rank, counted from 0 over the fabric's life.
struct Mischief {
  int rank = 0;
  std::size_t message = std::numeric_limits<std::size_t>::max();
  std::size_t flip_offset = std::numeric_limits<std::size_t>::max();
  bool drop = false;
  bool repeat = false;
  /// Whether the rank's link has a fault from that message on.
  bool breaks = false;
  Ticks delay = 0;
};

/// A put names its target; `notice` says that the target waits for it as for a message.
struct Message {
  std::vector<std::byte> content;
  Ticks arrival = 0;
  std::byte* target = nullptr;
  bool notice = false;
  /// Whether its sender waits for it to be taken.
  bool acknowledge = false;
};

/// Shared by all ranks. Of the ranks that wait, the one whose event comes first goes on, once all
/// others wait too: what happens does not depend on how the threads are scheduled. When every rank
/// waits and nothing is to come, the fabric is dead: a message was lost, and every rank is notified
/// instead of waiting for ever.
struct Fabric {
  explicit Fabric(int ranks)
      : size(ranks),
        queues(static_cast<std::size_t>(ranks * ranks)),
        acknowledged(static_cast<std::size_t>(ranks * ranks)),
        next_events(static_cast<std::size_t>(ranks)),
        idle(static_cast<std::size_t>(ranks)) {}

  /// Under the lock: whether it is the turn of a rank that waits.
  [[nodiscard]] bool may_go(int rank) const {
    const Ticks mine = next_events[static_cast<std::size_t>(rank)]();
    if (mine == never) return false;
    for (int other = 0; other < size; ++other) {
      const auto index = static_cast<std::size_t>(other);
      if (other == rank || idle[index]) continue;
      if (!next_events[index]) return false;
      const Ticks theirs = next_events[index]();
      if (theirs < mine || (theirs == mine && other < rank)) return false;
    }
    return true;
  }

  /// Called under the lock by a rank that begins to wait.
  void throw_if_dead() {
    bool waiting = false;
    for (std::size_t rank = 0; rank < next_events.size(); ++rank) {
      if (idle[rank]) continue;
      if (!next_events[rank] || next_events[rank]() != never) return;
      waiting = true;
    }
    dead = dead || waiting;
  }

  /// A rank outside the link (in an exchange, or at its end) sends nothing.
  void set_idle(int rank) {
    const std::scoped_lock hold(lock);
    idle[static_cast<std::size_t>(rank)] = true;
    throw_if_dead();
    changed.notify_all();
  }

  /// All have met; done by the last to come, so that none counts as idle while it wakes up.
  void wake_all() {
    const std::scoped_lock hold(lock);
    idle.assign(idle.size(), false);
  }

  std::deque<Message>& queue(int from, int to) {
    return queues[static_cast<std::size_t>(from * size + to)];
  }
  std::deque<Ticks>& acknowledged_of(int from, int to) {
    return acknowledged[static_cast<std::size_t>(from * size + to)];
  }
  [[nodiscard]] const Costs& costs_of(int rank) const {
    const auto own = unlike.find(rank);
    return own == unlike.end() ? costs : own->second;
  }

  int size;
  Costs costs;
  /// Ranks with costs of their own.
  std::map<int, Costs> unlike;
  Mischief mischief;
  /// Whether a poll waits for the next message, or comes back when there is none: as it must where
  /// a rank has other links to poll. Only the first kind sees that a message was lost.
  bool polls_wait = true;
  std::mutex lock;
  std::condition_variable changed;
  std::vector<std::deque<Message>> queues;
  /// Of each pair of ranks: when messages that are to be acknowledged were taken, oldest first.
  std::vector<std::deque<Ticks>> acknowledged;
  /// By length: messages that arrived before their receive was posted.
  std::map<std::size_t, std::size_t> unexpected;
  /// By the rank whose messages meet mischief.
  std::size_t sent = 0;
  /// By rank: when something happens for it next; none where it does not wait.
  std::vector<std::function<Ticks()>> next_events;
  std::vector<bool> idle;
  bool dead = false;
  /// An operation of all ranks, by its turn: when each came to it and what it gave, and how many
  /// have gone.
  struct Gathering {
    std::map<int, Ticks> came;
    std::map<int, std::vector<std::byte>> given;
    std::size_t gone = 0;
  };
  std::map<std::size_t, Gathering> gatherings;
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
  /// Time that was spent in computing and pauses: not in calls.
  static Ticks& away() noexcept {
    thread_local Ticks ticks = 0;
    return ticks;
  }
  static const Costs*& costs() noexcept {
    thread_local const Costs* script = nullptr;
    return script;
  }
  static Ticks now() noexcept { return time() += read_cost(); }
  static Ticks pause(Ticks least) noexcept {
    time() += read_cost() + least;
    return least;
  }
  static void compute(std::uint64_t rounds) noexcept {
    const Ticks took = rounds * costs()->compute_round * (time() < costs()->slow_from ? 1 : 2);
    time() += took;
    away() += took;
  }
};

}  // namespace weft::fake

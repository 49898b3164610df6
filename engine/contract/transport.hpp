// The contract between a pattern (what is measured) and a transport (over what).
//
// Control plane: constructing, connecting, adopting memory. It may allocate and may throw.
// Data plane: the noexcept calls below, resolved at compile time. They never allocate, never
// throw and never block; a fault is latched and read after the loop.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace weft {

using Ticks = std::uint64_t;

struct Peer {
  int rank;
};

/// Memory of one message. `key` is the transport's own handle of its registration.
struct Buffer {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::uint64_t key = 0;
};

/// Memory of another rank that one-sided operations may touch. `key` is the transport's own handle.
struct RemoteBuffer {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  std::uint64_t key = 0;

  [[nodiscard]] RemoteBuffer slice(std::size_t offset, std::size_t length) const noexcept {
    return {address + offset, length, key};
  }
};

/// Memory that a rank opened to the others: as its own transport knows it, and what theirs need to
/// reach it.
struct Opened {
  Buffer local;
  std::string name;
};

/// How much of a message is really there: a link to a model of a fabric may carry messages that are
/// longer than their buffers. `content` are the first bytes, which arrive and are looked at; `read`
/// are those that the library may read from where a message begins.
struct Carried {
  std::size_t content = std::numeric_limits<std::size_t>::max();
  std::size_t read = 0;

  [[nodiscard]] bool is_whole() const noexcept {
    return content == std::numeric_limits<std::size_t>::max();
  }
};

inline constexpr const char* peer_is_gone = "a peer ended or the network failed";

/// What broke on the data plane: the library's code, the call it came from, and why.
struct Fault {
  int code = 0;
  const char* during = "";
  const char* cause = peer_is_gone;
};

/// The fault of a link that was given more than `reserve` made room for; the code is the library's.
constexpr Fault too_much_posted(int code) noexcept {
  return {code, "posting beyond the queue's depth",
          "weft posted more than it had made room for; report this defect with the case, "
          "and choose a smaller --queue-depth"};
}

template <class T>
concept IsDataPlane = std::same_as<T, typename T::DataPlane>;

/// The class that the measured loops of a transport's mode call.
template <class T>
struct DataPlaneOf {
  using Type = T;
};
template <class T>
requires requires {
  typename T::DataPlane;
}
struct DataPlaneOf<T> {
  using Type = typename T::DataPlane;
};

/// Two-sided messaging: sends match receives of the same pair of ranks in the order of posting.
/// A send is in flight until its buffer may be reused, a receive until its data are in place. Where
/// only some sends ask for a completion, those before one that does may count as in flight again
/// until it came: the number in flight may grow by more than what was posted.
/// `reserve` readies the link for a case: it connects these ranks where they are not connected yet,
/// and makes room for so many sends, and as many receives, under way at once to each of them. All
/// ranks come to it, with the same depth, and those that name each other at once. Memory is the
/// engine's: `adopt` readies a part of it for messages and gives it back with the transport's key,
/// `disown` undoes that before the memory goes. A link that `adopts_at_once` is given the memory of
/// equal buffers as a whole, and what it makes of that holds for each of them.
/// Modes that move messages alike derive from one class, which they call their `DataPlane`: the
/// measured loops call that class and are compiled once for all of these modes.
template <class T>
concept TwoSided = (std::is_final_v<T> || IsDataPlane<T>)&&!std::is_polymorphic_v<T> &&
                   requires(T & link, const T& view, Peer peer, const Buffer& buffer,
                            std::size_t depth, std::span<const int> ranks) {
  { T::name } -> std::convertible_to<std::string_view>;
  { T::summary } -> std::convertible_to<std::string_view>;
  { link.adopt(buffer) } -> std::same_as<Buffer>;
  { link.disown(buffer) } -> std::same_as<void>;
  { link.reserve(depth, ranks) } -> std::same_as<void>;
  { link.post_send(peer, buffer) }
  noexcept->std::same_as<void>;
  { link.post_recv(peer, buffer) }
  noexcept->std::same_as<void>;
  { link.poll() }
  noexcept->std::same_as<void>;
  { view.sends_in_flight() }
  noexcept->std::same_as<std::uint32_t>;
  { view.receives_in_flight() }
  noexcept->std::same_as<std::uint32_t>;
  { view.fault() }
  noexcept->std::same_as<const Fault*>;
};

/// Transports whose library has calls that return when the message is done, for patterns that do
/// nothing else meanwhile: `send` when its buffer may be used again, `receive` when its data are in
/// place, each with a fault latched at the latest then. No other message is under way beside them.
template <class T>
concept Plain = TwoSided<T> && requires(T& link, Peer peer, const Buffer& buffer) {
  { link.send(peer, buffer) }
  noexcept->std::same_as<void>;
  { link.receive(peer, buffer) }
  noexcept->std::same_as<void>;
};

/// Transports whose library can be asked after sends alone: `poll_sends` completes no receive.
/// Others have one queue for both, or one engine that moves both.
template <class T>
concept AsksApart = TwoSided<T> && requires(T& link) {
  { link.poll_sends() }
  noexcept->std::same_as<void>;
};

/// Transports that post several messages to a peer, or receives from it, for less than one at a
/// time: `next()` gives the buffer of each.
template <class T>
concept PostsSeveral = TwoSided<T> &&
    requires(T& link, Peer peer, std::uint32_t count, const Buffer& (&next)()) {
  { link.post_sends(peer, count, next) }
  noexcept->std::same_as<void>;
  { link.post_recvs(peer, count, next) }
  noexcept->std::same_as<void>;
};

/// Transports whose sender waits until a receive for its message is posted: none is unexpected.
template <class T>
concept SendsWhatIsExpected = TwoSided<T> && T::sends_what_is_expected;

/// Transports whose library sums over all ranks: the sums of each number replace this rank's own,
/// on every rank, when the call returns. A fault is latched at the latest then.
template <class T>
concept Summing = TwoSided<T> && requires(T& link, std::span<double> numbers) {
  { link.sum(numbers) }
  noexcept->std::same_as<void>;
};

/// Transports whose library has operations of all ranks together, each over when the call returns.
/// A fault is latched at the latest then. `allreduce` sums floats of one buffer into another of the
/// same length; `broadcast` puts the root's buffer into those of all; in `alltoall` and `allgather`
/// a buffer of all ranks has a part for each, in the order of ranks. `meet` is what ranks come to
/// before each operation that is timed: the library's barrier, or in a model one moment for all.
/// Unlike `Summing`, which any
/// means will do for, these are what is measured: the library's own.
template <class T>
concept Collective = TwoSided<T> &&
    requires(T& link, Peer root, const Buffer& buffer, const Buffer& out, const Buffer& in) {
  { link.allreduce(out, in) }
  noexcept->std::same_as<void>;
  { link.broadcast(root, buffer) }
  noexcept->std::same_as<void>;
  { link.alltoall(out, in) }
  noexcept->std::same_as<void>;
  { link.allgather(out, in) }
  noexcept->std::same_as<void>;
  { link.barrier() }
  noexcept->std::same_as<void>;
  { link.meet() }
  noexcept->std::same_as<void>;
};

/// Transports that know of each send in flight whom it goes to, and of each receive whose message
/// it waits for. `take_ended` gives the rank of a peer with whom a send or a receive may have ended
/// since it was given last, those that have waited longest first, and -1 where there is none: who
/// has streams with many peers looks at these alone.
template <class T>
concept TellsPeers = TwoSided<T> && requires(T& link, const T& view, Peer peer) {
  { view.sends_in_flight(peer) }
  noexcept->std::same_as<std::uint32_t>;
  { view.receives_in_flight(peer) }
  noexcept->std::same_as<std::uint32_t>;
  { link.take_ended() }
  noexcept->std::same_as<int>;
};

/// One-sided operations, a refinement. `expose` opens memory of the engine to the ranks that
/// `reserve` was given last, and `withdraw` undoes that; each of them opens as much. The engine
/// passes on the name that it gives, and `reach` makes of another rank's name what this rank's
/// operations take (`leave`, where there is one, undoes that). A library that opens memory of its
/// own alone, or opens other memory at a loss, says `opens_own_memory`: it is given a size and no
/// address, and may have the ranks of the case meet in both calls. If the ranks of a host share
/// that memory, it says `shares_opened_memory`. `local` is memory of `adopt` or
/// of `expose`. A transfer is in flight until a put's local buffer may be reused or a get's data
/// are in place. `flush` begins the wait for the peer's memory: it counts as in flight until every
/// earlier put to that peer is visible there. `memory_polling_hazard` is empty where the last byte
/// of a put becomes visible last, so that a target may wait for it; otherwise it is the reason why
/// not.
template <class T>
concept OneSided = TwoSided<T> &&
    requires(T& link, const T& view, Peer peer, const Buffer& local, const RemoteBuffer& remote,
             const std::string& name, int rank, std::size_t bytes) {
  { link.expose(local) } -> std::same_as<Opened>;
  { link.withdraw(local) } -> std::same_as<void>;
  { link.reach(rank, bytes, name) } -> std::same_as<RemoteBuffer>;
  { view.memory_polling_hazard() } -> std::convertible_to<std::string>;
  { link.put(peer, local, remote) }
  noexcept->std::same_as<void>;
  { link.get(peer, local, remote) }
  noexcept->std::same_as<void>;
  { link.flush(peer) }
  noexcept->std::same_as<void>;
  { view.transfers_in_flight() }
  noexcept->std::same_as<std::uint32_t>;
};

/// One-sided transports whose library has calls that return when a put is in the peer's memory, or
/// a get's data are in place, for patterns that do nothing else meanwhile. No other transfer is
/// under way beside them.
template <class T>
concept PlainOneSided = OneSided<T> &&
    requires(T& link, Peer peer, const Buffer& local, const RemoteBuffer& remote) {
  { link.put_and_flush(peer, local, remote) }
  noexcept->std::same_as<void>;
  { link.get_and_flush(peer, local, remote) }
  noexcept->std::same_as<void>;
};

/// Puts that tell the target when they are in place (immediate data, a counter, an event).
/// `expect_notice` makes room for one; it counts among the receives in flight until it came.
template <class T>
concept Notifying = OneSided<T> &&
    requires(T& link, Peer peer, const Buffer& local, const RemoteBuffer& remote) {
  { link.expect_notice(peer) }
  noexcept->std::same_as<void>;
  { link.put_notify(peer, local, remote) }
  noexcept->std::same_as<void>;
};

/// Memory that the library must know of before a device may touch it. What is registered has a key
/// of its own; registering may be timed, so like the data plane it latches a fault (and gives the
/// buffer back as it was). `reserve` makes room for twice as many registrations at once,
/// `make_room` (control plane) for so many more. `registers_ahead` tells whether `adopt`
/// registers, or leaves that to the library.
template <class T>
concept Registers = TwoSided<T> &&
    requires(T& link, const T& view, const Buffer& memory, std::size_t count) {
  { view.registers_ahead() } -> std::convertible_to<bool>;
  { link.make_room(count) } -> std::same_as<void>;
  { link.register_memory(memory) }
  noexcept->std::same_as<Buffer>;
  { link.deregister_memory(memory) }
  noexcept->std::same_as<void>;
};

/// How a rank waits, chosen by template. `step` is one poll or one sleep; `settle` waits until at
/// most so many sends and receives are in flight and is false once the link has a fault.
template <class W, class T>
concept Waiting = requires(T& link, std::uint32_t most) {
  { W::name } -> std::convertible_to<std::string_view>;
  { W::step(link) }
  noexcept->std::same_as<void>;
  { W::settle(link, most, most) }
  noexcept->std::same_as<bool>;
};

/// A wait that is made of steps.
template <class Wait, TwoSided T>
[[nodiscard]] bool settle_by_steps(T& link, std::uint32_t sends, std::uint32_t receives) noexcept {
  while (link.sends_in_flight() > sends || link.receives_in_flight() > receives) {
    Wait::step(link);
    if (link.fault() != nullptr) return false;
  }
  return true;
}

/// Spin on the transport's completions: ask, and ask again.
struct SpinOnCompletions {
  static constexpr std::string_view name = "spin";
  template <TwoSided T>
  static void step(T& link) noexcept {
    link.poll();
  }
  template <TwoSided T>
  static bool settle(T& link, std::uint32_t sends, std::uint32_t receives) noexcept {
    return settle_by_steps<SpinOnCompletions>(link, sends, receives);
  }
};

/// Wait in the library's own call (MPI_Wait), which spins too but does not start anew each time.
/// `T::await` returns when at most so many are in flight, or with a fault.
struct WaitInLibrary {
  static constexpr std::string_view name = "library";
  template <TwoSided T>
  static void step(T& link) noexcept {
    link.poll();
  }
  template <TwoSided T>
  requires requires(T& link) {
    { link.await(1U, 1U) }
    noexcept->std::same_as<void>;
  }
  static bool settle(T& link, std::uint32_t sends, std::uint32_t receives) noexcept {
    link.await(sends, receives);
    return link.fault() == nullptr;
  }
};

/// Whether a pattern that waits for each transfer takes the library's calls that wait themselves.
template <class Wait, class T>
concept WaitsInTransfers = PlainOneSided<T> && std::same_as<Wait, WaitInLibrary>;

/// Sleep until the transport has an event, only for transports that can. `T::block()` polls, and
/// sleeps only if that found nothing, for 100 ms at most; an event between the two is not lost.
struct BlockOnEvent {
  static constexpr std::string_view name = "block";
  template <TwoSided T>
  requires requires(T& link) {
    { link.block() }
    noexcept->std::same_as<void>;
  }
  static void step(T& link) noexcept { link.block(); }
  template <TwoSided T>
  static bool settle(T& link, std::uint32_t sends, std::uint32_t receives) noexcept {
    return settle_by_steps<BlockOnEvent>(link, sends, receives);
  }
};

/// Wait a step where something may have been posted since the link was asked last. That may be over
/// at once, where the library copies or a message had come before its receive, and no event tells
/// of it: nobody sleeps before the link was asked.
template <class Wait, TwoSided T>
void step_after_posts(T& link, bool has_posted) noexcept {
  if (has_posted) {
    link.poll();
  } else {
    Wait::step(link);
  }
}

/// The cheapest way to wait that a transport has.
template <TwoSided T>
using UsualWait = std::conditional_t<Waiting<WaitInLibrary, T>, WaitInLibrary, SpinOnCompletions>;

/// Wait until at most so many one-sided transfers are in flight. False once the link has a fault.
template <class Wait, OneSided T>
[[nodiscard]] inline bool settle_transfers(T& link, std::uint32_t transfers) noexcept {
  while (link.transfers_in_flight() > transfers) {
    Wait::step(link);
    if (link.fault() != nullptr) return false;
  }
  return true;
}

/// Wait until no send and no receive is in flight.
template <class Wait, TwoSided T>
[[nodiscard]] inline bool drain(T& link) noexcept {
  return Wait::settle(link, 0, 0);
}

}  // namespace weft

// What a pattern says of itself at compile time, with what holds where it says nothing.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>

#include "contract/application.hpp"
#include "contract/roles.hpp"
#include "contract/task.hpp"
#include "contract/transport.hpp"

namespace weft {

template <class P>
concept Streams = P::streams;

/// A stream that waits for all of a window before it posts the next one: its samples are whole
/// windows, for a part of one would hold the wait of a whole one.
template <class P>
concept WholeWindows = P::whole_windows;

/// A pattern of two ranks of which only the first sends messages: only the second has buffers for
/// those that arrive.
template <class P>
concept OneWay = P::one_way;

/// A pattern whose messages may come before their receive is posted: that is its subject, or part
/// of the definition that it measures by. Of no other one is a measured message unexpected.
template <class P>
concept MeasuresUnexpected = P::measures_unexpected;

template <class P>
concept EveryRank = P::every_rank;

template <class P>
concept PollsMemory = P::polls_memory;

/// A pattern that registers what it sends: its messages lie in memory that is not registered.
template <class P>
concept RegistersItself = P::registers;

/// How many outgoing buffers a pattern takes in turn at least, where the case names one: several
/// are in use at once and must not have the same pages.
template <class P>
constexpr std::uint32_t least_buffers() {
  if constexpr (requires { P::least_buffers; }) return P::least_buffers;
  return 1;
}

/// What an application needs in memory for each site of a rank.
template <class P>
constexpr std::uint32_t bytes_per_site() {
  if constexpr (requires { P::bytes_per_site; }) return P::bytes_per_site;
  return 0;
}

/// A pattern of operations of all ranks together, in memory of its own.
template <class P>
concept IsCollective = P::is_collective;

/// How many messages such a pattern has room for, and how many for each rank.
template <class P>
constexpr std::uint32_t own_messages() {
  if constexpr (requires { P::own_messages; }) return P::own_messages;
  return 0;
}
template <class P>
constexpr std::uint32_t own_messages_per_rank() {
  if constexpr (requires { P::own_messages_per_rank; }) return P::own_messages_per_rank;
  return 0;
}

/// A pattern of rank 0 with each of the others that take part.
template <class P>
concept IsStar = P::is_star;

/// A pattern that has every rank in a pair, but for one of an odd number.
template <class P>
concept PairsAll = P::pairs_all;

/// How many more ranks take part for each unit of the point; of a pattern with roles that says
/// nothing all ranks do.
template <class P>
constexpr std::uint32_t ranks_per_point() {
  if constexpr (requires { P::ranks_per_point; }) return P::ranks_per_point;
  return 0;
}

/// How many ranks take part at any point; 0: see Footprint.
template <class P>
constexpr std::uint32_t ranks_of() {
  if constexpr (IsStar<P>) return 1;
  if constexpr (HasRoles<P> || EveryRank<P>) return 0;
  return static_cast<std::uint32_t>(P::info.ranks);
}

template <class P>
constexpr Opens opens_of() {
  if constexpr (requires { P::opens; }) return P::opens;
  return Opens::none;
}

/// The series of rank 0's own times where its samples are of all ranks together.
inline constexpr std::string_view own_times = "own";

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

/// How many receives, or transfers into memory of its own, a rank has under way at once at most:
/// each has a buffer of its own. A stream has 2Q; another pattern of several says how many at a
/// point of its axis. The number grows with Q, and with the point, by as much each time: the
/// memory of a case follows from few of them.
template <class P, class Wait, class T>
constexpr std::uint32_t receives_at_once(std::uint32_t queue_depth, std::uint64_t point) {
  if constexpr (requires { P::template receives_at_once<Wait, T>(queue_depth, point); }) {
    return P::template receives_at_once<Wait, T>(queue_depth, point);
  }
  if constexpr (Streams<P>) return 2 * queue_depth;
  return 1;
}

/// What a case of a pattern holds at most, whichever wait it uses. Where work is charged and not
/// executed an application holds nothing.
template <class P, class T, class Now>
constexpr Footprint footprint_of() {
  const auto at_once = [](std::uint32_t queue_depth, std::uint64_t point) {
    return std::max(receives_at_once<P, UsualWait<T>, T>(queue_depth, point),
                    receives_at_once<P, SpinOnCompletions, T>(queue_depth, point));
  };
  const std::uint32_t for_each = at_once(2, 0) - at_once(1, 0);
  const std::uint32_t for_point = at_once(1, 1) - at_once(1, 0);
  return {messages_per_operation<P>(),
          messages_before<P>(),
          static_cast<std::uint32_t>(parts_of<P>().size()) + 1,
          Streams<P>,
          at_once(1, 0) - for_each,
          for_each,
          for_point,
          least_buffers<P>(),
          ChargesWork<Now> ? 0 : bytes_per_site<P>(),
          own_messages<P>(),
          own_messages_per_rank<P>(),
          ranks_of<P>(),
          ranks_per_point<P>(),
          IsStar<P>,
          PairsAll<P>};
}

/// What of a pattern no model of a fabric shows, in words; empty where one shows all of it. A
/// pattern says it as `beyond_models`.
template <class P>
constexpr std::string_view beyond_models() {
  if constexpr (requires { P::beyond_models; }) return P::beyond_models;
  return "";
}

/// A transport that carries messages over a model of a fabric and not over the fabric.
template <class T>
concept IsModel = T::is_model;

template <class P, class T, class Now, class Wait>
concept RunsOn = requires(T& link, Task& task) {
  { P::template run<Now, Wait>(link, task) }
  noexcept->std::same_as<bool>;
};

}  // namespace weft

// A pattern on a transport as data: what both say of themselves at compile time, and the entries to
// the measured loops. What runs a case knows neither type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "contract/application.hpp"
#include "contract/pattern_traits.hpp"
#include "contract/roles.hpp"
#include "contract/sums.hpp"
#include "contract/task.hpp"

namespace weft {

/// How a pattern waits on a transport.
struct LoopOn {
  std::string_view wait;
  /// How many receives a rank has under way at once with so many messages in flight, at a point.
  std::uint32_t (*receives_at_once)(std::uint32_t queue_depth, std::uint64_t point) = nullptr;
  /// Runs the measured loop once, over the link of that type. False once it has a fault.
  bool (*run)(void* link, Task& task) noexcept = nullptr;
};

/// One for each wait at most, the usual one first. A list of patterns is a constant with these.
class Loops {
 public:
  constexpr Loops() = default;
  constexpr Loops(std::initializer_list<LoopOn> loops) {
    for (const LoopOn& loop : loops) push_back(loop);
  }
  constexpr void push_back(const LoopOn& loop) { loops_.at(count_++) = loop; }

  [[nodiscard]] constexpr bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr LoopOn& front() noexcept { return loops_.front(); }
  [[nodiscard]] constexpr const LoopOn& front() const noexcept { return loops_.front(); }
  [[nodiscard]] constexpr const LoopOn* begin() const noexcept { return loops_.data(); }
  [[nodiscard]] constexpr const LoopOn* end() const noexcept { return loops_.data() + count_; }

 private:
  static constexpr std::size_t most = 3;
  std::array<LoopOn, most> loops_{};
  std::size_t count_ = 0;
};

struct PatternOn {
  PatternInfo info{};
  std::span<const std::string_view> parts;
  Footprint footprint{};
  Opens opens = Opens::none;
  bool whole_windows = false;
  bool every_rank = false;
  bool every_rank_times = false;
  bool polls_memory = false;
  bool registers = false;
  bool keeps_time = false;
  /// Whether the library moves parts of its messages on: all of them is wanted then.
  bool is_collective = false;
  /// Makes a rank's share of an application, which looks at its messages' content itself; nothing
  /// where there is none.
  std::unique_ptr<Application> (*prepare)(const Case& spec, int rank, int size,
                                          const Buffer& own) = nullptr;
  /// What this rank does in a case.
  Role (*role)(const Case& spec, int rank, int size) = nullptr;
  /// Why a case needs more ranks; empty when it does not. Nothing where any number will do.
  std::string (*lacks)(const Case& spec, int size) = nullptr;
  /// Why the transport cannot run it at all; empty when it can.
  std::string_view lack;
  /// The usual wait first.
  Loops loops;
};

/// A pattern of which a rank acts at set times.
template <class P>
concept KeepsTime = P::keeps_time;

/// Why a pattern cannot run on a transport, decided at compile time; empty when it can.
template <class Pattern, TwoSided T, Clock Now>
constexpr std::string_view lack_of() {
  if constexpr (IsModel<T> && !beyond_models<Pattern>().empty()) return beyond_models<Pattern>();
  if constexpr (MeasuresUnexpected<Pattern> && SendsWhatIsExpected<T>) {
    return "the transport sends no message before its receive is posted";
  }
  if constexpr (RunsOn<Pattern, T, Now, UsualWait<T>>) return "";
  if constexpr (IsCollective<Pattern>) return "the transport has no collective operations";
  if constexpr (HasRoles<Pattern> && !TellsPeers<T>) {
    return "the transport does not report whose message arrived";
  }
  if constexpr (RegistersItself<Pattern>) return "the transport registers no memory by itself";
  if constexpr (OneSided<T>) return "the transport cannot notify the target of a put";
  return "the transport has no one-sided operations";
}

/// This rank's role: the pattern's own, or that in a ring of the ranks it needs.
template <class P, TwoSided T>
Role role_of(const Case& spec, int rank, int size) {
  if constexpr (P::info.lattice.dimensions > 0 && !Summing<T>) {
    if (spec.lattice.sums > 0) return with_sums(P::role(spec, rank, size), rank, size);
  }
  if constexpr (HasRoles<P>) return P::role(spec, rank, size);
  if constexpr (OneWay<P>) return one_way_role(rank, spec.is_back);
  return ring_role(rank, EveryRank<P> ? size : P::info.ranks);
}

/// Its data plane if that can wait so.
template <TwoSided T, class Wait>
using CalledBy = std::conditional_t<Waiting<Wait, typename DataPlaneOf<T>::Type>,
                                    typename DataPlaneOf<T>::Type, T>;

template <class Pattern, TwoSided T, Clock Now, class Wait>
constexpr LoopOn loop_on() {
  using Called = CalledBy<T, Wait>;
  return {Wait::name, receives_at_once<Pattern, Wait, Called>, [](void* link, Task& task) noexcept {
            Called& called = *static_cast<T*>(link);
            return measured_loop<Pattern, Now, Wait>(called, task);
          }};
}

/// A loop for each wait that a transport has and the pattern knows, the usual one first.
template <class Pattern, TwoSided T, Clock Now>
constexpr Loops loops_on() {
  using Usual = UsualWait<T>;
  Loops loops{loop_on<Pattern, T, Now, Usual>()};
  if constexpr (!std::is_same_v<Usual, SpinOnCompletions> &&
                RunsOn<Pattern, T, Now, SpinOnCompletions>) {
    loops.push_back(loop_on<Pattern, T, Now, SpinOnCompletions>());
  }
  if constexpr (Waiting<BlockOnEvent, T> && RunsOn<Pattern, T, Now, BlockOnEvent>) {
    loops.push_back(loop_on<Pattern, T, Now, BlockOnEvent>());
  }
  return loops;
}

template <class P, TwoSided T, Clock Now>
constexpr PatternOn pattern_on() {
  PatternOn one;
  one.info = P::info;
  one.parts = parts_of<P>();
  static_assert(parts_of<P>().size() <= most_parts);
  one.lack = lack_of<P, T, Now>();
  if constexpr (lack_of<P, T, Now>().empty()) {
    one.footprint = footprint_of<P, T, Now>();
    one.opens = opens_of<P>();
    one.whole_windows = WholeWindows<P>;
    one.every_rank = EveryRank<P>;
    one.every_rank_times = every_rank_times<P>();
    one.polls_memory = PollsMemory<P>;
    one.registers = RegistersItself<P>;
    one.keeps_time = KeepsTime<P>;
    if constexpr (requires { P::is_collective; }) one.is_collective = P::is_collective;
    if constexpr (Prepares<P, Now>) one.prepare = P::template prepare<Now>;
    one.role = role_of<P, typename DataPlaneOf<T>::Type>;
    if constexpr (HasRoles<P>) one.lacks = P::lacks;
    one.loops = loops_on<P, T, Now>();
  }
  return one;
}

/// What of the engine's patterns a transport can run, and what it cannot.
template <TwoSided T, Clock Now, class... Patterns>
std::vector<PatternOn> patterns_on(const std::tuple<Patterns...>* /*list*/) {
  static constexpr std::array<PatternOn, sizeof...(Patterns)> all{
      pattern_on<Patterns, T, Now>()...};
  return {all.begin(), all.end()};
}

/// The waits that a transport has, the usual one first.
template <TwoSided T>
std::vector<std::string_view> waits_of() {
  std::vector<std::string_view> names{UsualWait<T>::name};
  if (names.front() != SpinOnCompletions::name) names.push_back(SpinOnCompletions::name);
  if constexpr (Waiting<BlockOnEvent, T>) names.push_back(BlockOnEvent::name);
  return names;
}

}  // namespace weft

// What benchmarks of operations of all ranks together share: their memory, their loop, the check of
// what came of it.
#pragma once

#include <climits>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "contract/application.hpp"
#include "contract/clock.hpp"
#include "contract/roles.hpp"
#include "contract/task.hpp"
#include "host/memory.hpp"

namespace weft {

/// What a rank gives to an operation and what it gets: memory without gaps, whose parts lie in the
/// order of ranks, as such operations want it.
class CollectiveMemory final : public Application {
 public:
  /// Of room for so many messages without gaps: what the rank gives is first, and what it gets
  /// begins at the next page.
  CollectiveMemory(const Case& spec, int own_rank, int of_ranks, const Buffer& room,
                   std::size_t messages_out, std::size_t messages_in)
      : rank_(own_rank), size_(of_ranks), message_bytes_(spec.bytes), id_(spec.id) {
    if (room.bytes == 0) return;
    constexpr std::size_t page = 4096;
    out_ = {room.data, messages_out * spec.bytes, 0};
    in_ = {room.data + (out_.bytes + page - 1) / page * page, messages_in * spec.bytes, 0};
  }

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] std::size_t message_bytes() const noexcept { return message_bytes_; }
  [[nodiscard]] const Buffer& out() const noexcept { return out_; }
  [[nodiscard]] const Buffer& in() const noexcept { return in_; }
  /// Of a message of an operation: from a rank, to one where each gets another.
  [[nodiscard]] Content content(int from, std::uint32_t operation, int to = 0) const noexcept {
    constexpr unsigned shift = 32;
    return {static_cast<std::uint32_t>(from), id_,
            (std::uint64_t{operation} << shift) + static_cast<std::uint64_t>(to)};
  }
  /// A rank's part of a buffer of all.
  [[nodiscard]] std::span<std::byte> part(const Buffer& whole, int of_rank) const noexcept {
    return {whole.data + static_cast<std::size_t>(of_rank) * message_bytes_, message_bytes_};
  }

 private:
  int rank_;
  int size_;
  std::size_t message_bytes_;
  std::uint64_t id_;
  Buffer out_;
  Buffer in_;
};

/// Every rank takes part, and sends no messages of its own.
struct OfAllRanks {
  static constexpr bool is_collective = true;
  static constexpr bool every_rank = true;
  static constexpr bool every_rank_times = true;

  static Role role(const Case& /*spec*/, int /*rank*/, int /*size*/) {
    Role role;
    role.is_alone = true;
    return role;
  }
  static std::string lacks(const Case& spec, int /*size*/) {
    if (spec.schedule.kind != "one" || !spec.pages.empty()) {
      return "it has one buffer of its own each way; omit --buffers and --pages";
    }
    return spec.bytes <= INT_MAX ? "" : "a message of it has less than 2 GiB; choose smaller sizes";
  }
};

/// A byte or a number of the operation's result is not what it must be.
inline constexpr const char* wrong_result = "a wrong result of the operation on a rank";

/// As the OSU Micro-Benchmarks measure a collective operation (osu_allreduce and the others):
/// before each all ranks meet, outside the clock, and each rank takes its own time from its call to
/// its return. Their figure is the mean over ranks and operations; every rank's times are kept.
/// What came of the operation is checked on every rank: of some before the clock starts, of the
/// last one behind it.
template <class Operation, Clock Now, Collective T>
bool time_collective(T& link, Task& task) noexcept {
  constexpr std::uint32_t checked = 4;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-static-cast-downcast): what prepare() made
  const auto& own = static_cast<const CollectiveMemory&>(*task.application);
  if (task.checks) {
    for (std::uint32_t at = 1; at <= checked; ++at) {
      Operation::fill_in(own, at);
      Operation::call(link, own);
      if (link.fault() != nullptr) return false;
      Operation::check(own, at, task);
    }
    return true;
  }
  Operation::fill_in(own, 0);
  for (Ticks& sample : task.samples) {
    for (std::uint32_t op = 0; op < task.ops_per_sample; ++op) {
      link.meet();
      const Ticks start = Now::now();
      Operation::call(link, own);
      sample += Now::now() - start;
    }
    if (link.fault() != nullptr) return false;
  }
  Operation::check(own, 0, task);
  return true;
}

/// Whether memory has this content; counts it, and says where not that it is wrong.
inline void check_content(std::span<const std::byte> memory, const Content& content,
                          Task& task) noexcept {
  task.verified_bytes += memory.size();
  if (first_difference(memory, content)) task.wrong = wrong_result;
}

}  // namespace weft

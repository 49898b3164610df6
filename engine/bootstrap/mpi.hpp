// Ranks are started and found by MPI, whatever the measured traffic runs over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "bootstrap/bootstrap.hpp"

namespace weft {

/// Which MPI this program is linked with: openmpi or mpich.
std::string_view mpi_name();

/// Whether a rank of this MPI gives its core away where it waits in the library.
bool gives_core_away();

/// What MPI does in this program: the ranks only meet by it, or it carries the measured messages
/// too.
enum class MpiUse { meeting, measured };

/// Which threads of this program may call MPI: MPI_THREAD_SINGLE and so on.
enum class ThreadLevel : std::uint8_t { single, funneled, serialized, multiple };

/// The names of all levels, lowest first, comma-separated.
inline constexpr std::string_view thread_level_names = "single,funneled,serialized,multiple";

/// Throws std::invalid_argument for an unknown name.
ThreadLevel thread_level_called(std::string_view name);
std::string_view name_of(ThreadLevel level);

/// The level that MPI provides to this program, which may be higher than the requested one.
ThreadLevel provided_thread_level();

/// What no rank sleeps longer that has a core of its own, or that waits for MPI to start the
/// others.
inline constexpr long most_pause_ns = 20'000'000;

/// How long a rank sleeps at most before it looks again. All that sleep on a host look as often
/// together as two would, and where they share cores more seldom the more there are, for a poll
/// takes longer then: at 256 ranks 10 us, and all of them together 1 % of a core. Ranks that have a
/// core each take theirs from nobody.
constexpr long longest_pause_ns(long ranks_of_host, long cores) {
  constexpr long of_two_ns = 500'000;
  constexpr long longer_a_rank_ns = 4'000;
  constexpr long most_of_crowded_ns = 320'000'000;
  const bool share_cores = ranks_of_host > cores;
  const long of_rank_ns =
      share_cores ? std::max(of_two_ns / 2, longer_a_rank_ns * ranks_of_host) : of_two_ns / 2;
  return std::clamp(of_rank_ns * ranks_of_host, of_two_ns,
                    share_cores ? most_of_crowded_ns : most_pause_ns);
}

/// How much longer ranks may sleep while MPI starts them: Open MPI's look for each other every
/// 100 us, and where ranks outnumber cores, those and their starter get no core for it.
constexpr long pause_while_starting_ns(long ranks_of_host, long cores) {
  if (ranks_of_host <= cores) return 0;
  // As of ranks that have a core each: none sleeps longer than these.
  return longest_pause_ns(ranks_of_host, ranks_of_host);
}

class MpiBootstrap final : public Bootstrap {
 public:
  /// Throws std::runtime_error if MPI provides a lower level.
  MpiBootstrap(int* argc, char*** argv, MpiUse use, ThreadLevel level = ThreadLevel::funneled);
  MpiBootstrap(const MpiBootstrap&) = delete;
  MpiBootstrap& operator=(const MpiBootstrap&) = delete;
  MpiBootstrap(MpiBootstrap&&) = delete;
  MpiBootstrap& operator=(MpiBootstrap&&) = delete;
  ~MpiBootstrap() override;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  std::vector<std::string> exchange(const std::string& mine) override;
  std::string first_of(const std::string& mine) override;
  std::string first_of_asleep(const std::string& mine, bool sleeps, int caller) override;
  std::vector<std::string> swap(std::span<const int> ranks,
                                const std::vector<std::string>& mine) override;
  std::vector<std::byte> gather(std::span<const std::byte> mine) override;
  std::vector<std::byte> gather(std::span<const std::byte> mine,
                                std::span<const std::uint64_t> bytes) override;
  std::string broadcast(const std::string& mine) override;
  void barrier() override;
  /// So many ranks sleep on this host, each as long as `longest_pause_ns` says.
  void share_host(long ranks);
  [[nodiscard]] std::string library() const override;
  [[noreturn]] void abort(int status) override;

 private:
  /// Until `caller` has come, or what it calls rank 0 to tell.
  void hear_call(bool sleeps, int caller) const;
  /// The text that has this place among those of all ranks, on every rank.
  std::string text_at(int place, const std::string& mine) const;

  int rank_ = 0;
  int size_ = 0;
  long longest_pause_ns_ = longest_pause_ns(1, 1);
};

}  // namespace weft

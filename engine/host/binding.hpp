// Where a rank and its libraries' threads run, and how they are kept there.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "contract/options.hpp"

namespace weft {

/// Where a rank runs.
struct Location {
  std::string host;
  int pid = 0;
  int cpu = -1;
  int numa = -1;
  int socket = -1;
  int core = -1;
};

/// Keeps this process's threads apart: the one that polls on a CPU of its own, those of MPI and of
/// libraries (progress, connections, signals) off it and off those of the other ranks of the host.
class Binding {
 public:
  /// Binds the calling thread: to `cpus[local rank]` when given, else to a core of its own as the
  /// options' placement wants. If ranks outnumber cores, they take further hardware threads of the
  /// cores, and then the CPUs again. Messages go by `device`.
  /// Threads that it starts inherit that. Collective. Throws std::runtime_error.
  Binding(const Options& options, const std::string& device, Bootstrap& boot);
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;
  Binding(Binding&&) = delete;
  Binding& operator=(Binding&&) = delete;
  ~Binding();

  [[nodiscard]] const Location& location() const noexcept;
  /// CPUs of cores where no rank polls, for threads of this rank alone: on every rank as many, the
  /// nearest first. None where ranks share cores.
  [[nodiscard]] const std::vector<int>& spare_cpus() const noexcept;
  /// Lets the other threads that there are by now run wherever no rank polls, or anywhere that this
  /// process may if ranks poll everywhere. One that a library bound itself stays where it is.
  void release_helpers();
  /// How many other threads there were then, and where they may run: "2 on CPUs 1-3".
  [[nodiscard]] std::string helpers() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Have the kernel end this process when the starter that is its parent ends.
void die_with_parent();

}  // namespace weft

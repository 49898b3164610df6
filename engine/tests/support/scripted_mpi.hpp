// An MPI whose answers are scripted: calls of its own stand in for the library's, which is never
// started.
#pragma once

#include <mpi.h>

#include <array>
#include <string>
#include <vector>

#include "contract/transport.hpp"
#include "tests/support/alone.hpp"

namespace weft {

/// What was called, in order, and how the requests of transfers end: each at the second test.
struct Script {
  std::vector<std::string> calls;
  std::vector<int> tests;
  /// Transfers that have not ended, at each one begun.
  std::vector<std::size_t> in_flight;
  std::size_t open = 0;
  Ticks ticks = 0;
  /// Persistent requests that are there.
  std::size_t persistent = 0;
  /// Whether one of several requests fails.
  bool fails = false;
  /// What the link gave the library: its handler of errors, and itself.
  MPI_Comm_errhandler_function* handler = nullptr;
  void* link = nullptr;
};
Script& script();

/// Whom the link exchanges messages with.
inline constexpr std::array the_other{1};

}  // namespace weft

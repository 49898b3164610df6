// Requests of MPI that a rank waits for asleep, and not for ever: control plane only.
#pragma once

#include <mpi.h>

#include <chrono>
#include <ctime>
#include <span>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "bootstrap/patience.hpp"

namespace weft {

inline void sleep_ns(long nanoseconds) {
  const timespec pause{0, nanoseconds};
  nanosleep(&pause, nullptr);
}

/// Waits for a receive and a send of each of these ranks, one pair behind the other. Throws
/// CannotConnect where one does not come within the ranks' patience.
inline void await_all(std::vector<MPI_Request>& requests, std::span<const int> ranks,
                      const Bootstrap& boot) {
  constexpr long pause_ns = 20'000;
  const std::chrono::milliseconds patience = patience_of(boot.size());
  const auto end = std::chrono::steady_clock::now() + patience;
  const auto count = static_cast<int>(requests.size());
  int done = 0;
  while (MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE), done == 0) {
    if (std::chrono::steady_clock::now() > end) break;
    sleep_ns(pause_ns);
  }
  if (done != 0) return;
  std::vector<int> missing;
  for (std::size_t at = 0; at < requests.size(); ++at) {
    MPI_Test(&requests[at], &done, MPI_STATUS_IGNORE);
    if (done != 0) continue;
    // What it is written to goes now.
    MPI_Cancel(&requests[at]);
    MPI_Request_free(&requests[at]);
    if (at % 2 == 0) missing.push_back(ranks[at / 2]);
  }
  throw CannotConnect("no answer of " + boot.names_of(missing) + " in " + seconds_of(patience) +
                      "; see whether their hosts are alive");
}

}  // namespace weft

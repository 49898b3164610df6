// How long a transport takes to connect the ranks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "bootstrap/bootstrap.hpp"
#include "host/clock.hpp"

namespace weft {

/// What it takes to connect, from the moment when all ranks begin until all are done, in ns. MPI's
/// exchange of addresses is part of it.
template <auto now_ns = monotonic_raw_ns, class Connect>
std::int64_t connecting_ns(Bootstrap& boot, const Connect& connect) {
  boot.barrier();
  const std::int64_t start = now_ns();
  connect();
  boot.barrier();
  return now_ns() - start;
}

/// The same for the record.
inline std::pair<std::string, std::string> connecting_note(std::int64_t nanoseconds) {
  return {"connect_ns", std::to_string(nanoseconds)};
}

}  // namespace weft

// A first message between all ranks, for libraries that connect when they are first used.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "bootstrap/bootstrap.hpp"
#include "contract/transport.hpp"
#include "host/clock.hpp"
#include "host/deadline.hpp"
#include "host/memory.hpp"
#include "transports/parts/patience.hpp"

namespace weft {

/// Wait until no send and no receive is in flight, for so long at most. False once the link has a
/// fault, or when the time is over.
template <TwoSided T>
[[nodiscard]] bool drain_within(T& link, std::int64_t longest_ns) {
  const std::int64_t start = monotonic_raw_ns();
  while (link.sends_in_flight() > 0 || link.receives_in_flight() > 0) {
    link.poll();
    if (link.fault() != nullptr || monotonic_raw_ns() - start > longest_ns) return false;
  }
  return true;
}

/// Every rank sends two messages to every other and hears theirs: after the second, everyone has
/// heard everyone. What was chosen is known then, and no sample pays for connecting. Collective.
/// Throws std::runtime_error with `fix` if the link breaks or a message does not come within the
/// ranks' patience; ends the process after three times as long if the library does not come back.
template <TwoSided T>
void make_first_contact(T& link, Bootstrap& boot, const std::string& fix) {
  const std::chrono::milliseconds patience = patience_of(boot.size());
  const auto longest_s = static_cast<unsigned>(3 * patience.count() / 1000);
  const std::int64_t longest_wait_ns = std::chrono::nanoseconds(patience).count();
  const auto size = static_cast<std::size_t>(boot.size());
  link.reserve(2, size);
  const Deadline deadline(longest_s);
  const Buffer own_out = map_memory(1);
  const Buffer own_in = map_memory(size);
  const Buffer out = link.adopt(own_out);
  const Buffer in = link.adopt(own_in);
  for (int message = 0; message < 2; ++message) {
    for (int rank = 0; rank < boot.size(); ++rank) {
      if (rank == boot.rank()) continue;
      link.post_recv({rank}, {in.data + rank, 1, in.key});
      link.post_send({rank}, out);
    }
    if (drain_within(link, longest_wait_ns)) continue;
    if (link.fault() == nullptr) {
      throw std::runtime_error("no first message between all ranks in " +
                               std::to_string(patience.count() / 1000) + " s; " + fix);
    }
    throw std::runtime_error(std::string(link.fault()->during) + " failed (code " +
                             std::to_string(link.fault()->code) +
                             ") before the first message between all ranks; " + fix);
  }
  link.disown(in);
  link.disown(out);
  unmap_memory(own_in);
  unmap_memory(own_out);
  boot.barrier();
}

}  // namespace weft

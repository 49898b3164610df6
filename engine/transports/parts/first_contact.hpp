// A first message between ranks that need each other, for libraries that connect when they are
// first used.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "bootstrap/patience.hpp"
#include "contract/transport.hpp"
#include "host/clock.hpp"
#include "host/deadline.hpp"
#include "host/memory.hpp"

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

/// Which of the ranks a link still waits for; all of them where it cannot tell.
template <TwoSided T>
std::vector<int> unheard(const T& link, std::span<const int> ranks) {
  std::vector<int> waiting;
  for (const int rank : ranks) {
    if constexpr (TellsPeers<T>) {
      if (link.receives_in_flight(Peer{rank}) == 0) continue;
    }
    waiting.push_back(rank);
  }
  return waiting;
}

/// This rank sends two messages to each of these ranks and hears theirs, and they do likewise:
/// after the second, each has heard the other. What was chosen is known then, and no sample pays
/// for connecting. The link has room for two messages each way. Throws CannotConnect with `fix` if
/// the link breaks or a message does not come within the ranks' patience; ends the process after
/// three times as long if the library does not come back.
template <TwoSided T>
void make_first_contact(T& link, Bootstrap& boot, std::span<const int> ranks,
                        const std::string& fix) {
  if (ranks.empty()) return;
  const std::chrono::milliseconds patience = patience_of(boot.size());
  const auto longest_s = static_cast<unsigned>(3 * patience.count() / 1000);
  const std::int64_t longest_wait_ns = std::chrono::nanoseconds(patience).count();
  const Deadline deadline(longest_s);
  const Buffer own_out = map_memory(1);
  const Buffer own_in = map_memory(ranks.size());
  const Buffer out = link.adopt(own_out);
  const Buffer in = link.adopt(own_in);
  for (int message = 0; message < 2; ++message) {
    for (std::size_t at = 0; at < ranks.size(); ++at) {
      link.post_recv({ranks[at]}, {in.data + at, 1, in.key});
      link.post_send({ranks[at]}, out);
    }
    if (drain_within(link, longest_wait_ns)) continue;
    const std::string others = boot.names_of(unheard(link, ranks));
    if (link.fault() == nullptr) {
      throw CannotConnect("no first message from " + others + " in " + seconds_of(patience) + "; " +
                          fix);
    }
    throw CannotConnect(std::string(link.fault()->during) + " failed (code " +
                        std::to_string(link.fault()->code) + ") before the first message from " +
                        others + "; " + fix);
  }
  link.disown(in);
  link.disown(out);
  unmap_memory(own_in);
  unmap_memory(own_out);
}

}  // namespace weft

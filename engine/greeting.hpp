// A first word between all ranks, for libraries that connect when they are first used.
#pragma once

#include <stdexcept>
#include <string>

#include "bootstrap.hpp"
#include "memory.hpp"
#include "rank.hpp"
#include "transport.hpp"

namespace weft {

/// Every rank sends two words to every other and hears theirs: after the second, everyone has heard
/// everyone. What was chosen is known then, and no sample pays for connecting. Collective.
/// Throws std::runtime_error with `mend` if the link breaks; ends the process after a minute.
template <TwoSided T>
void greet(T& link, Bootstrap& boot, const std::string& mend) {
  constexpr unsigned longest_s = 60;
  const auto size = static_cast<std::size_t>(boot.size());
  link.reserve(2, size);
  const Deadline deadline(longest_s);
  const Buffer own_out = map_memory(1);
  const Buffer own_in = map_memory(size);
  const Buffer out = link.adopt(own_out);
  const Buffer in = link.adopt(own_in);
  for (int word = 0; word < 2; ++word) {
    for (int rank = 0; rank < boot.size(); ++rank) {
      if (rank == boot.rank()) continue;
      link.post_recv({rank}, {in.data + rank, 1, in.key});
      link.post_send({rank}, out);
    }
    if (!drain<SpinOnCompletions>(link)) {
      throw std::runtime_error(std::string(link.fault()->during) + " failed (code " +
                               std::to_string(link.fault()->code) +
                               ") before a first word had gone between all ranks; " + mend);
    }
  }
  link.disown(in);
  link.disown(out);
  unmap_memory(own_in);
  unmap_memory(own_out);
  boot.barrier();
}

}  // namespace weft

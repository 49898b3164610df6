// The engine's own patterns on the fake fabric, compiled here alone.
#include "tests/support/fake_fabric.hpp"

#include "tests/support/engine_patterns.hpp"

namespace weft::fake {

template Result run<AllPatterns, Link>(const Case& spec, const Costs& costs,
                                       const Mischief& mischief, int ranks,
                                       const std::map<int, Costs>& unlike);

std::vector<PatternOn> engine_patterns() {
  return patterns_on<Link, VirtualClock>(static_cast<AllPatterns*>(nullptr));
}

}  // namespace weft::fake

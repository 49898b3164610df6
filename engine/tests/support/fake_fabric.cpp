// The engine's own patterns on the fake fabric, compiled here alone.
#include "tests/support/fake_fabric.hpp"

namespace weft::fake {

template Result run<AllPatterns, Link>(const Case& spec, const Costs& costs,
                                       const Mischief& mischief, int ranks,
                                       const std::map<int, Costs>& unlike);

}  // namespace weft::fake

// A case of five ranks whose plan can be counted by hand: what it asks for, and who does what.
#pragma once

#include <cstdint>

#include "contract/roles.hpp"
#include "run/pattern_on.hpp"
#include "tests/support/fake_cases.hpp"

namespace weft::fake {

inline constexpr int ranks = 5;

/// Three neighbours, of which two are named twice.
inline Role role_of_three(const Case& /*spec*/, int rank, int /*size*/) {
  if (rank > 2) return {};
  Role role{.to = {4, 1}, .from = {4, 3, 1}, .neighbours = {4, 1, 3, 4}, .followers = {}};
  role.streams = 2;
  return role;
}

inline std::uint32_t three_receives(std::uint32_t /*queue_depth*/, std::uint64_t /*point*/) {
  return 3;
}

inline const LoopOn loop{"spin", three_receives, nullptr};

inline PatternOn pattern_of(const Footprint& footprint) {
  PatternOn one;
  one.footprint = footprint;
  one.role = role_of_three;
  return one;
}

inline Case usual() {
  Case spec = make_case("any", 100, 6);
  spec.samples = 20;
  spec.warmup = 3;
  spec.verify = false;
  return spec;
}

}  // namespace weft::fake

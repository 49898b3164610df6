#include "apps/milc/vector_unit.hpp"

#include <hwy/targets.h>

namespace weft::milc {

bool has(Isa isa) {
  const auto targets = static_cast<std::uint64_t>(hwy::SupportedTargets());
  if (isa == Isa::avx512) return (targets & HWY_AVX3) != 0;
  if (isa == Isa::avx2) return (targets & HWY_AVX2) != 0;
  return true;
}

Isa best_isa() {
  if (has(Isa::avx512)) return Isa::avx512;
  return has(Isa::avx2) ? Isa::avx2 : Isa::baseline;
}

std::string_view name_of(Isa isa) noexcept {
  if (isa == Isa::avx512) return "AVX-512";
  return isa == Isa::avx2 ? "AVX2" : "baseline";
}

}  // namespace weft::milc

// The vector units of a CPU that the solver's arithmetic is compiled for.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::milc {

/// `baseline` is what every CPU of the architecture has.
enum class Isa : std::uint8_t { baseline, avx2, avx512 };

/// The widest that this CPU has.
Isa best_isa();
std::string_view name_of(Isa isa) noexcept;
/// Whether this CPU has it and the program was compiled for it.
bool has(Isa isa);

}  // namespace weft::milc

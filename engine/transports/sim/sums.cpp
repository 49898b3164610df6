#include "transports/sim/sums.hpp"

#include <simgrid/s4u.hpp>

#include "transports/sim/clock.hpp"
#include "transports/sim/pieces.hpp"

namespace weft {

namespace {

void charge(double numbers) {
  const auto* const fabric =
      simgrid::s4u::Engine::get_instance()->netzone_by_name_or_null("fabric");
  const char* const rate = fabric == nullptr ? nullptr : fabric->get_property("sum-rate");
  if (rate == nullptr) {
    VirtualClock::charge_flops(numbers);
  } else {
    VirtualClock::charge_seconds(numbers * sizeof(float) / number_of(rate));
  }
}

// NOLINTNEXTLINE(readability-non-const-parameter) - the type is MPI's
void add(void* in, void* sums, int* count, MPI_Datatype* /*type*/) {
  const auto* const numbers = static_cast<const float*>(in);
  auto* const all = static_cast<float*>(sums);
  for (int at = 0; at < *count; ++at) all[at] += numbers[at];
  charge(*count);
}

}  // namespace

ChargedSum::ChargedSum() {
  MPI_Op_create(add, 1, &operation_);
}

ChargedSum::~ChargedSum() {
  MPI_Op_free(&operation_);
}

}  // namespace weft

#include "transports/sim/link.hpp"

#include <simgrid/version.h>

#include <algorithm>
#include <cstdint>
#include <xbt/config.hpp>

namespace weft {

namespace {

/// SMPI's copy of a message that arrives, or of its first bytes.
template <std::size_t most_bytes>
void copy(smx_activity_t activity, void* buffer, std::size_t bytes) {
  // It is a message: SimGrid hands over its base, at the same address, and hides both types.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  auto* const message = reinterpret_cast<simgrid::kernel::activity::CommImpl*>(activity);
  smpi_comm_copy_buffer_callback(message, buffer, std::min(bytes, most_bytes));
}

}  // namespace

Sim::Sim(const LinkOptions& options, Bootstrap& boot)
    : boot_(&boot), size_(boot.size()), heads_(options.flag("heads", false)) {}

Carried Sim::carry(bool whole) const {
  if (!heads_) return {};
  if (whole) {
    smpi_comm_set_copy_data_callback(copy<SIZE_MAX>);
    return {};
  }
  smpi_comm_set_copy_data_callback(copy<head_bytes>);
  // An eager message is copied whole into SMPI's own memory until it has arrived.
  const int eager = simgrid::config::get_value<int>("smpi/send-is-detached-thresh");
  return {head_bytes, static_cast<std::size_t>(eager)};
}

bool Sim::take(Pending& pending) noexcept {
  return pending.take([this](MPI_Request& request) {
    int done = 1;
    if (request != MPI_REQUEST_NULL)
      latch(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  });
}

void Sim::await(Pending& pending, std::uint32_t most) noexcept {
  // First what a probe found to have ended: MPI_Waitany passes over it.
  const auto has_ended = [](const MPI_Request& request) { return request == MPI_REQUEST_NULL; };
  for (pending.take(has_ended); pending.size() > most && fault_.code == 0;
       pending.take(has_ended)) {
    wait_for_any(&pending, nullptr);
  }
}

void Sim::wait_for_any(Pending* one, Pending* other) noexcept {
  oldest_.clear();
  one->list_oldest(oldest_);
  if (other != nullptr) other->list_oldest(oldest_);
  if (oldest_.empty()) return;
  int index = 0;
  latch(MPI_Waitany(static_cast<int>(oldest_.size()), oldest_.data(), &index, MPI_STATUS_IGNORE),
        "MPI_Waitany");
  const MPI_Request* const first = oldest_.data();
  one->set_oldest(first);
  if (other != nullptr) other->set_oldest(first + one->peers());
}

Details Sim::details() {
  return {{"simulator", "SimGrid " + std::to_string(SIMGRID_VERSION_MAJOR) + "." +
                            std::to_string(SIMGRID_VERSION_MINOR)}};
}

}  // namespace weft

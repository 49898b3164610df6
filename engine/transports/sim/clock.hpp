// The simulator's clock, in picoseconds: it stands still while a rank does anything but wait.
#pragma once

#include <cmath>
#include <cstdint>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <string_view>

#include "contract/clock.hpp"

namespace weft {

struct VirtualClock {
  static constexpr std::string_view name = "virtual";
  static constexpr double ticks_per_s = 1e12;
  /// What a round of computing takes: nobody executes it.
  static constexpr double round_s = 1e-9;

  static Ticks now() noexcept {
    return static_cast<Ticks>(std::llround(simgrid::s4u::Engine::get_clock() * ticks_per_s));
  }
  static Ticks pause(Ticks least) noexcept {
    const Ticks start = now();
    charge_seconds(static_cast<double>(least) / ticks_per_s);
    return now() - start;
  }
  static void compute(std::uint64_t rounds) noexcept {
    charge_seconds(static_cast<double>(rounds) * round_s);
  }

  /// Work that is charged and not executed: so many seconds, or so many operations at the speed of
  /// the platform's hosts.
  static void charge_seconds(double seconds) noexcept {
    simgrid::s4u::this_actor::sleep_for(seconds);
  }
  static void charge_flops(double flops) noexcept { simgrid::s4u::this_actor::execute(flops); }
};

}  // namespace weft

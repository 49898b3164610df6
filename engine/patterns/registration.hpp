// What it costs to have memory registered, and to have it forgotten.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "contract/clock.hpp"
#include "contract/task.hpp"
#include "patterns/parts/register_each.hpp"

namespace weft {

/// Rank 0 registers a buffer whose pages are there and gives it back; no message goes. Several at a
/// time, so that the clock is read once for all of them: first all are registered, then all are
/// deregistered, which is timed apart. No two of them have a page in common: what is registered
/// already costs a library or a device next to nothing.
struct Registration {
  static constexpr PatternInfo info{
      .name = "registration",
      .title = "Memory registration",
      .summary =
          "one rank registers memory of the message's size, already resident, and deregisters it",
      .figure = Figure::registration,
      .ranks = 2,
      .latency_divisor = 1,
      .bandwidth_factor = 0,
      .least_bytes = 1,
  };
  static constexpr std::string_view beyond_models = models_register_nothing;
  static constexpr bool registers = true;
  static constexpr std::array parts{std::string_view{"deregister"}};

  static constexpr std::uint32_t least_buffers = 2;

  template <Clock Now, class Wait, Registers T>
  static bool run(T& link, Task& task) noexcept {
    if (task.rank != 0) return true;
    const std::size_t most = std::min<std::size_t>(most_together, task.out.round());
    for (std::size_t sample = 0; sample < task.samples.size(); ++sample) {
      Ticks registering = 0;
      Ticks forgetting = 0;
      for (std::size_t left = task.ops_per_sample; left > 0;) {
        const std::span<Buffer> together = task.registered.first(std::min(left, most));
        const Ticks start = Now::now();
        for (Buffer& known : together) known = link.register_memory(task.out.next());
        const Ticks between = Now::now();
        if (link.fault() != nullptr) return false;
        for (const Buffer& known : together) link.deregister_memory(known);
        const Ticks end = Now::now();
        registering += between - start;
        forgetting += end - between;
        left -= together.size();
      }
      task.samples[sample] = registering;
      task.parts[0][sample] = forgetting;
    }
    return link.fault() == nullptr;
  }

 private:
  // Room is made for twice the depth and a few more, whatever the depth.
  static constexpr std::uint32_t most_together = 8;
};

}  // namespace weft

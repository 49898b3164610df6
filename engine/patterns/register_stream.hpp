// Streaming bandwidth where every message is registered, sent and given back.
#pragma once

#include "patterns/parts/register_each.hpp"
#include "patterns/stream.hpp"

namespace weft {

/// `stream` with the registration of each message inside the operation that is timed.
struct RegisterStream {
  static constexpr PatternInfo info{
      .name = "register_stream",
      .title = "Bandwidth with registration per message",
      .summary = "stream with each message registered, sent and deregistered",
      .figure = Figure::bandwidth,
      .ranks = 2,
      .latency_divisor = 0,
      .bandwidth_factor = 1,
      .least_bytes = 1,
      .has_queue = true,
      .latencies_per_sample = 2,
  };
  static constexpr std::string_view beyond_models = models_register_nothing;
  static constexpr bool streams = true;
  static constexpr bool one_way = true;
  static constexpr bool registers = true;

  template <Clock Now, class Wait, Registers T>
  static bool run(T& link, Task& task) noexcept {
    return run_registering_each<Stream, Now, Wait>(link, task);
  }
};

}  // namespace weft

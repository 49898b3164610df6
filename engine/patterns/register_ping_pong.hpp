// Latency where every message is registered, sent and given back.
#pragma once

#include "patterns/parts/register_each.hpp"
#include "patterns/ping_pong.hpp"

namespace weft {

/// `ping_pong` with the registration of each message inside the operation that is timed.
struct RegisterPingPong {
  static constexpr PatternInfo info{
      .name = "register_ping_pong",
      .title = "Latency with registration per message",
      .summary = "ping_pong with each message registered, sent and deregistered",
      .figure = Figure::latency,
      .ranks = 2,
      .latency_divisor = 2,
      .bandwidth_factor = 2,
  };
  static constexpr std::string_view beyond_models = models_register_nothing;
  template <class Wait, class T>
  static constexpr std::uint32_t receives_at_once(std::uint32_t queue_depth,
                                                  std::uint64_t point) noexcept {
    return PingPong::receives_at_once<Wait, RegisterEach<T>>(queue_depth, point);
  }
  static constexpr bool registers = true;

  template <Clock Now, class Wait, Registers T>
  static bool run(T& link, Task& task) noexcept {
    return run_registering_each<PingPong, Now, Wait>(link, task);
  }
};

}  // namespace weft

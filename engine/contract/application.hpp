// What a pattern computes with beside its messages.
#pragma once

#include <concepts>
#include <memory>

#include "contract/case.hpp"
#include "contract/clock.hpp"
#include "contract/transport.hpp"

namespace weft {

/// A rank's share of an application: its fields and tables, made for a case before anything is
/// measured and kept for both passes. Only the pattern that made it knows what it is.
class Application {
 public:
  Application() = default;
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;
  Application(Application&&) = delete;
  Application& operator=(Application&&) = delete;
  virtual ~Application() = default;

  /// What it found out in the pass that ended last, for the batch.
  [[nodiscard]] virtual Values answers() const { return {}; }
};

/// A pattern that has one: it puts its own content into its messages, and looks itself at what
/// comes of it. `own` is room for the messages that it asks for in place of buffers, each on pages
/// of its own.
template <class P, class Now>
concept Prepares = requires(const Case& spec, int rank, const Buffer& own) {
  { P::template prepare<Now>(spec, rank, rank, own) } -> std::same_as<std::unique_ptr<Application>>;
};

/// A clock of a simulation, in which arithmetic is not done but takes the time of so many
/// floating-point operations.
template <class C>
concept ChargesWork = Clock<C> && requires(double flops) {
  { C::charge_flops(flops) }
  noexcept->std::same_as<void>;
};

}  // namespace weft

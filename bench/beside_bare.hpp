// Loops of the engine and bare ones that take turns in one process: what the machine does to one it
// does to the others.
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <vector>

#include "bootstrap/mpi.hpp"
#include "contract/transport.hpp"
#include "host/clock.hpp"
#include "run/buffer_set.hpp"

/// One variant: its name, and one turn of it on this rank.
struct Column {
  const char* name;
  std::function<weft::Ticks()> run;
};

/// Buffers that each begin a page, as the engine lays them.
inline std::vector<weft::Buffer> pages_of(std::byte* first, std::size_t count, std::size_t bytes) {
  return weft::slices_of({first, 0, 0}, count, bytes, weft::page_stride_of(bytes));
}

/// Prints a line of names, then for each turn what a column moved in B/s, where a turn of it moves
/// `bytes`. Collective.
inline void take_turns(weft::MpiBootstrap& boot, const std::vector<Column>& columns, double bytes,
                       int turns) {
  const double tick_s = weft::calibrate(weft::read_both_clocks(), 20'000'000).tick_ns * 1e-9;
  // Reported at the end: who writes meanwhile has other things in its caches in the turn that
  // follows.
  std::vector<std::vector<double>> reported;
  for (int turn = 0; turn <= turns; ++turn) {
    std::vector<weft::Ticks> took(columns.size(), 0);
    const auto once = [&](std::size_t at) {
      boot.barrier();
      took[at] += columns[at].run();
    };
    // There and back: what drifts meanwhile drifts for all alike.
    for (std::size_t at = 0; at < columns.size(); ++at) once(at);
    for (std::size_t at = columns.size(); at > 0; --at) once(at - 1);
    std::vector<double> rates;
    for (const weft::Ticks ticks : took) {
      rates.push_back(2 * bytes / (static_cast<double>(ticks) * tick_s));
    }
    if (turn > 0) reported.push_back(rates);  // the first warms up
  }
  if (boot.rank() != 0) return;
  for (const Column& column : columns) std::printf("%s ", column.name);
  for (const std::vector<double>& rates : reported) {
    std::printf("\n");
    for (const double rate : rates) std::printf("%.6g ", rate);
  }
  std::printf("\n");
}

// Ranks that are threads and hand their reports over: what rank 0 makes of them.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "run/batch_line.hpp"
#include "run/gather.hpp"
#include "tests/support/thread_bootstrap.hpp"

namespace weft::fake {

/// What a rank does in place of handing its report over.
using Act = std::function<void(Bootstrap& boot)>;

struct Gathered {
  Batch batch;
  /// What rank 0 threw.
  std::string error;
  std::string line;
  /// By rank 0 at a time, bytes.
  std::size_t most_gathered = 0;
  /// How often all ranks met.
  int meetings = 0;
};

inline constexpr std::uint32_t warmup = 5;

/// Ranks with these reports, some of which behave otherwise.
inline Gathered gather(const std::vector<Report>& reports, const std::map<int, Act>& others = {},
                       const std::vector<Ticks>& own_times = {}) {
  Meeting meeting(static_cast<int>(reports.size()));
  Gathered all;
  const auto rank_0 = [&](Bootstrap& boot) {
    const Report& own = reports.front();
    if (!own.parts.empty()) all.batch.ticks.assign(own.parts.front().ticks.size(), 1);
    if (!own_times.empty()) all.batch.ticks = own_times;
    all.batch.warmup = warmup;
    Gathering gathering(boot, own, all.batch);
    BatchLine line([&](std::string_view text) { all.line += text; });
    line.begin(all.batch);
    gathering.parts(line);
    line.end(all.batch);
  };
  std::vector<std::thread> threads;
  for (std::size_t index = 0; index < reports.size(); ++index) {
    threads.emplace_back([&, index] {
      const int rank = static_cast<int>(index);
      ThreadBootstrap boot(meeting, rank);
      try {
        const auto act = others.find(rank);
        if (act != others.end()) {
          act->second(boot);
        } else if (rank == 0) {
          rank_0(boot);
        } else {
          Report report = reports[index];
          hand_over(boot, report);
        }
      } catch (const std::runtime_error& error) {
        if (rank == 0) all.error = error.what();
        meeting.abandon();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  all.most_gathered = meeting.most_gathered();
  all.meetings = meeting.times();
  // Who behaves otherwise may send what nobody waits for.
  if (others.empty()) {
    EXPECT_EQ(meeting.undue(), 0);
  }
  return all;
}

inline Report report_of(std::vector<Series> parts, double tick_ns = 1) {
  return {.outcome = {},
          .cpu_ns = 7,
          .tick_ns = tick_ns,
          .queue_held = {},
          .parts = std::move(parts),
          .rises = {}};
}

inline std::vector<Ticks> series(std::size_t values, Ticks from) {
  std::vector<Ticks> ticks(values);
  for (Ticks& value : ticks) value = from++;
  return ticks;
}

inline std::string text_of(const std::vector<Ticks>& ticks) {
  std::string text;
  for (const Ticks value : ticks) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

}  // namespace weft::fake

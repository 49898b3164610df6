// What many tests on the fake fabric start from: a case, a script of costs, a time of an operation.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/support/fake_fabric.hpp"

namespace weft::fake {

inline constexpr Costs usual_costs{
    .send_overhead = 7, .receive_overhead = 11, .latency = 500, .per_byte = 2};

/// Five samples of so many operations each, and one of warm-up.
inline Case make_case(const std::string& test, std::size_t bytes, std::uint32_t ops) {
  Case made;
  made.test = test;
  made.bytes = bytes;
  made.samples = 5;
  made.warmup = 1;
  made.ops_per_sample = ops;
  made.queue_depth = 8;
  return made;
}

/// Ticks of an operation in one of the samples of a good result.
inline double per_operation(const Result& result, std::size_t sample = 3) {
  EXPECT_EQ(result.batch.outcome.status, Status::ok) << result.batch.outcome.reason;
  return static_cast<double>(result.batch.ticks.at(sample)) /
         static_cast<double>(result.batch.ops_per_sample);
}

/// A number that an application found out.
inline double answer_of(const Result& result, const std::string& name) {
  EXPECT_TRUE(result.batch.application.contains(name)) << name << result.batch.outcome.reason;
  const auto found = result.batch.application.find(name);
  return found == result.batch.application.end() ? std::numeric_limits<double>::quiet_NaN()
                                                 : std::get<double>(found->second);
}

}  // namespace weft::fake

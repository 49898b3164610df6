// A small case of every benchmark, a larger one and one whose buffers are used once, and tables of
// what was looked at once: what is found is held to them by `expect_in`.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "tests/support/fake_cases.hpp"

namespace weft::fake {

struct ApprovedOf {
  std::string_view name;
  std::string_view text;
};

inline Case small_case(const PatternInfo& info) {
  Case spec = make_case(std::string(info.name), 40, 5);
  spec.samples = 3;
  spec.warmup = 2;
  spec.queue_depth = 3;
  spec.most_checked = 6;
  if (info.name == "shift") spec.point = 2;
  if (info.axis.name == "pairs") spec.point = 2;
  if (info.axis.name == "round") spec.point = 1;
  if (info.axis.name == "round") spec.at_once = 1;
  if (info.every_operation) spec.ops_per_sample = 1;
  if (info.every_operation || info.axis.name == "work") spec.point = 70;
  if (info.lattice.dimensions > 0) {
    spec.lattice.sums = 2;
    spec.lattice.extents = {4, 4, 4, 6};
    spec.lattice.dimensions = 4;
  }
  if (info.name == "halo") spec.lattice.compute_ps_per_site = 1500;
  if (info.name == "milc") spec.bytes = 36;
  if (info.name == "milc") spec.samples = spec.warmup = spec.ops_per_sample = 1;
  return spec;
}

/// With more of everything, and an unlike number of each.
inline Case larger_case(const PatternInfo& info) {
  Case spec = small_case(info);
  if (info.name == "milc") return spec;
  spec.bytes = 100;
  spec.samples = 4;
  spec.warmup = 1;
  spec.queue_depth = 4;
  if (spec.ops_per_sample > 1) spec.ops_per_sample = 11;
  if (info.name == "shift") spec.point = 3;
  if (info.axis.name == "round") spec.point = 7;
  if (info.every_operation || info.axis.name == "work") spec.point = 160;
  if (info.lattice.dimensions > 0) spec.lattice.sums = 1;
  return spec;
}

/// With buffers that are used once beside one that is used again and again.
inline Case reused_case(const PatternInfo& info) {
  Case spec = larger_case(info);
  spec.bytes = info.name == "milc" ? 72 : 75;
  spec.schedule = {"reuse", 60, 50};
  if (info.name == "shift") spec.point = 4;
  if (info.axis.name == "round") spec.point = 3;
  if (info.axis.name == "round") spec.at_once = 2;
  return spec;
}

inline int ranks_of(const PatternOn& one) {
  if (one.info.name == "milc" || one.is_collective) return 3;
  const bool is_of_some = one.info.axis.name == "peers" || one.info.axis.name == "pairs";
  return is_of_some || has_all_ranks(one.footprint) ? 5 : 2;
}

/// Holds what was found of a benchmark to a table, which is printed where it is written anew.
template <std::size_t size>
inline void expect_in(const std::array<ApprovedOf, size>& table, const PatternOn& one,
                      const std::string& found) {
  const std::string name(one.info.name);
  if (std::getenv("WEFT_APPROVE") != nullptr) {  // NOLINT(concurrency-mt-unsafe): nobody sets it
    std::cout << "    {\"" << name << "\", R\"(" << found << ")\"},\n";
  }
  const auto* const wanted = std::find_if(table.begin(), table.end(),
                                          [&](const ApprovedOf& row) { return row.name == name; });
  ASSERT_NE(wanted, table.end()) << name;
  EXPECT_EQ(found, wanted->text);
}

}  // namespace weft::fake

// What a program says of the file of an option: its facts, why not, and what nobody can ask.
#include "run/inspection.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weft {
namespace {

FileFacts reported(std::string_view option, const std::string& path) {
  if (path == "broken") throw std::runtime_error("broken is no lattice");
  return {.extents = {4, 6}, .values = {{"option", std::string(option)}, {"path", path}}};
}

FileFacts other(std::string_view /*option*/, const std::string& /*path*/) {
  return {.extents = {9}, .values = {}};
}

constexpr std::array<Inspector, 2> known = {{{"other", other}, {"solver", reported}}};

std::string refusal_of(const std::string& asked) {
  try {
    inspection_line(known, asked);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Inspection, SaysWhatTheTestKnowsOfTheFile) {
  EXPECT_EQ(inspection_line(known, "solver.gauge=a.b=c"),
            R"({"application":{"option":"gauge","path":"a.b=c"},"extents":[4,6],)"
            R"("kind":"inspection","reason":""})");
  EXPECT_EQ(inspection_line(known, "other.x="),
            R"({"application":{},"extents":[9],"kind":"inspection","reason":""})");
}

TEST(Inspection, SaysWhyAFileCannotBeTaken) {
  EXPECT_EQ(inspection_line(known, "solver.gauge=broken"),
            R"({"kind":"inspection","reason":"broken is no lattice"})");
}

TEST(Inspection, RefusesWhatNamesNoOptionOrNoTestOfFiles) {
  for (const std::string asked : {"", "solver", "solver.gauge", "solver=gauge", "solver=a.b"}) {
    EXPECT_EQ(refusal_of(asked), "--inspect takes TEST.OPTION=FILE, not '" + asked + "'");
  }
  EXPECT_EQ(refusal_of("halo.gauge=a"), "no test halo reads files; see --describe");
}

}  // namespace
}  // namespace weft

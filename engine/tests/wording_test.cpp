// Numbers in sentences.
#include "contract/wording.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Wording, OneOfAThingIsNotSeveral) {
  EXPECT_EQ(counted(1, "rank"), "1 rank");
  EXPECT_EQ(counted(0, "rank"), "0 ranks");
  EXPECT_EQ(counted(2U, "switch"), "2 switches");
  EXPECT_EQ(counted(999, "rank"), "999 ranks");
  EXPECT_EQ(counted(1024, "rank"), "1,024 ranks");
  EXPECT_EQ(in_thousands("1234567"), "1,234,567");
  EXPECT_EQ(verb_of(1, "need"), "needs");
  EXPECT_EQ(verb_of(2, "need"), "need");
}

}  // namespace
}  // namespace weft

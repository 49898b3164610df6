// What UCX says of its lanes, as notes.
#include <gtest/gtest.h>

#include "../ucx_notes.hpp"

namespace weft {
namespace {

TEST(UcxNotes, LanesWithTheirUsesAndProtocolsBySize) {
  const Details notes = ucx_notes(
      "# UCP endpoint\n#\n#               peer: <no debug data>\n"
      "#                 lane[0]:  0:posix/memory.0 md[0]  -> md[0]/posix/sysdev[255] am am_bw#0\n"
      "#                 lane[1]:  3:rc_mlx5/mlx5_0:1.0 md[4] -> md[4]/ib/sysdev[1] rma_bw#0\n"
      "#                 lane[2]:  2:cma/memory.0 md[2]    -> md[2]/cma/sysdev[255]\n"
      "#                tag_send: 0..<egr/short>..92..<egr/bcopy>..8192..<rndv>..(inf)\n"
      "#                  put[0]: 0..<short>..100..<bcopy>..(inf)\n"
      "#                  rma_bw: mds [0] rndv_rkey_size 10\n");
  const Details wanted{
      {"lanes", "posix/memory (am am_bw#0), rc_mlx5/mlx5_0:1 (rma_bw#0), cma/memory"},
      {"tag_send", "0..<egr/short>..92..<egr/bcopy>..8192..<rndv>..(inf)"},
      {"put", "0..<short>..100..<bcopy>..(inf)"},
  };
  EXPECT_EQ(notes, wanted);
}

TEST(UcxNotes, OfTextOfAnotherFormNothingIsTaken) {
  EXPECT_EQ(ucx_notes("lane[0]: x\nfoo bar baz\n\n"), (Details{{"lanes", ""}}));
}

}  // namespace
}  // namespace weft

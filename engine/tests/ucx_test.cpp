// UCX's parts that need no UCX: operations in flight, and what it says of its lanes.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "../ucx_notes.hpp"
#include "../ucx_requests.hpp"

namespace weft {
namespace {

TEST(UcxRequests, CountInTheOrderOfPostingWhateverEndsFirst) {
  UcxRequests requests;
  requests.reserve(3, 100, nullptr);
  UcxQueue queue;
  std::uint32_t in_flight = 0;
  UcxRequest* first = requests.take(queue, in_flight);
  UcxRequest* second = requests.take(queue, in_flight);
  UcxRequest* third = requests.take(queue, in_flight);
  EXPECT_EQ(requests.take(queue, in_flight), nullptr);
  EXPECT_EQ(in_flight, 3U);
  requests.finish(second);
  EXPECT_EQ(in_flight, 3U);
  requests.finish(first);
  EXPECT_EQ(in_flight, 1U);
  requests.finish(third);
  EXPECT_EQ(in_flight, 0U);
  EXPECT_NE(requests.take(queue, in_flight), nullptr);
}

TEST(UcxRequests, QueuesDoNotWaitForEachOther) {
  UcxRequests requests;
  requests.reserve(2, 100, nullptr);
  UcxQueue left;
  UcxQueue right;
  std::uint32_t in_flight = 0;
  requests.take(left, in_flight);
  requests.finish(requests.take(right, in_flight));
  EXPECT_EQ(in_flight, 1U);
}

TEST(UcxRequests, UcxHasItsRoomBeforeEachHandleAndNoneOverlap) {
  constexpr std::size_t ucx_bytes = 200;
  constexpr std::size_t count = 5;
  UcxRequests requests;
  requests.reserve(count, ucx_bytes, nullptr);
  UcxQueue queue;
  std::uint32_t in_flight = 0;
  std::vector<std::byte*> handles;
  for (std::size_t at = 0; at < count; ++at) {
    handles.push_back(static_cast<std::byte*>(requests.take(queue, in_flight)->memory));
  }
  std::sort(handles.begin(), handles.end());
  for (std::size_t at = 1; at < count; ++at) {
    EXPECT_GE(handles[at] - handles[at - 1], static_cast<std::ptrdiff_t>(ucx_bytes));
  }
}

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

// Persistent requests of MPI: when they are made, and how long they are kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "tests/support/scripted_mpi.hpp"
#include "transports/mpi/persistent.hpp"

namespace weft {
namespace {

/// Starts a message of each of these peers at once, ends them, and how many requests were made.
std::size_t made_for(PersistentRequests& requests, const Buffer& buffer,
                     const std::vector<int>& to) {
  script().calls.clear();
  std::vector<PersistentRequests::Started> started(to.size());
  for (std::size_t at = 0; at < to.size(); ++at) {
    requests.start_send({to[at]}, buffer, started[at]);
  }
  std::set<MPI_Request> each;
  for (PersistentRequests::Started& one : started) each.insert(one.request);
  EXPECT_EQ(each.size(), to.size()) << "no request is under way twice";
  for (PersistentRequests::Started& one : started) requests.give_back(one);
  return static_cast<std::size_t>(std::count(script().calls.begin(), script().calls.end(), "made"));
}

TEST(PersistentRequestsOfABuffer, AreMadeWhenTheyAreNeededFirstAndKept) {
  constexpr int ranks = 7;
  script() = {};
  Alone boot;
  MpiLink link(LinkOptions{}, boot);
  PersistentRequests requests(link, ranks);
  requests.know(std::array{1, 2, 3, 4, 5, 6}, 4);
  std::byte memory{};
  const Buffer one{&memory, 1, requests.add()};
  const Buffer other{&memory, 1, requests.add()};
  EXPECT_EQ(made_for(requests, one, {3}), 1U);
  EXPECT_EQ(made_for(requests, one, {3}), 0U);
  EXPECT_EQ(made_for(requests, one, {3, 3, 3}), 2U);
  EXPECT_EQ(made_for(requests, one, {3, 3, 3}), 0U);
  EXPECT_EQ(made_for(requests, other, {3}), 1U) << "a buffer has its own";
  // One that goes to all in turn, as a control message does.
  const std::vector<int> all{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(made_for(requests, one, all), 5U);
  EXPECT_EQ(made_for(requests, one, all), 0U);
  EXPECT_EQ(made_for(requests, one, {6, 5, 4, 3, 2, 1}), 0U) << "in any order";
  requests.remove(other.key);
  EXPECT_EQ(script().persistent, 8U);
  const Buffer next{&memory, 1, requests.add()};
  EXPECT_EQ(next.key, other.key);
  EXPECT_EQ(made_for(requests, next, {3}), 1U) << "what was another's is not started again";
  requests.remove(next.key);
  requests.remove(one.key);
  EXPECT_EQ(script().persistent, 0U) << "all are given back";
}

TEST(PersistentRequestsOfABuffer, BeyondTheRoomAreOfOneMessage) {
  script() = {};
  Alone boot;
  MpiLink link(LinkOptions{}, boot);
  PersistentRequests requests(link, 2);
  requests.know(the_other, 1);
  std::byte memory{};
  const Buffer buffer{&memory, 1, requests.add()};
  // Room for four, and two with the buffer.
  EXPECT_EQ(made_for(requests, buffer, std::vector<int>(9, 1)), 9U);
  EXPECT_EQ(script().persistent, 6U);
  EXPECT_EQ(made_for(requests, buffer, std::vector<int>(9, 1)), 3U);
  requests.remove(buffer.key);
  EXPECT_EQ(script().persistent, 0U);
}

}  // namespace
}  // namespace weft

// The link over MPI, on an MPI whose answers are scripted: the calls below stand in for the
// library's, which is never started.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "patterns/get_latency.hpp"
#include "patterns/get_overlap.hpp"
#include "patterns/get_stream.hpp"
#include "patterns/put_latency.hpp"
#include "patterns/put_overlap.hpp"
#include "patterns/put_stream.hpp"
#include "transports/mpi/nonblocking.hpp"
#include "transports/mpi/persistent.hpp"

namespace weft {
namespace {

/// What was called, in order, and how the requests of transfers end: each at the second test.
struct Script {
  std::vector<std::string> calls;
  std::vector<int> tests;
  /// Transfers that have not ended, at each one begun.
  std::vector<std::size_t> in_flight;
  std::size_t open = 0;
  Ticks ticks = 0;
  /// Persistent requests that are there.
  std::size_t persistent = 0;
  /// Whether one of several requests fails.
  bool fails = false;
  /// What the link gave the library: its handler of errors, and itself.
  MPI_Comm_errhandler_function* handler = nullptr;
  void* link = nullptr;
};
Script& script() {
  static Script one;
  return one;
}

// A request is a number here; none is one that no number has.
MPI_Request request_of(std::size_t number) {
  return reinterpret_cast<MPI_Request>((number + 1) * 64);  // NOLINT: never looked into
}
std::size_t request_number(MPI_Request request) {
  return reinterpret_cast<std::uintptr_t>(request) / 64 - 1;  // NOLINT: as above
}

int begin_transfer(const char* name, MPI_Request* request) {
  Script& now = script();
  now.calls.emplace_back(name);
  now.in_flight.push_back(++now.open);
  *request = request_of(now.tests.size());
  now.tests.push_back(0);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft

extern "C" {
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  *made = comm;
  return MPI_SUCCESS;
}
int MPI_Comm_free(MPI_Comm* /*comm*/) {
  return MPI_SUCCESS;
}
int MPI_Comm_set_errhandler(MPI_Comm /*comm*/, MPI_Errhandler /*handler*/) {
  return MPI_SUCCESS;
}
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* /*made*/) {
  weft::script().handler = function;
  return MPI_SUCCESS;
}
int MPI_Errhandler_free(MPI_Errhandler* /*handler*/) {
  return MPI_SUCCESS;
}
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* /*copy*/,
                           MPI_Comm_delete_attr_function* /*forget*/, int* /*key*/,
                           void* /*state*/) {
  return MPI_SUCCESS;
}
int MPI_Comm_set_attr(MPI_Comm /*comm*/, int /*key*/, void* value) {
  weft::script().link = value;
  return MPI_SUCCESS;
}
int MPI_Comm_get_attr(MPI_Comm /*comm*/, int /*key*/, void* value, int* found) {
  *static_cast<void**>(value) = weft::script().link;
  *found = 1;
  return MPI_SUCCESS;
}
int MPI_Irecv(void* /*data*/, int /*count*/, MPI_Datatype /*type*/, int /*rank*/, int /*tag*/,
              MPI_Comm /*comm*/, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
int MPI_Testall(int /*count*/, MPI_Request /*requests*/[], int* done,  // NOLINT: MPI's own
                MPI_Status /*statuses*/[]) {
  *done = 1;
  return MPI_SUCCESS;
}
int MPI_Rput(const void* /*data*/, int /*count*/, MPI_Datatype /*type*/, int /*rank*/,
             MPI_Aint /*at*/, int /*there*/, MPI_Datatype /*kind*/, MPI_Win /*window*/,
             MPI_Request* request) {
  return weft::begin_transfer("put", request);
}
int MPI_Rget(void* /*data*/, int /*count*/, MPI_Datatype /*type*/, int /*rank*/, MPI_Aint /*at*/,
             int /*there*/, MPI_Datatype /*kind*/, MPI_Win /*window*/, MPI_Request* request) {
  return weft::begin_transfer("get", request);
}
int MPI_Put(const void* /*data*/, int /*count*/, MPI_Datatype /*type*/, int /*rank*/,
            MPI_Aint /*at*/, int /*there*/, MPI_Datatype /*kind*/, MPI_Win /*window*/) {
  weft::script().calls.emplace_back("plain put");
  return MPI_SUCCESS;
}
int MPI_Get(void* /*data*/, int /*count*/, MPI_Datatype /*type*/, int /*rank*/, MPI_Aint /*at*/,
            int /*there*/, MPI_Datatype /*kind*/, MPI_Win /*window*/) {
  weft::script().calls.emplace_back("plain get");
  return MPI_SUCCESS;
}
int MPI_Win_flush(int /*rank*/, MPI_Win /*window*/) {
  weft::script().calls.emplace_back("flush");
  return MPI_SUCCESS;
}
int MPI_Isend(const void* /*data*/, int /*count*/, MPI_Datatype /*type*/, int /*rank*/, int /*tag*/,
              MPI_Comm /*comm*/, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
int MPI_Send_init(const void* /*data*/, int /*count*/, MPI_Datatype /*type*/, int /*rank*/,
                  int /*tag*/, MPI_Comm /*comm*/, MPI_Request* request) {
  weft::script().calls.emplace_back("made");
  *request = weft::request_of(++weft::script().persistent);
  return MPI_SUCCESS;
}
int MPI_Start(MPI_Request* request) {
  EXPECT_NE(*request, MPI_REQUEST_NULL);
  weft::script().calls.emplace_back("started");
  return MPI_SUCCESS;
}
int MPI_Request_free(MPI_Request* request) {
  EXPECT_NE(*request, MPI_REQUEST_NULL);
  --weft::script().persistent;
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
int MPI_Recv_init(void* data, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return MPI_Send_init(data, count, type, rank, tag, comm, request);
}
int MPI_Wait(MPI_Request* request, MPI_Status* /*status*/) {
  weft::script().calls.emplace_back("one");
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
// As Open MPI: the call tells that one failed, and the handler why.
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {  // NOLINT: MPI's own
  weft::Script& now = weft::script();
  EXPECT_EQ(statuses, MPI_STATUSES_IGNORE);
  now.calls.push_back("all of " + std::to_string(count));
  std::fill_n(requests, count, MPI_REQUEST_NULL);
  if (!now.fails) return MPI_SUCCESS;
  MPI_Comm comm = MPI_COMM_WORLD;
  int code = MPI_ERR_TRUNCATE;
  now.handler(&comm, &code);
  return MPI_ERR_IN_STATUS;
}
int MPI_Error_string(int /*code*/, char* text, int* length) {
  text[0] = '\0';
  *length = 0;
  return MPI_SUCCESS;
}
int MPI_Test(MPI_Request* request, int* done, MPI_Status* /*status*/) {
  weft::Script& now = weft::script();
  now.ticks += 100;
  *done = 1;
  if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  *done = ++now.tests.at(weft::request_number(*request)) > 1 ? 1 : 0;
  if (*done == 0) return MPI_SUCCESS;
  now.calls.emplace_back("ended");
  --now.open;
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
}

namespace weft {
namespace {

/// Whom the link exchanges messages with.
constexpr std::array peers{1};

class Alone final : public Bootstrap {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 2; }
  std::vector<std::string> exchange(const std::string& mine) override { return {mine, mine}; }
  std::string first_of(const std::string& mine) override { return mine; }
  std::vector<std::string> swap(std::span<const int> /*ranks*/,
                                const std::vector<std::string>& mine) override {
    return mine;
  }
  std::vector<std::byte> gather(std::span<const std::byte> mine) override {
    return {mine.begin(), mine.end()};
  }
  std::vector<std::byte> gather(std::span<const std::byte> mine,
                                std::span<const std::uint64_t> /*bytes*/) override {
    return gather(mine);
  }
  std::string broadcast(const std::string& mine) override { return mine; }
  void barrier() override {}
  void barrier_asleep(bool /*sleeps*/) override {}
  [[nodiscard]] std::string library() const override { return "scripted"; }
  [[noreturn]] void abort(int status) override { std::_Exit(status); }
};

/// Time goes by where it is looked at and in work, which stands among the calls.
struct Logged {
  static constexpr std::string_view name = "logged";
  static Ticks now() noexcept { return ++script().ticks; }
  static Ticks pause(Ticks least) noexcept { return script().ticks += least; }
  static void compute(std::uint64_t rounds) noexcept {
    script().ticks += rounds;
    if (rounds > 0) script().calls.emplace_back("work");
  }
};

/// Rank 0 of one sample of a one-sided benchmark; what it called.
template <class Pattern, class Wait = SpinOnCompletions>
Script calls_of(std::uint32_t ops, std::uint32_t depth) {
  script() = {};
  Alone boot;
  Mpi link(LinkOptions{}, boot);
  link.reserve(2 * depth + 8, peers);
  std::byte memory{};
  const std::vector<Buffer> buffers{{&memory, 1, 0}};
  const std::vector<RemoteBuffer> remote{{0, 1, 0}};
  std::array<Ticks, 3> series{};
  Task task;
  task.size = 2;
  task.ops_per_sample = ops;
  task.queue_depth = depth;
  task.point = 100;
  task.out = task.in = Rotation<Buffer>(buffers);
  task.remote = Rotation<RemoteBuffer>(remote);
  task.samples = {series.data(), 1};
  task.parts[0] = {&series[1], 1};
  task.parts[1] = {&series[2], 1};
  EXPECT_TRUE((Pattern::template run<Logged, Wait>(link, task)));
  EXPECT_EQ(link.transfers_in_flight(), 0U);
  EXPECT_EQ(link.fault(), nullptr);
  return script();
}

/// What follows the transfer that work was done beside.
std::vector<std::string> around_the_work(const std::vector<std::string>& calls,
                                         const std::string& transfer) {
  for (std::size_t at = 1; at + 2 < calls.size(); ++at) {
    if (calls[at] == "work" && calls[at - 1] == transfer) {
      return {calls.begin() + static_cast<std::ptrdiff_t>(at) - 1,
              calls.begin() + static_cast<std::ptrdiff_t>(at) + 3};
    }
  }
  return {};
}

TEST(OverlapOverMpi, NothingIsWaitedForBeforeTheWork) {
  EXPECT_EQ(around_the_work(calls_of<PutOverlap>(1, 8).calls, "put"),
            (std::vector<std::string>{"put", "work", "ended", "flush"}));
  const std::vector<std::string> get = around_the_work(calls_of<GetOverlap>(1, 8).calls, "get");
  ASSERT_EQ(get.size(), 4U);
  EXPECT_EQ(get[2], "ended");
}

TEST(StreamsOverMpi, HalfTheQueueStaysInFlightAndTheFlushIsTheLastCall) {
  const Script puts = calls_of<PutStream>(40, 8);
  const Script gets = calls_of<GetStream>(40, 8);
  for (const Script* one : {&puts, &gets}) {
    ASSERT_EQ(one->in_flight.size(), 40U);
    for (std::size_t at = 0; at < 40; ++at) {
      EXPECT_EQ(one->in_flight[at], at < 8 ? at + 1 : 5 + at % 4) << at;
    }
  }
  EXPECT_EQ(std::count(puts.calls.begin(), puts.calls.end(), "flush"), 1);
  EXPECT_EQ(puts.calls.back(), "flush");
  EXPECT_EQ(std::count(gets.calls.begin(), gets.calls.end(), "flush"), 0);
}

TEST(LatencyOverMpi, TheUsualWaitTakesTheCallsThatWaitThemselves) {
  const auto head = [](const Script& script) {
    return std::vector<std::string>(script.calls.begin(), script.calls.begin() + 4);
  };
  EXPECT_EQ(head(calls_of<PutLatency, WaitInLibrary>(2, 8)),
            (std::vector<std::string>{"plain put", "flush", "plain put", "flush"}));
  EXPECT_EQ(head(calls_of<GetLatency, WaitInLibrary>(2, 8)),
            (std::vector<std::string>{"plain get", "flush", "plain get", "flush"}));
  EXPECT_EQ(head(calls_of<PutLatency>(2, 8)),
            (std::vector<std::string>{"put", "ended", "flush", "put"}));
}

/// Sends in flight over a link, of which so many may stay; what was waited for.
std::vector<std::string> waits_for(Mpi& link, std::uint32_t sends, std::uint32_t most) {
  std::byte memory{};
  for (std::uint32_t at = 0; at < sends; ++at) link.post_send(Peer{1}, {&memory, 1, 0});
  script().calls.clear();
  link.await(most, 0);
  return script().calls;
}

TEST(WindowsOverMpi, AreWaitedForByOneCallAndOneMessageByItsOwn) {
  script() = {};
  Alone boot;
  Mpi link(LinkOptions{}, boot);
  link.reserve(8, peers);
  using Calls = std::vector<std::string>;
  EXPECT_EQ(waits_for(link, 8, 4), Calls{"all of 4"});
  EXPECT_EQ(link.sends_in_flight(), 4U);
  // Four are left, the room's last four; four more lie at its begin again.
  EXPECT_EQ(waits_for(link, 4, 0), (Calls{"all of 4", "all of 4"}));
  EXPECT_EQ(waits_for(link, 1, 0), Calls{"one"});
  EXPECT_EQ(link.sends_in_flight(), 0U);
  EXPECT_EQ(link.fault(), nullptr);
}

TEST(WindowsOverMpi, TheFaultIsThatOfTheMessageThatFailed) {
  script() = {};
  Alone boot;
  Mpi link(LinkOptions{}, boot);
  link.reserve(8, peers);
  script().fails = true;
  waits_for(link, 8, 0);
  ASSERT_NE(link.fault(), nullptr);
  EXPECT_EQ(link.fault()->code, MPI_ERR_TRUNCATE);
  EXPECT_STREQ(link.fault()->during, "MPI_Waitall");
}

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
  MpiLink link(boot);
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
  MpiLink link(boot);
  PersistentRequests requests(link, 2);
  requests.know(peers, 1);
  std::byte memory{};
  const Buffer buffer{&memory, 1, requests.add()};
  // Room for four, and two with the buffer.
  EXPECT_EQ(made_for(requests, buffer, std::vector<int>(9, 1)), 9U);
  EXPECT_EQ(script().persistent, 6U);
  EXPECT_EQ(made_for(requests, buffer, std::vector<int>(9, 1)), 3U);
  requests.remove(buffer.key);
  EXPECT_EQ(script().persistent, 0U);
}

TEST(WindowsOverMpi, BeyondTheQueuesDepthAreAFaultAndNothingIsPosted) {
  script() = {};
  Alone boot;
  Mpi link(LinkOptions{}, boot);
  link.reserve(4, peers);
  std::array<std::byte, 3> memory{};
  std::size_t at = 0;
  Buffer given;
  const auto next = [&]() -> const Buffer& {
    given = {&memory.at(at++), 1, 0};
    return given;
  };
  link.post_sends(Peer{1}, 3, next);
  link.post_recvs(Peer{1}, 0, next);
  EXPECT_EQ(at, 3U);
  EXPECT_EQ(link.sends_in_flight(), 3U);
  EXPECT_EQ(link.receives_in_flight(), 0U);
  EXPECT_EQ(link.fault(), nullptr);
  link.post_sends(Peer{1}, 2, next);
  EXPECT_EQ(at, 3U);
  ASSERT_NE(link.fault(), nullptr);
  EXPECT_STREQ(link.fault()->during, "posting beyond the queue's depth");
}

// As an MPI that calls no handler for what it waits for.
// NOLINTNEXTLINE(cert-dcl50-cpp,modernize-avoid-variadic-functions) - the type is MPI's
void hear_nothing(MPI_Comm* /*comm*/, int* /*code*/, ...) {}

TEST(WindowsOverMpi, TheFaultIsThatOneOfSeveralFailedWhereTheLibraryTellsNoMore) {
  script() = {};
  Alone boot;
  Mpi link(LinkOptions{}, boot);
  link.reserve(8, peers);
  script().fails = true;
  script().handler = hear_nothing;
  waits_for(link, 8, 0);
  ASSERT_NE(link.fault(), nullptr);
  EXPECT_EQ(link.fault()->code, MPI_ERR_IN_STATUS);
}

TEST(TransfersOverMpi, BeyondTheQueuesDepthAreAFault) {
  script() = {};
  Alone boot;
  Mpi link(LinkOptions{}, boot);
  link.reserve(2, peers);
  std::byte memory{};
  for (int at = 0; at < 3; ++at) link.put(Peer{1}, {&memory, 1, 0}, {0, 1, 0});
  ASSERT_NE(link.fault(), nullptr);
  EXPECT_STREQ(link.fault()->during, "posting beyond the queue's depth");
}

}  // namespace
}  // namespace weft

// With whom one-sided operations are: the fabric's memory is open to all ranks at once, so it would
// not tell.
#include <gtest/gtest.h>

#include <string>

#include "patterns/get_latency.hpp"
#include "patterns/get_overlap.hpp"
#include "patterns/get_stream.hpp"
#include "patterns/put_latency.hpp"
#include "patterns/put_overlap.hpp"
#include "patterns/put_stream.hpp"
#include "tests/support/fake_cases.hpp"
#include "tests/support/link_around.hpp"

namespace weft::fake {
namespace {

/// A link whose operations break it where they are with another rank than the other of two.
class StrictLink final : public LinkAround {
 public:
  StrictLink(Fabric& fabric, const Bootstrap& boot)
      : LinkAround(fabric, boot), other_(1 - boot.rank()) {}

  void put(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    expect(peer);
    LinkAround::put(Peer{other_}, local, remote);
  }
  void get(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    expect(peer);
    LinkAround::get(peer, local, remote);
  }
  void flush(Peer peer) noexcept {
    expect(peer);
    LinkAround::flush(peer);
  }
  [[nodiscard]] const Fault* fault() const noexcept {
    return is_wrong_ ? &another_rank : LinkAround::fault();
  }

 private:
  static constexpr Fault another_rank{9, "an operation with another rank"};
  void expect(Peer peer) noexcept { is_wrong_ = is_wrong_ || peer.rank != other_; }

  int other_;
  bool is_wrong_ = false;
};

template <class Pattern>
void expect_the_other() {
  Case spec = make_case(std::string(Pattern::info.name), 40, 4);
  if (!Pattern::info.axis.name.empty()) spec.point = 100;
  const Result result = run<std::tuple<Pattern>, StrictLink>(spec, usual_costs);
  EXPECT_TRUE(result.whole) << spec.test;
  EXPECT_EQ(result.batch.outcome.reason, "") << spec.test;
}

TEST(TransferPeers, AreTheOtherRank) {
  expect_the_other<GetLatency>();
  expect_the_other<GetOverlap>();
  expect_the_other<GetStream>();
  expect_the_other<PutLatency>();
  expect_the_other<PutOverlap>();
  expect_the_other<PutStream>();
}

}  // namespace
}  // namespace weft::fake

// What the engine asks of a link outside the measured loops: what holds where a link says nothing,
// and that what it says is passed on, each word to its own call.
#include "run/link_control.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weft {
namespace {

constexpr Fault broken{7, "poll"};

/// Writes down what it is asked for; its sends are over at once, its receives with the first poll.
class Plain {
 public:
  static constexpr std::string_view name = "plain";
  static constexpr std::string_view summary = "";

  [[nodiscard]] Buffer adopt(const Buffer& memory) {
    say("adopt " + std::to_string(memory.bytes));
    return {memory.data, memory.bytes, 5};
  }
  void disown(const Buffer& buffer) { say("disown " + std::to_string(buffer.bytes)); }
  void reserve(std::size_t depth, std::span<const int> ranks) {
    say("reserve " + std::to_string(depth) + " " + std::to_string(ranks.size()));
  }
  void post_send(Peer peer, const Buffer& buffer) noexcept {
    say("send " + std::to_string(buffer.bytes) + " to " + std::to_string(peer.rank));
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    say("receive " + std::to_string(buffer.bytes) + " from " + std::to_string(peer.rank));
    ++receives_;
  }
  void poll() noexcept {
    say("poll");
    if (breaks) fault_ = &broken;
    receives_ = 0;
  }
  [[nodiscard]] static std::uint32_t sends_in_flight() noexcept { return 0; }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept { return receives_; }
  [[nodiscard]] const Fault* fault() const noexcept { return fault_; }

  std::vector<std::string> said;
  bool breaks = false;

 protected:
  void say(const std::string& what) { said.push_back(what); }

 private:
  std::uint32_t receives_ = 0;
  const Fault* fault_ = nullptr;
};

class PlainLink final : public Plain {};

/// Says something of everything that a link may.
class FullLink final : public Plain {
 public:
  static constexpr bool opens_own_memory = true;

  [[nodiscard]] static std::string refusal(std::size_t bytes, std::size_t depth) {
    return "no " + std::to_string(bytes) + " of " + std::to_string(depth);
  }
  [[nodiscard]] static std::string refuse_peers(std::size_t depth, std::span<const int> ranks) {
    return "no " + std::to_string(ranks.size()) + " at " + std::to_string(depth);
  }
  [[nodiscard]] static Carried carry(bool whole) { return {whole ? 1U : 2U, 3}; }
  [[nodiscard]] static bool adopts_at_once() { return true; }
  [[nodiscard]] Opened expose(const Buffer& memory) {
    say("expose " + std::to_string(memory.bytes));
    return {memory, "a name"};
  }
  void withdraw(const Buffer& local) { say("withdraw " + std::to_string(local.bytes)); }
  [[nodiscard]] static RemoteBuffer reach(int rank, std::size_t bytes, const std::string& theirs) {
    return {static_cast<std::uint64_t>(rank), bytes, theirs.size()};
  }
  void leave(const RemoteBuffer& remote) { say("leave " + std::to_string(remote.bytes)); }
  [[nodiscard]] static std::string memory_polling_hazard() { return "bytes come last first"; }
  void put(Peer /*peer*/, const Buffer& /*local*/, const RemoteBuffer& /*remote*/) noexcept {}
  void get(Peer /*peer*/, const Buffer& /*local*/, const RemoteBuffer& /*remote*/) noexcept {}
  void flush(Peer /*peer*/) noexcept {}
  [[nodiscard]] static std::uint32_t transfers_in_flight() noexcept { return 0; }
  void block() noexcept {
    say("block");
    poll();
  }
};

using Said = std::vector<std::string>;
constexpr std::array ranks{4, 9};

TEST(LinkControl, HasItsUsualWordWhereALinkSaysNothing) {
  PlainLink link;
  ControlOf<PlainLink> control(link);
  EXPECT_EQ(control.link(), &link);
  EXPECT_EQ(control.fault(), nullptr);
  EXPECT_EQ(control.refusal(1, 2), "");
  EXPECT_EQ(control.refuse_peers(1, ranks), "");
  EXPECT_EQ(control.memory_polling_hazard(), "");
  EXPECT_TRUE(control.carry(false).is_whole());
  EXPECT_EQ(control.carry(false).read, 0U);
  EXPECT_FALSE(control.adopts_at_once());
  EXPECT_FALSE(control.opens_own_memory());
  EXPECT_EQ(control.expose({nullptr, 5, 0}).name, "");
  EXPECT_EQ(control.reach(1, 2, "x").bytes, 0U);
  control.withdraw({});
  control.leave({});
  EXPECT_EQ(link.said, Said{});
}

TEST(LinkControl, PassesEachWordOnToTheLink) {
  FullLink link;
  ControlOf<FullLink> control(link);
  EXPECT_EQ(control.refusal(1, 2), "no 1 of 2");
  EXPECT_EQ(control.refuse_peers(3, ranks), "no 2 at 3");
  EXPECT_EQ(control.memory_polling_hazard(), "bytes come last first");
  EXPECT_EQ(control.carry(true).content, 1U);
  EXPECT_EQ(control.carry(false).content, 2U);
  EXPECT_TRUE(control.adopts_at_once());
  EXPECT_TRUE(control.opens_own_memory());
  EXPECT_EQ(control.adopt({nullptr, 6, 0}).key, 5U);
  control.disown({nullptr, 7, 0});
  control.reserve(8, ranks);
  EXPECT_EQ(control.expose({nullptr, 9, 0}).name, "a name");
  control.withdraw({nullptr, 10, 0});
  const RemoteBuffer remote = control.reach(11, 12, "thirteen");
  EXPECT_EQ(remote.address, 11U);
  EXPECT_EQ(remote.bytes, 12U);
  EXPECT_EQ(remote.key, 8U);
  control.leave(remote);
  EXPECT_EQ(link.said,
            (Said{"adopt 6", "disown 7", "reserve 8 2", "expose 9", "withdraw 10", "leave 12"}));
}

TEST(LinkControl, SwapsControlMessagesWithEachRankAndWaitsForThem) {
  const std::vector<Buffer> messages{{nullptr, 1, 0}, {nullptr, 2, 0}, {nullptr, 3, 0}};
  const Said posted{"receive 2 from 4", "receive 3 from 9", "send 1 to 9", "send 1 to 4"};
  for (const bool sleeps : {false, true}) {
    FullLink link;
    EXPECT_TRUE(ControlOf<FullLink>(link).swap_control_messages(ranks, messages, sleeps));
    Said wanted = posted;
    if (sleeps) wanted.emplace_back("block");
    wanted.emplace_back("poll");
    EXPECT_EQ(link.said, wanted);
    // One that cannot sleep polls in any case.
    PlainLink plain;
    EXPECT_TRUE(ControlOf<PlainLink>(plain).swap_control_messages(ranks, messages, sleeps));
    wanted = posted;
    wanted.emplace_back("poll");
    EXPECT_EQ(plain.said, wanted);
  }
}

TEST(LinkControl, SaysThatASwapOverABrokenLinkIsNone) {
  const std::vector<Buffer> messages{{nullptr, 1, 0}, {nullptr, 2, 0}, {nullptr, 3, 0}};
  for (const bool sleeps : {false, true}) {
    FullLink link;
    link.breaks = true;
    ControlOf<FullLink> control(link);
    EXPECT_FALSE(control.swap_control_messages(ranks, messages, sleeps));
    EXPECT_EQ(control.fault(), &broken);
  }
}

}  // namespace
}  // namespace weft

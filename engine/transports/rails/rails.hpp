// Several links of one kind at once (devices, ports, interfaces), used as if they were one.
//
// As in multi-rail clusters (Liu, Vishnu and Panda, SC2004): a long message is cut over all rails,
// or whole messages take the rails in turn. Both ends know the sizes and count alike, so no header
// tells which part comes where.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "contract/details.hpp"
#include "contract/options.hpp"
#include "contract/transport.hpp"
#include "transports/parts/fixed_queue.hpp"

namespace weft {

/// Which rails the operations of one kind went by, in the order of posting. One has ended once
/// every earlier one has, and its part on each of its rails: a rail ahead of the others waits. A
/// rail may count what ended as in flight again, with a later operation that asks for the
/// completion of both: so fewer may have ended on it than were taken already.
class RailOrder {
 public:
  /// Allocates; nothing may be in flight.
  void reserve(std::size_t depth, std::size_t rails) {
    order_.reserve(depth);
    posted_.assign(rails, 0);
    ended_.assign(rails, 0);
  }
  [[nodiscard]] bool full() const noexcept { return order_.full(); }
  [[nodiscard]] std::uint32_t in_flight() const noexcept {
    return static_cast<std::uint32_t>(order_.size());
  }

  /// An operation went by `count` rails from `first` on.
  void post(std::size_t first, std::size_t count) noexcept {
    for (std::size_t rail = first; rail < first + count; ++rail) ++posted_[rail];
    order_.push({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)});
  }
  /// Takes what ended; `in_flight_on` tells how many of a rail's operations have not.
  template <class InFlightOn>
  void advance(InFlightOn in_flight_on) noexcept {
    while (!order_.empty()) {
      const Route route = order_.front();
      for (std::size_t rail = route.first; rail < route.first + route.count; ++rail) {
        const std::uint32_t ended = posted_[rail] - in_flight_on(rail);
        if (static_cast<std::int32_t>(ended - ended_[rail]) <= 0) return;
      }
      for (std::size_t rail = route.first; rail < route.first + route.count; ++rail) ++ended_[rail];
      order_.pop();
    }
  }

 private:
  struct Route {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  FixedQueue<Route> order_;
  // By rail, since the start; they may pass 2^32 and begin again.
  std::vector<std::uint32_t> posted_;
  std::vector<std::uint32_t> ended_;
};

/// Long messages are cut into equal parts, one for each rail; short ones take the first.
struct Stripe {
  static constexpr std::string_view mode = "stripe";
  static constexpr std::string_view summary =
      "several devices or interfaces at once, each message of stripe_bytes or more split over all";
  static constexpr bool cuts = true;
};

/// Each message takes the next rail.
struct Turn {
  static constexpr std::string_view mode = "turn";
  static constexpr std::string_view summary =
      "several devices or interfaces at once, which messages take in turn";
  static constexpr bool cuts = false;
};

inline constexpr Setting stripe_setting{
    "stripe_bytes",
    "mode stripe: shortest message that is split over the rails, bytes; default: 16384", 1,
    1 << 30U};
inline constexpr int usual_stripe_bytes = 16384;

/// What both ways of sharing out have.
template <class Link>
class LinkedRails {
 public:
  using DataPlane = LinkedRails;
  static constexpr std::string_view name = Link::name;
  static constexpr std::string_view summary = "several devices or interfaces at once";
  static constexpr std::span<const Setting> settings = [] {
    if constexpr (requires { Link::settings; }) return std::span<const Setting>(Link::settings);
    return std::span<const Setting>();
  }();
  static constexpr bool puts_need_the_target = [] {
    if constexpr (requires { Link::puts_need_the_target; }) return Link::puts_need_the_target;
    return true;
  }();

  LinkedRails(const LinkedRails&) = delete;
  LinkedRails& operator=(const LinkedRails&) = delete;
  LinkedRails(LinkedRails&&) = delete;
  LinkedRails& operator=(LinkedRails&&) = delete;

  [[nodiscard]] static std::string unusable() {
    if constexpr (requires { Link::unusable(); }) return Link::unusable();
    return "";
  }

  [[nodiscard]] bool adopts_at_once() const noexcept {
    if constexpr (requires(const Link& link) { link.adopts_at_once(); }) {
      return links_.front()->adopts_at_once();
    }
    return false;
  }
  [[nodiscard]] Buffer adopt(const Buffer& memory) {
    if constexpr (!registers) return memory;
    const std::uint64_t number = take_number();
    for (std::size_t rail = 0; rail < links_.size(); ++rail) {
      registered_[number + rail] = links_[rail]->adopt(memory);
    }
    return {memory.data, memory.bytes, number};
  }
  void disown(const Buffer& buffer) {
    if constexpr (registers) {
      for (std::size_t rail = 0; rail < links_.size(); ++rail) {
        links_[rail]->disown(registered_[buffer.key + rail]);
      }
      unused_.push_back(buffer.key);
    }
  }
  void reserve(std::size_t depth, std::span<const int> ranks) {
    for (const auto& link : links_) link->reserve(depth, ranks);
    reserve_orders(depth * ranks.size());
  }
  void expect_messages_of(std::size_t bytes) noexcept {
    if constexpr (requires(Link & link) { link.expect_messages_of(bytes); }) {
      for (const auto& link : links_)
        link->expect_messages_of(cut(bytes) ? share_of(bytes) : bytes);
    }
  }
  [[nodiscard]] std::string refuse_peers(std::size_t depth, std::span<const int> ranks) const {
    std::string reason;
    if constexpr (requires(const Link& link) { link.refuse_peers(depth, ranks); }) {
      for (const auto& link : links_) {
        if (reason.empty()) reason = link->refuse_peers(depth, ranks);
      }
    }
    return reason;
  }
  [[nodiscard]] std::string refusal(std::size_t bytes, std::size_t depth) const {
    std::string reason;
    if constexpr (requires(const Link& link) { link.refusal(bytes, depth); }) {
      for (const auto& link : links_) {
        if (reason.empty()) reason = link->refusal(cut(bytes) ? share_of(bytes) : bytes, depth);
      }
    }
    return reason;
  }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    share_out(sends_, turn_of(peer).send, buffer.bytes, [&](std::size_t rail, Piece piece) {
      links_[rail]->post_send(peer, on_rail(rail, buffer, piece));
    });
    take_sends();
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    share_out(receives_, turn_of(peer).receive, buffer.bytes, [&](std::size_t rail, Piece piece) {
      links_[rail]->post_recv(peer, on_rail(rail, buffer, piece));
    });
  }

  [[nodiscard]] Opened expose(const Buffer& memory) requires OneSided<Link> {
    Opened all{{memory.data, memory.bytes, take_number()}, {}};
    std::size_t rail = 0;
    try {
      for (; rail < links_.size(); ++rail) {
        const Opened one = links_[rail]->expose(memory);
        registered_[all.local.key + rail] = one.local;
        all.name += std::to_string(one.name.size()) + ' ' + one.name;
      }
    } catch (...) {
      withdraw_from(all.local, rail);
      throw;
    }
    return all;
  }
  void withdraw(const Buffer& local) requires OneSided<Link> {
    withdraw_from(local, links_.size());
  }
  /// The rails' names one after the other, each with its length before it.
  [[nodiscard]] RemoteBuffer reach(int rank, std::size_t bytes,
                                   const std::string& theirs) requires OneSided<Link> {
    const std::uint64_t row = remote_.size();
    std::size_t at = 0;
    for (const auto& link : links_) {
      const std::size_t start = theirs.find(' ', at) + 1;
      const std::size_t length = std::stoull(theirs.substr(at, start - at));
      remote_.push_back(link->reach(rank, bytes, theirs.substr(start, length)));
      at = start + length;
    }
    return {0, bytes, row};
  }
  /// What is opened is left as a whole.
  void leave(const RemoteBuffer& remote) requires OneSided<Link> {
    remote_.resize(std::min<std::size_t>(remote_.size(), remote.key));
  }
  [[nodiscard]] std::string memory_polling_hazard() const requires OneSided<Link> {
    if (cuts()) return "the parts of a put take several rails: its last byte may arrive first";
    return links_.front()->memory_polling_hazard();
  }
  void put(Peer peer, const Buffer& local,
           const RemoteBuffer& remote) noexcept requires OneSided<Link> {
    share_out(transfers_, turn_of(peer).transfer, local.bytes, [&](std::size_t rail, Piece piece) {
      links_[rail]->put(peer, on_rail(rail, local, piece), remote_on_rail(rail, remote, piece));
    });
    take_transfers();
  }
  void get(Peer peer, const Buffer& local,
           const RemoteBuffer& remote) noexcept requires OneSided<Link> {
    share_out(transfers_, turn_of(peer).transfer, local.bytes, [&](std::size_t rail, Piece piece) {
      links_[rail]->get(peer, on_rail(rail, local, piece), remote_on_rail(rail, remote, piece));
    });
  }
  void flush(Peer peer) noexcept requires OneSided<Link> {
    if (transfers_.full()) return latch();
    for (const auto& link : links_) link->flush(peer);
    transfers_.post(0, links_.size());
    take_transfers();
  }

  void poll() noexcept {
    for (const auto& link : links_) link->poll();
    take_sends();
    receives_.advance([this](std::size_t rail) { return links_[rail]->receives_in_flight(); });
    if constexpr (OneSided<Link>) take_transfers();
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return sends_.in_flight(); }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept { return receives_.in_flight(); }
  [[nodiscard]] std::uint32_t transfers_in_flight() const noexcept requires OneSided<Link> {
    return transfers_.in_flight();
  }
  [[nodiscard]] const Fault* fault() const noexcept {
    for (const auto& link : links_) {
      if (link->fault() != nullptr) return link->fault();
    }
    return fault_.code == 0 ? nullptr : &fault_;
  }

  /// What was really used, for the record: of each rail.
  [[nodiscard]] Details details() const {
    Details reported{{"rails", std::to_string(links_.size())}};
    if (cuts()) reported.emplace_back("cut from", std::to_string(cut_from_) + " bytes on");
    for (std::size_t rail = 0; rail < links_.size(); ++rail) {
      for (const auto& [key, value] : links_[rail]->details()) {
        reported.emplace_back("rail " + std::to_string(rail) + " " + key, value);
      }
    }
    return reported;
  }

 protected:
  /// With `cuts` messages of `stripe_bytes` or more are cut, and shorter ones take the first rail.
  LinkedRails(std::vector<std::unique_ptr<Link>> links, bool cuts, std::size_t stripe_bytes,
              Bootstrap& boot)
      : links_(std::move(links)),
        cut_from_(cuts ? std::max(stripe_bytes, links_.size() * line) : never),
        rails_in_turn_(cuts ? 1 : links_.size()),
        turns_(static_cast<std::size_t>(boot.size())) {
    reserve_orders(turns_.size());
  }
  ~LinkedRails() = default;

 private:
  /// Whether a buffer is known to each rail by another key.
  static constexpr bool registers = Registers<Link> || OneSided<Link>;
  static constexpr std::size_t line = 64;
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

  struct Piece {
    std::size_t offset;
    std::size_t bytes;
  };
  /// The rail of the next message to or from one peer.
  struct Turns {
    std::size_t send = 0;
    std::size_t receive = 0;
    std::size_t transfer = 0;
  };

  [[nodiscard]] bool cut(std::size_t bytes) const noexcept { return bytes >= cut_from_; }
  [[nodiscard]] bool cuts() const noexcept { return cut_from_ != never; }
  /// Parts begin at cache lines.
  [[nodiscard]] std::size_t share_of(std::size_t bytes) const noexcept {
    const std::size_t share = (bytes + links_.size() - 1) / links_.size();
    return (share + line - 1) / line * line;
  }

  template <class Act>
  void share_out(RailOrder& order, std::size_t& turn, std::size_t bytes, Act act) noexcept {
    if (order.full()) return latch();
    if (cut(bytes)) {
      const std::size_t share = share_of(bytes);
      std::size_t rail = 0;
      for (std::size_t offset = 0; offset < bytes; offset += share, ++rail) {
        act(rail, Piece{offset, std::min(share, bytes - offset)});
      }
      order.post(0, rail);
      return;
    }
    const std::size_t rail = turn;
    if (++turn == rails_in_turn_) turn = 0;
    act(rail, Piece{0, bytes});
    order.post(rail, 1);
  }
  void take_sends() noexcept {
    sends_.advance([this](std::size_t rail) { return links_[rail]->sends_in_flight(); });
  }
  void take_transfers() noexcept requires OneSided<Link> {
    transfers_.advance([this](std::size_t rail) { return links_[rail]->transfers_in_flight(); });
  }
  void latch() noexcept {
    if (fault_.code == 0) fault_ = too_much_posted(ENOBUFS);
  }

  Turns& turn_of(Peer peer) noexcept { return turns_[static_cast<std::size_t>(peer.rank)]; }
  [[nodiscard]] Buffer on_rail(std::size_t rail, const Buffer& buffer, Piece piece) const noexcept {
    const std::uint64_t key = registers ? registered_[buffer.key + rail].key : 0;
    return {buffer.data + piece.offset, piece.bytes, key};
  }
  [[nodiscard]] RemoteBuffer remote_on_rail(std::size_t rail, const RemoteBuffer& remote,
                                            Piece piece) const noexcept {
    const RemoteBuffer& whole = remote_[remote.key + rail];
    return {whole.address + remote.address + piece.offset, piece.bytes, whole.key};
  }

  void reserve_orders(std::size_t depth) {
    for (RailOrder* order : {&sends_, &receives_, &transfers_}) {
      order->reserve(depth, links_.size());
    }
  }
  void withdraw_from(const Buffer& local, std::size_t rails) requires OneSided<Link> {
    for (std::size_t rail = 0; rail < rails; ++rail) {
      links_[rail]->withdraw(registered_[local.key + rail]);
    }
    unused_.push_back(local.key);
  }
  std::uint64_t take_number() {
    if (unused_.empty()) {
      unused_.push_back(registered_.size());
      registered_.resize(registered_.size() + links_.size());
    }
    const std::uint64_t number = unused_.back();
    unused_.pop_back();
    return number;
  }

  std::vector<std::unique_ptr<Link>> links_;
  /// Messages of this length or longer are split.
  std::size_t cut_from_;
  /// Shorter messages take this many rails in turn.
  std::size_t rails_in_turn_;
  std::vector<Turns> turns_;
  RailOrder sends_;
  RailOrder receives_;
  RailOrder transfers_;
  /// Registrations: a row of one for each rail, which a buffer's key is the start of.
  std::vector<Buffer> registered_;
  std::vector<std::uint64_t> unused_;
  /// Opened memory of the peers: for each a row of the rails, which a remote buffer's key is the
  /// start of.
  std::vector<RemoteBuffer> remote_;
  Fault fault_;
};

template <class Link, class Sharing>
class Rails final : public LinkedRails<Link> {
 public:
  static constexpr std::string_view mode = Sharing::mode;
  static constexpr std::string_view summary = Sharing::summary;

  /// A link for each item of the options' lists (device=a,b). Throws std::invalid_argument where
  /// there is no list.
  Rails(const LinkOptions& options, Bootstrap& boot)
      : Rails(links_of(options, boot),
              static_cast<std::size_t>(options.number(stripe_setting, usual_stripe_bytes)), boot) {}
  Rails(std::vector<std::unique_ptr<Link>> links, std::size_t stripe_bytes, Bootstrap& boot)
      : LinkedRails<Link>(std::move(links), Sharing::cuts, stripe_bytes, boot) {}

 private:
  static std::vector<std::unique_ptr<Link>> links_of(const LinkOptions& options, Bootstrap& boot) {
    const std::size_t count = options.longest_list();
    if (count < 2) {
      throw std::invalid_argument("mode " + std::string(mode) +
                                  " needs several rails; list them, for instance --option " +
                                  std::string(Link::rail_setting) + "=A,B");
    }
    std::vector<std::unique_ptr<Link>> links;
    for (std::size_t rail = 0; rail < count; ++rail) {
      links.push_back(std::make_unique<Link>(options.of_rail(rail), boot));
    }
    return links;
  }
};

}  // namespace weft

// What links of a test's own are made of: the fabric's link, of which they change some calls.
#pragma once

#include <string>

#include "tests/support/fake_link.hpp"

namespace weft::fake {

/// Passes on what every pattern but those of the data plane's refinements needs; a class derived
/// from it has its own calls in place of these.
class LinkAround {
 public:
  static constexpr std::string_view name = Link::name;
  static constexpr std::string_view summary = Link::summary;

  LinkAround(Fabric& fabric, const Bootstrap& boot) : link_(fabric, boot) {}

  [[nodiscard]] Buffer adopt(const Buffer& memory) const { return link_.adopt(memory); }
  void disown(const Buffer& buffer) { link_.disown(buffer); }
  void reserve(std::size_t depth, std::span<const int> ranks) { link_.reserve(depth, ranks); }
  void post_send(Peer peer, const Buffer& buffer) noexcept { link_.post_send(peer, buffer); }
  void post_recv(Peer peer, const Buffer& buffer) noexcept { link_.post_recv(peer, buffer); }
  void poll() noexcept { link_.poll(); }
  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return link_.sends_in_flight(); }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept {
    return link_.receives_in_flight();
  }
  int take_ended() noexcept { return link_.take_ended(); }
  [[nodiscard]] const Fault* fault() const noexcept { return link_.fault(); }

  [[nodiscard]] Opened expose(const Buffer& memory) { return link_.expose(memory); }
  void withdraw(const Buffer& local) { link_.withdraw(local); }
  [[nodiscard]] static RemoteBuffer reach(int rank, std::size_t bytes, const std::string& theirs) {
    return Link::reach(rank, bytes, theirs);
  }
  [[nodiscard]] std::string memory_polling_hazard() const { return link_.memory_polling_hazard(); }
  void put(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    link_.put(peer, local, remote);
  }
  void get(Peer peer, const Buffer& local, const RemoteBuffer& remote) noexcept {
    link_.get(peer, local, remote);
  }
  void flush(Peer peer) noexcept { link_.flush(peer); }
  [[nodiscard]] std::uint32_t transfers_in_flight() const noexcept {
    return link_.transfers_in_flight();
  }

 protected:
  [[nodiscard]] Link& link() noexcept { return link_; }
  [[nodiscard]] const Link& link() const noexcept { return link_; }

 private:
  Link link_;
};

}  // namespace weft::fake

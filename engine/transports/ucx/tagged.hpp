// UCX's tagged messages, with completions that are polled or waited for asleep.
#pragma once

#include <string_view>

#include "transports/ucx/link.hpp"

namespace weft {

/// Tag matching: the tag is the sender's rank.
class UcxTagged : public UcxLink {
 public:
  using DataPlane = UcxTagged;
  static constexpr std::string_view summary = "UCX tagged messages, put and get";

  void reserve(std::size_t depth, std::span<const int> ranks) { ready(*this, depth, ranks); }
  void post_send(Peer peer, const Buffer& buffer) noexcept {
    UcxRequest* request = begin_send(peer, buffer);
    if (request == nullptr) return;
    began(request,
          ucp_tag_send_nbx(worker().endpoint(peer.rank), buffer.data, buffer.bytes, my_tag_,
                           &how_to_send()),
          "ucp_tag_send_nbx");
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    UcxRequest* request = begin_receive(peer, buffer);
    if (request == nullptr) return;
    began(request,
          ucp_tag_recv_nbx(worker().handle(), buffer.data, buffer.bytes,
                           static_cast<ucp_tag_t>(peer.rank), every_bit, &how_to_receive()),
          "ucp_tag_recv_nbx");
  }

 protected:
  UcxTagged(const LinkOptions& options, std::uint64_t features, Bootstrap& boot)
      : UcxLink(options, UCP_FEATURE_TAG | features, boot),
        my_tag_(static_cast<ucp_tag_t>(boot.rank())) {
    how_to_receive().cb.recv = on_received;  // NOLINT(*-union-access): UCX's type
    begin(*this);
  }
  ~UcxTagged() = default;

 private:
  static constexpr ucp_tag_t every_bit = ~ucp_tag_t{0};

  ucp_tag_t my_tag_;
};

/// The usual mode: no file of events, which some of UCX's transports have to do without for.
class UcxTag final : public UcxTagged {
 public:
  static constexpr std::string_view mode = "tag";
  static constexpr std::string_view summary = "UCX tagged messages (ucp_tag_send_nbx), put and get";

  UcxTag(const LinkOptions& options, Bootstrap& boot) : UcxTagged(options, 0, boot) {}
};

/// The same with a worker that can be waited for asleep.
class UcxWaiting final : public UcxTagged {
 public:
  static constexpr std::string_view mode = "wait";
  static constexpr std::string_view summary = "ucx with blocking completion (ucp_worker_arm)";

  UcxWaiting(const LinkOptions& options, Bootstrap& boot)
      : UcxTagged(options, UCP_FEATURE_WAKEUP, boot) {}
  void block() noexcept { sleep(); }
};

}  // namespace weft

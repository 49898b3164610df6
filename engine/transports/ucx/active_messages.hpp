// UCX's active messages, as messages that receives are posted for.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "transports/ucx/link.hpp"

namespace weft {

/// Active messages matched to posted receives in the order of coming. The identifier of a message
/// is its sender's rank, so it needs no header.
class UcxAm final : public UcxLink {
 public:
  static constexpr std::string_view mode = "am";
  static constexpr std::string_view summary =
      "UCX active messages (ucp_am_send_nbx), copied to the posted receives";

  UcxAm(const LinkOptions& options, Bootstrap& boot)
      : UcxLink(options, UCP_FEATURE_AM, boot),
        my_id_(static_cast<unsigned>(boot.rank())),
        inboxes_(static_cast<std::size_t>(boot.size())),
        parked_(most_parked) {
    how_to_receive().cb.recv_am = on_fetched;  // NOLINT(*-union-access): UCX's type
    for (Parked& entry : parked_) {
      entry.next = free_;
      free_ = &entry;
    }
    unsigned rank = 0;
    for (Inbox& inbox : inboxes_) {
      inbox.link = this;
      listen(rank++, inbox);
    }
    begin(*this);
  }
  void reserve(std::size_t depth, std::span<const int> ranks) { ready(*this, depth, ranks); }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    UcxRequest* request = begin_send(peer, buffer);
    if (request == nullptr) return;
    began(request,
          ucp_am_send_nbx(worker().endpoint(peer.rank), my_id_, nullptr, 0, buffer.data,
                          buffer.bytes, &how_to_send()),
          "ucp_am_send_nbx");
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    UcxRequest* request = take_receive(peer);
    if (request == nullptr) return;
    request->buffer = buffer;
    Inbox& inbox = inboxes_[static_cast<std::size_t>(peer.rank)];
    if (inbox.first == nullptr) {
      if (inbox.unmatched == nullptr) inbox.unmatched = request;
      return;
    }
    Parked* entry = inbox.first;
    inbox.first = entry->next;
    entry->next = free_;
    free_ = entry;
    const Parked message = *entry;
    deliver(request, message.data, message.bytes, message.must_fetch);
    if (!message.must_fetch) ucp_am_data_release(worker().handle(), message.data);
  }

 private:
  // Messages that no receive waits for; UCX holds their data.
  static constexpr std::size_t most_parked = std::size_t{1} << 16U;

  struct Parked {
    Parked* next = nullptr;
    void* data = nullptr;
    std::size_t bytes = 0;
    bool must_fetch = false;
  };
  struct Inbox {
    UcxAm* link = nullptr;
    UcxRequest* unmatched = nullptr;
    Parked* first = nullptr;
    Parked* last = nullptr;
  };

  void listen(unsigned rank, Inbox& inbox) {
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                         UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = rank;
    handler.flags = UCP_AM_FLAG_PERSISTENT_DATA;
    handler.cb = on_message;
    handler.arg = &inbox;
    if (ucp_worker_set_am_recv_handler(worker().handle(), &handler) != UCS_OK) {
      throw std::runtime_error("UCX takes no active messages here; use ucx:tag");
    }
  }

  static ucs_status_t on_message(void* arg, const void* /*header*/, std::size_t /*header_bytes*/,
                                 void* data, std::size_t bytes,
                                 const ucp_am_recv_param_t* param) noexcept {
    auto* inbox = static_cast<Inbox*>(arg);
    const bool must_fetch = (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
    UcxRequest* request = inbox->unmatched;
    if (request == nullptr) return inbox->link->park(*inbox, data, bytes, must_fetch);
    inbox->unmatched = request->next;
    inbox->link->deliver(request, data, bytes, must_fetch);
    return must_fetch ? UCS_INPROGRESS : UCS_OK;
  }

  ucs_status_t park(Inbox& inbox, void* data, std::size_t bytes, bool must_fetch) noexcept {
    Parked* entry = free_;
    if (entry == nullptr) {
      latch(UCS_ERR_NO_RESOURCE, "active messages that no receive waits for");
      return UCS_OK;
    }
    free_ = entry->next;
    *entry = {nullptr, data, bytes, must_fetch};
    (inbox.first == nullptr ? inbox.first : inbox.last->next) = entry;
    inbox.last = entry;
    return UCS_INPROGRESS;
  }

  // A rendezvous is fetched by UCX, anything else is there already.
  void deliver(UcxRequest* request, void* data, std::size_t bytes, bool must_fetch) noexcept {
    if (bytes > request->buffer.bytes) {
      latch(UCS_ERR_MESSAGE_TRUNCATED, "receiving an active message");
      return;
    }
    if (!must_fetch) {
      std::memcpy(request->buffer.data, data, bytes);
      ended(request, UCS_OK, "receiving an active message");
      return;
    }
    prepare_receive(request, request->buffer);
    began(request,
          ucp_am_recv_data_nbx(worker().handle(), data, request->buffer.data, bytes,
                               &how_to_receive()),
          "ucp_am_recv_data_nbx");
  }

  unsigned my_id_;
  std::vector<Inbox> inboxes_;
  std::vector<Parked> parked_;
  Parked* free_ = nullptr;
};

}  // namespace weft

// What both modes of the verbs transport share: a port, its memory, queue pairs to the peers that
// are needed, and one completion queue. Posting and polling are the data plane: they never
// allocate, throw or block.
#pragma once

#include <infiniband/verbs.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contract/details.hpp"
#include "contract/faults.hpp"
#include "contract/transport.hpp"
#include "transports/parts/connecting.hpp"
#include "transports/parts/ended_peers.hpp"
#include "transports/parts/known_peers.hpp"
#include "transports/verbs/memory.hpp"
#include "transports/verbs/queue_pairs.hpp"

namespace weft {

/// The name of a request, which its completion brings back: its queue pair and what it stands for.
/// Only some requests ask for a completion; it stands for those posted before it on the pair too.
/// Of a receive, `requests` is 1 where it ends a message, 0 where further pieces of it follow.
struct Posted {
  std::uint16_t pair = 0;
  std::uint16_t requests = 0;
  std::uint16_t sends = 0;
  std::uint16_t transfers = 0;
};

enum class Counted : std::uint8_t { no, as_send, as_transfer };

/// Why a request failed, for Fault::cause.
const char* cause_of(ibv_wc_status status) noexcept;

class VerbsCore {
 public:
  /// Opens the port and its queues, and connects nobody. Collective. Throws std::runtime_error.
  VerbsCore(const LinkOptions& options, Bootstrap& boot, ibv_qp_type type);

  [[nodiscard]] VerbsMemory& memory() noexcept { return memory_; }
  [[nodiscard]] const VerbsPort& port() const noexcept { return port_; }
  [[nodiscard]] const QueuePairs& queues() const noexcept { return *queues_; }
  [[nodiscard]] Bootstrap& boot() const noexcept { return *boot_; }

  /// Connects the first neighbours, whom `begin` is called with: what has to be there before a
  /// peer's first message. Collective.
  template <class Begin>
  void start(const Begin& begin) {
    connecting_ns_ = connecting_ns(*boot_, [&] { connect(first_neighbours(*boot_), begin); });
  }
  /// Room for so many messages each way, each of so many requests, on the pairs to these ranks,
  /// which are connected where they are not. A deeper queue than ever before makes all pairs new,
  /// on every rank: each connects again whom it needs next. Throws std::runtime_error.
  template <class Begin>
  void reserve(std::size_t depth, std::size_t pieces, std::span<const int> ranks,
               const Begin& begin) {
    deepen(depth, pieces);
    connect(ranks, begin);
  }

  [[nodiscard]] bool registers_sides() const noexcept { return registers_sides_; }
  /// Why queues of a depth to all of these ranks cannot be had beside those that there are; empty
  /// when they can.
  [[nodiscard]] std::string refuse_peers(std::size_t depth, std::span<const int> ranks) const;
  /// Why messages of a size, or queues of a depth, cannot be had; empty when they can.
  [[nodiscard]] std::string refusal(std::size_t bytes, std::size_t most_bytes,
                                    std::size_t depth) const;
  [[nodiscard]] Details details() const;

  /// Post to a pair's send queue. A request whose data the device took at once (inline) does not
  /// count while it waits for a later one to ask for a completion: its buffer is free already.
  void post(std::size_t pair, ibv_send_wr& request, const ibv_sge& data, Counted counted) noexcept {
    Posted& pending = pending_[pair];
    if (used_[pair] == queues_->depth) {
      latch(too_much_posted(ENOBUFS));
      return;
    }
    ibv_sge piece = data;
    request.sg_list = &piece;
    request.num_sge = data.length == 0 ? 0 : 1;
    ++used_[pair];
    ++pending.requests;
    if (counted == Counted::as_send) ++pending.sends;
    if (counted == Counted::as_transfer) ++pending.transfers;
    const bool reads = request.opcode == IBV_WR_RDMA_READ;
    const bool taken = !reads && data.length <= queues_->inline_bytes;
    request.send_flags = taken ? IBV_SEND_INLINE : 0;
    if (!taken || pending.requests >= signal_every_) {
      request.send_flags |= IBV_SEND_SIGNALED;
      request.wr_id = std::bit_cast<std::uint64_t>(pending);
      sends_ += pending.sends;
      sends_of_[pair] += pending.sends;
      transfers_ += pending.transfers;
      pending = {.pair = pending.pair};
    } else {
      note_ended(pair);
    }
    ibv_send_wr* refused = nullptr;
    const int error = ibv_post_send(queues_->pairs[pair].get(), &request, &refused);
    if (error != 0) latch(error, "ibv_post_send");
  }

  /// Post a receive into the pieces; its name tells whether it ends a message.
  void post_receive(std::size_t pair, ibv_sge* pieces, int count, bool ends = true) noexcept {
    ibv_recv_wr request{};
    request.wr_id =
        std::bit_cast<std::uint64_t>(Posted{.pair = static_cast<std::uint16_t>(pair),
                                            .requests = static_cast<std::uint16_t>(ends ? 1 : 0)});
    request.sg_list = pieces;
    request.num_sge = count;
    ibv_recv_wr* refused = nullptr;
    const int error = ibv_post_recv(queues_->pairs[pair].get(), &request, &refused);
    if (error != 0) latch(error, "ibv_post_recv");
  }

  /// Take what completed; `arrived` is called with each completion of a receive. Their number.
  template <class Arrived>
  int poll(Arrived arrived) noexcept {
    std::array<ibv_wc, 16> done;  // NOLINT(*-member-init): filled as far as it is read
    const int count =
        ibv_poll_cq(queues_->completions.get(), static_cast<int>(done.size()), done.data());
    if (count < 0) latch(-count, "ibv_poll_cq");
    for (int at = 0; at < count; ++at) {
      const ibv_wc& completion = done[static_cast<std::size_t>(at)];
      if (completion.status != IBV_WC_SUCCESS) {
        latch(
            {completion.status, ibv_wc_status_str(completion.status), cause_of(completion.status)});
      } else if ((completion.opcode & IBV_WC_RECV) != 0) {
        arrived(completion);
      } else {
        const auto posted = std::bit_cast<Posted>(completion.wr_id);
        used_[posted.pair] -= posted.requests;
        sends_ -= posted.sends;
        sends_of_[posted.pair] -= posted.sends;
        transfers_ -= posted.transfers;
        note_ended(posted.pair);
      }
    }
    return count;
  }

  /// Sleep until the completion queue has an event, for 100 ms at most; `take` polls and says how
  /// much it found. The queue is asked once more after it was armed, so that no event is lost.
  template <class Take>
  void block(Take take) noexcept {
    constexpr int longest_ms = 100;
    if (take() != 0) return;
    ibv_req_notify_cq(queues_->completions.get(), 0);
    if (take() != 0) return;
    pollfd entry{queues_->channel->fd, POLLIN, 0};
    if (::poll(&entry, 1, longest_ms) <= 0) return;
    ibv_cq* queue = nullptr;
    void* context = nullptr;
    if (ibv_get_cq_event(queues_->channel.get(), &queue, &context) == 0) {
      ibv_ack_cq_events(queue, 1);
    }
  }

  Buffer register_memory(const Buffer& memory) noexcept {
    const std::uint64_t key = memory_.enter(memory, IBV_ACCESS_LOCAL_WRITE);
    if (key == 0) latch(errno, "ibv_reg_mr");
    return {memory.data, memory.bytes, key};
  }
  void deregister_memory(const Buffer& memory) noexcept {
    if (const int error = memory_.forget(memory.key); error != 0) latch(error, "ibv_dereg_mr");
  }

  /// The code is a number of errno.
  void latch(int code, const char* during) noexcept { latch({code, during, cause_of_errno(code)}); }
  void latch(const Fault& fault) noexcept {
    if (fault_.code == 0) fault_ = fault;
  }

  [[nodiscard]] std::uint32_t sends() const noexcept { return sends_; }
  [[nodiscard]] std::uint32_t sends_of(std::size_t pair) const noexcept { return sends_of_[pair]; }
  /// With the rank that this pair leads to a message has gone or come.
  void note_ended(std::size_t pair) noexcept {
    ended_.note(static_cast<int>(pair / QueuePairRequest::per_peer));
  }
  int take_ended() noexcept { return ended_.take(); }
  [[nodiscard]] std::uint32_t transfers() const noexcept { return transfers_; }
  [[nodiscard]] const Fault* fault() const noexcept { return fault_.code == 0 ? nullptr : &fault_; }

 private:
  void open(std::uint32_t depth);
  void deepen(std::size_t depth, std::size_t pieces);
  template <class Begin>
  void connect(std::span<const int> ranks, const Begin& begin) {
    const std::vector<int> unknown = known_.take_new(ranks);
    if (unknown.empty()) return;
    add_queue_pairs(port_, request_, *queues_, unknown, *boot_);
    for (const int rank : unknown) begin(rank);
    // Nobody sends before the other side can receive.
    (void)boot_->swap(unknown, std::vector<std::string>(unknown.size()));
  }
  [[nodiscard]] QueuePairRequest request_for(std::size_t depth) const;

  Bootstrap* boot_;
  KnownPeers known_;
  VerbsPort port_;
  VerbsMemory memory_;
  QueuePairRequest request_;
  std::optional<QueuePairs> queues_;
  /// By queue pair: slots of the send queue in use, and what no completion was asked for yet.
  std::vector<std::uint32_t> used_;
  std::vector<Posted> pending_;
  /// By queue pair: sends in flight.
  std::vector<std::uint32_t> sends_of_;
  EndedPeers ended_;
  bool registers_sides_;
  std::uint16_t asked_signal_every_;
  std::uint16_t signal_every_ = 1;
  std::uint32_t sends_ = 0;
  std::uint32_t transfers_ = 0;
  Fault fault_;
  std::int64_t connecting_ns_ = 0;
  /// Of all ranks; the other details are rank 0's.
  std::string devices_;
};

inline ibv_sge piece_of(const Buffer& buffer) noexcept {
  return {std::bit_cast<std::uint64_t>(buffer.data), static_cast<std::uint32_t>(buffer.bytes),
          local_key(buffer)};
}

}  // namespace weft

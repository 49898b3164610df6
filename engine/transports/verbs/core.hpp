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

/// The name of a request, which its completion brings back: its way to a peer and what it stands
/// for. Only some requests ask for a completion; it stands for those posted before it on the queue
/// pair too. Of a receive, `requests` is 1 where it ends a message, 0 where further pieces of it
/// follow.
struct Posted {
  std::uint16_t way = 0;
  std::uint16_t requests = 0;
  std::uint16_t sends = 0;
  std::uint16_t transfers = 0;
};

enum class Counted : std::uint8_t { no, as_send, as_transfer };

/// Why a request failed, for Fault::cause.
const char* cause_of(ibv_wc_status status) noexcept;

/// Ways to peers are numbered as `QueuePairs` says; with `has_datagrams` all peers share the queue
/// pairs.
template <bool has_datagrams>
class VerbsCore {
 public:
  /// Opens the port and its queues, and connects nobody. Collective. Throws std::runtime_error.
  VerbsCore(const LinkOptions& options, Bootstrap& boot);

  [[nodiscard]] VerbsMemory& memory() noexcept { return memory_; }
  [[nodiscard]] const VerbsPort& port() const noexcept { return port_; }
  [[nodiscard]] const QueuePairs& queues() const noexcept { return *queues_; }
  /// How often the queues were made so far.
  [[nodiscard]] int openings() const noexcept { return openings_; }
  [[nodiscard]] Bootstrap& boot() const noexcept { return *boot_; }

  /// Connects the first neighbours, whom `begin` is called with: what has to be there before a
  /// peer's first message. Collective.
  template <class Begin>
  void start(const Begin& begin) {
    connecting_ns_ = connecting_ns(*boot_, [&] { connect(first_neighbours(*boot_), begin); });
  }
  /// Room for so many messages each way, each of so many requests, to each of these ranks, which
  /// are connected where they are not. A deeper queue than ever before, and where peers share the
  /// pairs more peers of any rank than before, makes all pairs new, on every rank: each connects
  /// again whom it needs next. Throws std::runtime_error.
  template <class Begin>
  void reserve(std::size_t depth, std::size_t pieces, std::span<const int> ranks,
               const Begin& begin) {
    deepen(depth, pieces, ranks);
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

  /// Post to the send queue of a way. A request whose data the device took at once (inline) does
  /// not count while it waits for a later one to ask for a completion: its buffer is free already.
  void post(std::size_t way, ibv_send_wr& request, const ibv_sge& data, Counted counted) noexcept {
    const std::size_t pair = pair_of(way);
    Posted& pending = pending_[pair];
    if (used_[pair] == queues_->room[pair]) {
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
      pending.way = static_cast<std::uint16_t>(way);
      request.wr_id = std::bit_cast<std::uint64_t>(pending);
      sends_ += pending.sends;
      sends_of_[way] += pending.sends;
      transfers_ += pending.transfers;
      pending = {};
    } else {
      note_ended(way);
    }
    ibv_send_wr* refused = nullptr;
    const int error = ibv_post_send(queues_->pairs[pair].get(), &request, &refused);
    if (error != 0) latch(error, "ibv_post_send");
  }

  /// Post a receive into the pieces; its name tells whether it ends a message.
  void post_receive(std::size_t way, ibv_sge* pieces, int count, bool ends = true) noexcept {
    const Posted name{.way = static_cast<std::uint16_t>(way),
                      .requests = static_cast<std::uint16_t>(ends ? 1 : 0)};
    post_receive_named(pair_of(way), std::bit_cast<std::uint64_t>(name), pieces, count);
  }
  /// The same by the number of a queue pair, with a name of the caller's own.
  void post_receive_named(std::size_t pair, std::uint64_t name, ibv_sge* pieces,
                          int count) noexcept {
    ibv_recv_wr request{};
    request.wr_id = name;
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
        used_[pair_of(posted.way)] -= posted.requests;
        sends_ -= posted.sends;
        sends_of_[posted.way] -= posted.sends;
        transfers_ -= posted.transfers;
        note_ended(posted.way);
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
  [[nodiscard]] std::uint32_t sends_of(std::size_t way) const noexcept { return sends_of_[way]; }
  /// With the rank of this way a message has gone or come.
  void note_ended(std::size_t way) noexcept { ended_.note(static_cast<int>(way / ways_per_peer)); }
  int take_ended() noexcept { return ended_.take(); }
  [[nodiscard]] std::uint32_t transfers() const noexcept { return transfers_; }
  [[nodiscard]] const Fault* fault() const noexcept { return fault_.code == 0 ? nullptr : &fault_; }

 private:
  static constexpr std::size_t pair_of(std::size_t way) noexcept {
    return has_datagrams ? way % ways_per_peer : way;
  }
  void open(std::uint32_t depth, std::size_t peers);
  void deepen(std::size_t depth, std::size_t pieces, std::span<const int> ranks);
  [[nodiscard]] std::size_t most_of_all(std::size_t mine, std::size_t least);
  template <class Begin>
  void connect(std::span<const int> ranks, const Begin& begin) {
    const std::vector<int> unknown = known_.take_new(ranks);
    if (unknown.empty()) return;
    add_peers(port_, request_, *queues_, unknown, *boot_);
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
  int openings_ = 0;
  /// By queue pair: slots of the send queue in use, and what no completion was asked for yet.
  std::vector<std::uint32_t> used_;
  std::vector<Posted> pending_;
  /// By way: sends in flight.
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

extern template class VerbsCore<false>;
extern template class VerbsCore<true>;

inline ibv_sge piece_of(const Buffer& buffer) noexcept {
  return {std::bit_cast<std::uint64_t>(buffer.data), static_cast<std::uint32_t>(buffer.bytes),
          local_key(buffer)};
}

}  // namespace weft

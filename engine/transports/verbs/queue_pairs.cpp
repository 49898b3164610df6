#include "transports/verbs/queue_pairs.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <string>

#include "contract/wording.hpp"

namespace weft {

namespace {

constexpr int most_reads_in_flight = 16;
constexpr std::uint32_t sequence_mask = 0xffffff;
constexpr std::uint8_t hop_limit = 64;
// 4.096 us x 2^14 = 67 ms, some times over: a peer that is gone is noticed within a second or two.
constexpr std::uint8_t acknowledge_timeout = 14;

/// What a rank tells the others of itself; the numbers of its queue pairs follow it.
struct Address {
  ibv_gid gid{};
  std::uint32_t lid = 0;
  std::int32_t mtu_bytes = 0;
  std::uint32_t first_sequence = 0;
  std::int32_t reads_in_flight = 0;
};

struct Reported {
  Address address;
  /// Those that lead to the rank that gets them.
  std::vector<std::uint32_t> pairs;
};

std::string packed(const Reported& reported) {
  const auto* address =
      reinterpret_cast<const char*>(&reported.address);  // NOLINT(*-reinterpret-*)
  const auto* numbers =
      reinterpret_cast<const char*>(reported.pairs.data());  // NOLINT(*-reinterpret-*)
  return std::string(address, sizeof reported.address) +
         std::string(numbers, reported.pairs.size() * sizeof reported.pairs.front());
}

Reported unpacked(const std::string& text) {
  Reported reported;
  std::memcpy(&reported.address, text.data(), sizeof(Address));
  reported.pairs.resize((text.size() - sizeof(Address)) / sizeof(std::uint32_t));
  std::memcpy(reported.pairs.data(), &text[sizeof(Address)], text.size() - sizeof(Address));
  return reported;
}

Verbs<ibv_qp> make_pair(const VerbsPort& port, const QueuePairRequest& request,
                        QueuePairs& queues) {
  const bool datagrams = request.type == IBV_QPT_UD;
  for (std::uint32_t inline_bytes = request.inline_bytes;; inline_bytes /= 2) {
    ibv_qp_init_attr wanted{};
    wanted.send_cq = queues.completions.get();
    wanted.recv_cq = queues.completions.get();
    wanted.qp_type = request.type;
    wanted.cap.max_send_wr = request.depth;
    wanted.cap.max_recv_wr = request.depth;
    wanted.cap.max_send_sge = 1;
    wanted.cap.max_recv_sge = datagrams ? 2 : 1;  // a datagram's header goes to a place of its own
    wanted.cap.max_inline_data = inline_bytes;
    Verbs<ibv_qp> pair(ibv_create_qp(port.domain.get(), &wanted));
    if (pair) {
      queues.inline_bytes = std::min(inline_bytes, wanted.cap.max_inline_data);
      return pair;
    }
    // Devices refuse more inline data than they can; the others errors stay when it is none.
    if (inline_bytes == 0) {
      fail_with_cause(
          "no queue pair of depth " + std::to_string(request.depth) + " on " + port.device,
          "choose a smaller --queue-depth");
    }
  }
}

void initialise(ibv_qp* pair, const VerbsPort& port, std::uint32_t datagram_key) {
  const bool datagrams = pair->qp_type == IBV_QPT_UD;
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = static_cast<std::uint8_t>(port.number);
  attributes.qp_access_flags = pair_access;
  attributes.qkey = datagram_key;
  modify(pair, attributes,
         IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
             (datagrams ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS),
         "start a queue pair");
}

ibv_ah_attr route_to(const VerbsPort& port, const Address& peer) {
  ibv_ah_attr route{};
  route.dlid = static_cast<std::uint16_t>(peer.lid);
  route.port_num = static_cast<std::uint8_t>(port.number);
  route.is_global = static_cast<std::uint8_t>(port.is_global);
  if (port.is_global) {
    route.grh.dgid = peer.gid;
    route.grh.sgid_index = static_cast<std::uint8_t>(port.gid.gid_index);
    route.grh.hop_limit = hop_limit;
  }
  return route;
}

void connect_reliably(ibv_qp* pair, std::uint32_t remote_pair, const VerbsPort& port,
                      const Address& mine, const Address& peer) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.path_mtu = mtu_code_of(std::min(mine.mtu_bytes, peer.mtu_bytes));
  attributes.dest_qp_num = remote_pair;
  attributes.rq_psn = peer.first_sequence;
  attributes.max_dest_rd_atomic = static_cast<std::uint8_t>(mine.reads_in_flight);
  attributes.min_rnr_timer = shortest_not_ready_wait;
  attributes.ah_attr = route_to(port, peer);
  modify(pair, attributes,
         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
         "reach a peer's queue pair");
  attributes.qp_state = IBV_QPS_RTS;
  attributes.sq_psn = mine.first_sequence;
  attributes.timeout = acknowledge_timeout;
  attributes.retry_cnt = retries;
  attributes.rnr_retry = retries_without_end;
  attributes.max_rd_atomic = static_cast<std::uint8_t>(peer.reads_in_flight);
  modify(pair, attributes,
         IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
             IBV_QP_MAX_QP_RD_ATOMIC,
         "open a queue pair for sending");
}

void open_for_datagrams(ibv_qp* pair, const Address& mine) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  modify(pair, attributes, IBV_QP_STATE, "open a queue pair for receiving");
  attributes.qp_state = IBV_QPS_RTS;
  attributes.sq_psn = mine.first_sequence;
  modify(pair, attributes, IBV_QP_STATE | IBV_QP_SQ_PSN, "open a queue pair for sending");
}

Address own_address(const VerbsPort& port) {
  Address own;
  own.gid = port.gid.gid;
  own.lid = port.attributes.lid;
  own.mtu_bytes = port.mtu_bytes;
  own.first_sequence = std::random_device{}() & sequence_mask;
  own.reads_in_flight = reads_in_flight(port);
  return own;
}

/// The number of the first pair that leads to a rank.
std::size_t first_to(int rank, const QueuePairRequest& request) {
  return static_cast<std::size_t>(rank) * request.per_peer;
}

void connect_pair(const VerbsPort& port, const QueuePairRequest& request, QueuePairs& queues,
                  std::size_t at, const Address& mine, const Address& peer) {
  ibv_qp* pair = queues.pairs[at].get();
  if (request.type == IBV_QPT_RC) {
    return connect_reliably(pair, queues.remote_pairs[at], port, mine, peer);
  }
  open_for_datagrams(pair, mine);
  ibv_ah_attr route = route_to(port, peer);
  queues.addresses[at].reset(ibv_create_ah(port.domain.get(), &route));
  if (!queues.addresses[at]) {
    fail_with_cause("no path from " + port.text() + " to a peer",
                    "choose another verbs.device or verbs.gid_index");
  }
}

void connect_through_bootstrap(const VerbsPort& port, const QueuePairRequest& request,
                               QueuePairs& queues, std::span<const int> ranks, Bootstrap& boot) {
  const Address mine = own_address(port);
  std::vector<std::string> texts_of_ranks;
  for (const int rank : ranks) {
    Reported reported{mine, {}};
    for (std::size_t n = 0; n < request.per_peer; ++n) {
      reported.pairs.push_back(queues.pairs[first_to(rank, request) + n]->qp_num);
    }
    texts_of_ranks.push_back(packed(reported));
  }
  const std::vector<std::string> texts = boot.swap(ranks, texts_of_ranks);
  for (std::size_t peer = 0; peer < ranks.size(); ++peer) {
    const Reported theirs = unpacked(texts[peer]);
    for (std::size_t n = 0; n < request.per_peer; ++n) {
      const std::size_t at = first_to(ranks[peer], request) + n;
      queues.remote_pairs[at] = theirs.pairs.at(n);
      connect_pair(port, request, queues, at, mine, theirs.address);
    }
  }
}

std::size_t completions_needed(const QueuePairRequest& request, std::size_t peers) {
  return 2 * std::size_t{request.depth} * request.per_peer * std::max<std::size_t>(peers, 1);
}

}  // namespace

// Both ends must be ready for as many reads as the other end starts.
int reads_in_flight(const VerbsPort& port) {
  return std::clamp(std::min(port.limits.max_qp_rd_atom, port.limits.max_qp_init_rd_atom), 1,
                    most_reads_in_flight);
}

void modify(ibv_qp* pair, ibv_qp_attr& attributes, int mask, const char* what) {
  const int error = ibv_modify_qp(pair, &attributes, mask);
  if (error == 0) return;
  errno = error;
  fail_with_cause(std::string("cannot ") + what,
                  "check that the ranks' devices reach each other, or choose another verbs.device "
                  "or verbs.gid_index");
}

std::string refuse_depth(const VerbsPort& port, const QueuePairRequest& request,
                         std::size_t peers) {
  const auto most = static_cast<std::size_t>(std::max(port.limits.max_qp_wr, 0));
  const auto most_completions = static_cast<std::size_t>(std::max(port.limits.max_cqe, 0));
  const std::size_t completions = completions_needed(request, peers);
  const auto most_pairs = static_cast<std::size_t>(std::max(port.limits.max_qp, 0));
  const std::size_t pairs = request.per_peer * peers;
  if (pairs > most_pairs) {
    return counted(pairs, "queue pair") + " to " + counted(peers, "peer") + " are more than the " +
           std::to_string(most_pairs) + " of " + port.device + "; choose fewer ranks";
  }
  std::string reason;
  if (request.depth > most) {
    reason = "a queue of " + counted(request.depth, "request") + " is more than the " +
             std::to_string(most);
  } else if (completions > most_completions) {
    reason = "a queue of " + counted(completions, "completion") +
             (peers > 1 ? " for " + counted(peers, "peer") : "") + " is more than the " +
             std::to_string(most_completions);
  }
  return reason.empty() ? "" : reason + " of " + port.device + "; choose a smaller --queue-depth";
}

QueuePairs open_queues(const VerbsPort& port, const QueuePairRequest& request, int ranks) {
  QueuePairs queues;
  queues.depth = request.depth;
  queues.datagram_key = request.datagram_key;
  queues.channel.reset(ibv_create_comp_channel(port.context.get()));
  if (!queues.channel) fail_with_cause("no event channel on " + port.device, "stop other programs");
  queues.completions.reset(ibv_create_cq(port.context.get(),
                                         static_cast<int>(completions_needed(request, 1)), nullptr,
                                         queues.channel.get(), 0));
  if (!queues.completions) {
    fail_with_cause("no completion queue on " + port.device, "choose a smaller --queue-depth");
  }
  const std::size_t count = static_cast<std::size_t>(ranks) * request.per_peer;
  queues.pairs.resize(count);
  queues.addresses.resize(count);
  queues.remote_pairs.resize(count);
  return queues;
}

void add_queue_pairs(const VerbsPort& port, const QueuePairRequest& request, QueuePairs& queues,
                     std::span<const int> ranks, Bootstrap& boot) {
  const std::size_t peers = queues.peers + ranks.size();
  const std::string refusal = refuse_depth(port, request, peers);
  if (!refusal.empty()) throw std::runtime_error(refusal);
  const auto completions = static_cast<int>(completions_needed(request, peers));
  if (completions > queues.completions->cqe) {
    if (const int error = ibv_resize_cq(queues.completions.get(), completions); error != 0) {
      errno = error;
      fail_with_cause("no completion queue for " + counted(peers, "peer") + " on " + port.device,
                      "choose a smaller --queue-depth");
    }
  }
  for (const int rank : ranks) {
    for (std::size_t n = 0; n < request.per_peer; ++n) {
      Verbs<ibv_qp>& pair = queues.pairs[first_to(rank, request) + n];
      pair = make_pair(port, request, queues);
      if (!request.through_cm) initialise(pair.get(), port, request.datagram_key);
    }
  }
  queues.peers = peers;
  if (request.through_cm) {
    connect_through_cm(port, queues, ranks, boot);
  } else {
    connect_through_bootstrap(port, request, queues, ranks, boot);
  }
}

}  // namespace weft

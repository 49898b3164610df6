#include "transports/verbs/queue_pairs.hpp"

#include <algorithm>
#include <array>
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

Reported reported_of(const std::string& text) {
  Reported reported;
  std::memcpy(&reported.address, text.data(), sizeof(Address));
  reported.pairs.resize((text.size() - sizeof(Address)) / sizeof(std::uint32_t));
  std::memcpy(reported.pairs.data(), &text[sizeof(Address)], text.size() - sizeof(Address));
  return reported;
}

/// Room in a queue pair: for what is sent by it, and for what is to come.
struct Room {
  std::size_t sends = 0;
  std::size_t receives = 0;
};

/// Of the first and the second way to a peer; of datagrams, to all of them. Messages to a rank with
/// one peer come straight into their buffers, by the first; those of many peers by the second, with
/// the grants, in memory that all of them share.
std::array<Room, ways_per_peer> room_of(const QueuePairRequest& request) {
  const std::size_t depth = request.depth;
  if (request.type == IBV_QPT_RC) return {Room{depth, depth}, Room{depth, depth}};
  const std::size_t peers = std::max<std::size_t>(request.peers, 1);
  const std::size_t grants = most_grants(request.depth) * peers;
  return {Room{depth * peers, depth}, Room{depth * peers, depth * peers + grants}};
}

Verbs<ibv_qp> make_pair(const VerbsPort& port, const QueuePairRequest& request, const Room& room,
                        QueuePairs& queues) {
  const bool datagrams = request.type == IBV_QPT_UD;
  for (std::uint32_t inline_bytes = request.inline_bytes;; inline_bytes /= 2) {
    ibv_qp_init_attr wanted{};
    wanted.send_cq = queues.completions.get();
    wanted.recv_cq = queues.completions.get();
    wanted.qp_type = request.type;
    wanted.cap.max_send_wr = static_cast<std::uint32_t>(room.sends);
    wanted.cap.max_recv_wr = static_cast<std::uint32_t>(room.receives);
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
      fail_with_cause("no queue pair of depth " +
                          std::to_string(std::max(room.sends, room.receives)) + " on " +
                          port.device,
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
  route.sl = static_cast<std::uint8_t>(port.service_level);
  if (port.is_global) {
    route.grh.dgid = peer.gid;
    route.grh.sgid_index = static_cast<std::uint8_t>(port.gid.gid_index);
    route.grh.hop_limit = hop_limit;
    route.grh.traffic_class = static_cast<std::uint8_t>(port.traffic_class);
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

/// The number of the first way to a rank.
std::size_t first_to(int rank) {
  return static_cast<std::size_t>(rank) * ways_per_peer;
}

/// Each of these ranks gets the numbers of `pairs_to(rank)`, and what it answers is given to
/// `connect(rank, theirs)`.
template <class PairsTo, class Connect>
void swap_numbers(std::span<const int> ranks, Bootstrap& boot, const Address& mine,
                  const PairsTo& pairs_to, const Connect& connect) {
  std::vector<std::string> texts_of_ranks;
  for (const int rank : ranks) {
    Reported reported{mine, {}};
    for (const Verbs<ibv_qp>& pair : pairs_to(rank)) reported.pairs.push_back(pair->qp_num);
    texts_of_ranks.push_back(packed(reported));
  }
  const std::vector<std::string> texts = boot.swap(ranks, texts_of_ranks);
  for (std::size_t peer = 0; peer < ranks.size(); ++peer) {
    connect(ranks[peer], reported_of(texts[peer]));
  }
}

void connect_through_bootstrap(const VerbsPort& port, QueuePairs& queues,
                               std::span<const int> ranks, Bootstrap& boot) {
  const Address mine = own_address(port);
  const auto pairs_to = [&](int rank) {
    return std::span(queues.pairs).subspan(first_to(rank), ways_per_peer);
  };
  swap_numbers(ranks, boot, mine, pairs_to, [&](int rank, const Reported& theirs) {
    for (std::size_t n = 0; n < ways_per_peer; ++n) {
      const std::size_t at = first_to(rank) + n;
      queues.remote_pairs[at] = theirs.pairs.at(n);
      connect_reliably(queues.pairs[at].get(), theirs.pairs[n], port, mine, theirs.address);
    }
  });
}

void add_ways_of_datagrams(const VerbsPort& port, QueuePairs& queues, std::span<const int> ranks,
                           Bootstrap& boot) {
  const auto all = [&](int /*rank*/) { return std::span(queues.pairs); };
  swap_numbers(ranks, boot, own_address(port), all, [&](int rank, const Reported& theirs) {
    for (std::size_t n = 0; n < ways_per_peer; ++n) {
      queues.remote_pairs[first_to(rank) + n] = theirs.pairs.at(n);
    }
    ibv_ah_attr route = route_to(port, theirs.address);
    Verbs<ibv_ah>& address = queues.addresses[static_cast<std::size_t>(rank)];
    address.reset(ibv_create_ah(port.domain.get(), &route));
    if (!address) {
      fail_with_cause("no path from " + port.text() + " to " + boot.names_of({&rank, 1}),
                      "choose another verbs.device or verbs.gid_index");
    }
  });
}

/// Of connections to so many peers; datagrams have room for their own number of them.
std::size_t completions_needed(const QueuePairRequest& request, std::size_t peers) {
  std::size_t all = 0;
  for (const Room& room : room_of(request)) all += room.sends + room.receives;
  return request.type == IBV_QPT_RC ? all * std::max<std::size_t>(peers, 1) : all;
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
  const auto most_pairs = static_cast<std::size_t>(std::max(port.limits.max_qp, 0));
  QueuePairRequest asked = request;
  asked.peers = peers;
  const std::size_t completions = completions_needed(asked, peers);
  const bool connects = request.type == IBV_QPT_RC;
  const std::size_t pairs = ways_per_peer * peers;
  if (connects && pairs > most_pairs) {
    return counted(pairs, "queue pair") + " to " + counted(peers, "peer") + " are more than the " +
           std::to_string(most_pairs) + " of " + port.device + "; choose fewer ranks";
  }
  std::size_t deepest = 0;
  for (const Room& room : room_of(asked)) {
    deepest = std::max({deepest, room.sends, room.receives});
  }
  const std::string of_peers = peers > 1 ? " for " + counted(peers, "peer") : "";
  std::string reason;
  if (!connects && request.depth > most_datagrams) {
    reason = "a queue of " + counted(request.depth, "datagram") + " is more than the " +
             std::to_string(most_datagrams);
  } else if (deepest > most) {
    reason = "a queue of " + counted(deepest, "request") + (connects ? "" : of_peers) +
             " is more than the " + std::to_string(most);
  } else if (completions > most_completions) {
    reason = "a queue of " + counted(completions, "completion") + of_peers + " is more than the " +
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
  const auto count = static_cast<std::size_t>(ranks);
  queues.remote_pairs.resize(count * ways_per_peer);
  if (request.type == IBV_QPT_RC) {
    queues.pairs.resize(count * ways_per_peer);
    queues.room.assign(queues.pairs.size(), request.depth);
    return queues;
  }
  queues.addresses.resize(count);
  const Address mine = own_address(port);
  for (const Room& room : room_of(request)) {
    queues.pairs.push_back(make_pair(port, request, room, queues));
    queues.room.push_back(static_cast<std::uint32_t>(room.sends));
    initialise(queues.pairs.back().get(), port, request.datagram_key);
    open_for_datagrams(queues.pairs.back().get(), mine);
  }
  return queues;
}

void add_peers(const VerbsPort& port, const QueuePairRequest& request, QueuePairs& queues,
               std::span<const int> ranks, Bootstrap& boot) {
  const std::size_t peers = queues.peers + ranks.size();
  queues.peers = peers;
  if (request.type == IBV_QPT_UD) return add_ways_of_datagrams(port, queues, ranks, boot);
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
    for (std::size_t n = 0; n < ways_per_peer; ++n) {
      Verbs<ibv_qp>& pair = queues.pairs[first_to(rank) + n];
      pair = make_pair(port, request, room_of(request).at(n), queues);
      if (!request.through_cm) initialise(pair.get(), port, request.datagram_key);
    }
  }
  if (request.through_cm) {
    connect_through_cm(port, queues, ranks, boot);
  } else {
    connect_through_bootstrap(port, queues, ranks, boot);
  }
}

}  // namespace weft

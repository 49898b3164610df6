// Queue pairs to the peers that are needed, made and connected.
#pragma once

#include <infiniband/verbs.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "transports/verbs/device.hpp"

namespace weft {

/// Two ways lead to each peer, number `rank * ways_per_peer + n`: over reliable connections each is
/// a queue pair of its own; datagrams to all peers go by one queue pair for each `n`.
inline constexpr std::size_t ways_per_peer = 2;

struct QueuePairRequest {
  ibv_qp_type type = IBV_QPT_RC;
  /// Of messages to a peer.
  std::uint32_t depth = 1;
  /// Of datagrams: to how many peers.
  std::size_t peers = 1;
  std::uint32_t inline_bytes = 0;
  /// Connect by RDMA CM instead of the bootstrap (reliable connections only).
  bool through_cm = false;
  /// The Q_Key, which every datagram to a queue pair has to bear.
  std::uint32_t datagram_key = 0;
};

struct QueuePairs {
  Verbs<ibv_comp_channel> channel;
  Verbs<ibv_cq> completions;
  /// Of connections by number, none to a rank that was not needed yet; of datagrams two.
  std::vector<Verbs<ibv_qp>> pairs;
  /// How many requests each pair's send queue takes.
  std::vector<std::uint32_t> room;
  /// For datagrams, by rank: the way to its device.
  std::vector<Verbs<ibv_ah>> addresses;
  /// By number.
  std::vector<std::uint32_t> remote_pairs;
  /// What RDMA CM holds of a connection for as long as it lives.
  std::vector<std::shared_ptr<void>> connections;
  std::uint32_t depth = 0;
  std::uint32_t inline_bytes = 0;
  std::uint32_t datagram_key = 0;
  /// How many peers there are pairs to.
  std::size_t peers = 0;
};

/// Why queue pairs of this depth to so many peers cannot be had from the device; empty when they
/// can.
std::string refuse_depth(const VerbsPort& port, const QueuePairRequest& request, std::size_t peers);

/// What all queue pairs share, and none of them yet. Throws std::runtime_error.
QueuePairs open_queues(const VerbsPort& port, const QueuePairRequest& request, int ranks);

/// A datagram tells its sender's receives in 16 bits: no more may be unknown to it.
inline constexpr std::uint32_t most_datagrams = 32'767;
/// How many datagrams without a message a peer may have sent that were not looked at: each tells
/// of twice as many receives as are known, or of half a queue that was emptied since.
constexpr std::uint32_t most_grants(std::uint32_t depth) noexcept {
  constexpr std::uint32_t beside = 4;
  return static_cast<std::uint32_t>(std::bit_width(depth)) + beside;
}

/// Makes the ways to these ranks, which make theirs to this one at once, with the same request.
/// They can send and receive afterwards, once both sides know that. Throws std::runtime_error.
void add_peers(const VerbsPort& port, const QueuePairRequest& request, QueuePairs& queues,
               std::span<const int> ranks, Bootstrap& boot);

inline constexpr int pair_access =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
/// Seven times would be without end for Soft-RoCE, and a peer that is gone never noticed.
inline constexpr std::uint8_t retries = 6;
/// A receiver that is not ready is asked again without end (7), first after 10 us (code 1).
inline constexpr std::uint8_t retries_without_end = 7;
inline constexpr std::uint8_t shortest_not_ready_wait = 1;

/// ibv_modify_qp. Throws std::runtime_error.
void modify(ibv_qp* pair, ibv_qp_attr& attributes, int mask, const char* what);

/// How many reads a peer may have under way at this port.
int reads_in_flight(const VerbsPort& port);

/// Connect the pairs to these ranks by RDMA CM, over the addresses of the port's own interface.
void connect_through_cm(const VerbsPort& port, QueuePairs& queues, std::span<const int> ranks,
                        Bootstrap& boot);

}  // namespace weft

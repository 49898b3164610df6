// Connections by RDMA CM: its own messages carry the numbers of the queue pairs. The pairs stay
// ours, so that both ways of connecting end with the same objects.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_cma.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include "bootstrap/patience.hpp"
#include "transports/verbs/queue_pairs.hpp"

namespace weft {

namespace {

constexpr int patience_ms = 5000;
constexpr const char* check_module =
    "check that the kernel has rdma_ucm (modprobe rdma_ucm), or use verbs.connect=bootstrap";

struct DestroyId {
  void operator()(rdma_cm_id* id) const { rdma_destroy_id(id); }
};
using Id = std::unique_ptr<rdma_cm_id, DestroyId>;

struct FreeInterfaces {
  void operator()(ifaddrs* list) const { freeifaddrs(list); }
};

/// Which queue pair a connection is for; the secret tells it from a stranger's.
struct Introduction {
  std::uint64_t secret = 0;
  std::int32_t rank = 0;
  std::uint32_t pair_of_peer = 0;
};

sockaddr* generic(sockaddr_in& address) {
  return reinterpret_cast<sockaddr*>(&address);  // NOLINT(*-reinterpret-cast): the sockets API
}

void check(int result, const char* what) {
  if (result != 0) fail_with_cause(std::string("RDMA CM cannot ") + what, check_module);
}

// A connection id without a channel: its calls wait for their own ends.
Id make_id() {
  rdma_cm_id* id = nullptr;
  check(rdma_create_id(nullptr, &id, nullptr, RDMA_PS_TCP), "start");
  return Id(id);
}

// RDMA CM knows ports by IP addresses: the one that binds to our device and port is ours.
Id listen_at(const VerbsPort& port, sockaddr_in& address) {
  ifaddrs* first = nullptr;
  check(getifaddrs(&first), "list the interfaces");
  const std::unique_ptr<ifaddrs, FreeInterfaces> list(first);
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
    std::memcpy(&address, entry->ifa_addr, sizeof address);
    address.sin_port = 0;
    Id id = make_id();
    if (rdma_bind_addr(id.get(), generic(address)) != 0 || id->verbs == nullptr) continue;
    if (port.device != ibv_get_device_name(id->verbs->device) || id->port_num != port.number) {
      continue;
    }
    check(rdma_listen(id.get(), SOMAXCONN), "listen");
    address.sin_port = rdma_get_src_port(id.get());
    return id;
  }
  throw std::runtime_error("no interface with an IPv4 address belongs to " + port.text() +
                           "; give it one, or use verbs.connect=bootstrap");
}

void bring_up(const VerbsPort& port, rdma_cm_id* id, ibv_qp* pair) {
  constexpr std::array states{IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS};
  for (const ibv_qp_state state : states) {
    ibv_qp_attr attributes{};
    attributes.qp_state = state;
    int mask = 0;
    check(rdma_init_qp_attr(id, &attributes, &mask), "describe a queue pair");
    attributes.min_rnr_timer = shortest_not_ready_wait;
    attributes.ah_attr.sl = static_cast<std::uint8_t>(port.service_level);
    attributes.ah_attr.grh.traffic_class = static_cast<std::uint8_t>(port.traffic_class);
    attributes.qp_access_flags = pair_access;
    if (state == IBV_QPS_INIT) mask |= IBV_QP_ACCESS_FLAGS;
    modify(pair, attributes, mask, "bring up a queue pair as RDMA CM says");
  }
}

rdma_conn_param parameters(const VerbsPort& port, const ibv_qp* pair) {
  rdma_conn_param wanted{};
  wanted.responder_resources = static_cast<std::uint8_t>(reads_in_flight(port));
  wanted.initiator_depth = wanted.responder_resources;
  wanted.retry_count = retries;
  wanted.rnr_retry_count = retries_without_end;
  wanted.qp_num = pair->qp_num;
  return wanted;
}

/// Names the ranks of the connections that did not come.
[[noreturn]] void fail_late(const std::set<std::uint32_t>& missing, const Bootstrap& boot,
                            std::chrono::milliseconds patience) {
  std::vector<int> ranks;
  for (const std::uint32_t number : missing) {
    const auto rank = static_cast<int>(number / ways_per_peer);
    if (ranks.empty() || ranks.back() != rank) ranks.push_back(rank);
  }
  throw CannotConnect("no connection by RDMA CM from " + boot.names_of(ranks) + " for " +
                      seconds_of(patience) +
                      "; see the other ranks' messages, or use verbs.connect=bootstrap");
}

std::shared_ptr<void> kept(Id id) {
  return {id.release(), DestroyId{}};
}

void connect_to(const VerbsPort& port, sockaddr_in mine, sockaddr_in peer, ibv_qp* pair,
                const Introduction& introduction, QueuePairs& queues) {
  Id id = make_id();
  mine.sin_port = 0;
  check(rdma_resolve_addr(id.get(), generic(mine), generic(peer), patience_ms), "find a peer");
  check(rdma_resolve_route(id.get(), patience_ms), "resolve the route to a peer");
  rdma_conn_param wanted = parameters(port, pair);
  wanted.private_data = &introduction;
  wanted.private_data_len = sizeof introduction;
  check(rdma_connect(id.get(), &wanted), "connect to a peer");
  bring_up(port, id.get(), pair);
  check(rdma_establish(id.get()), "establish a connection");
  queues.connections.push_back(kept(std::move(id)));
}

// Takes the next connection off those that are `missing`, by number, unless it is a stranger's.
void accept_one(const VerbsPort& port, rdma_cm_id* listener, std::uint64_t secret,
                const Bootstrap& boot, std::set<std::uint32_t>& missing, QueuePairs& queues) {
  const std::chrono::milliseconds patience = patience_of(boot.size());
  pollfd asked{listener->channel->fd, POLLIN, 0};
  if (poll(&asked, 1, static_cast<int>(patience.count())) <= 0) fail_late(missing, boot, patience);
  rdma_cm_id* raw = nullptr;
  // What is no request, such as a stranger's end of one, is none of ours.
  if (rdma_get_request(listener, &raw) != 0) return;
  Id id(raw);
  const rdma_conn_param& offered = id->event->param.conn;
  Introduction introduction;
  if (offered.private_data_len < sizeof introduction) return;
  std::memcpy(&introduction, offered.private_data, sizeof introduction);
  if (introduction.secret != secret || missing.erase(introduction.pair_of_peer) == 0) return;
  ibv_qp* pair = queues.pairs[introduction.pair_of_peer].get();
  bring_up(port, id.get(), pair);
  rdma_conn_param wanted = parameters(port, pair);
  check(rdma_accept(id.get(), &wanted), "accept a connection");
  queues.connections.push_back(kept(std::move(id)));
}

std::uint64_t new_secret() {
  constexpr unsigned word_bits = 32;
  std::random_device random;
  return std::uint64_t{random()} << word_bits | random();
}

/// Where a rank listens, and what it wants to hear there.
struct Door {
  sockaddr_in address{};
  std::uint64_t secret = 0;
};

Door door_of(const std::string& text) {
  Door door;
  std::memcpy(&door, text.data(), sizeof door);
  return door;
}

}  // namespace

void connect_through_cm(const VerbsPort& port, QueuePairs& queues, std::span<const int> ranks,
                        Bootstrap& boot) {
  Door mine{.secret = new_secret()};
  const Id listener = listen_at(port, mine.address);
  const std::string raw(reinterpret_cast<const char*>(&mine), sizeof mine);  // NOLINT
  const std::vector<std::string> doors =
      boot.swap(ranks, std::vector<std::string>(ranks.size(), raw));
  const int rank = boot.rank();
  std::set<std::uint32_t> missing;
  // To the ranks below; they take connections once they have theirs.
  for (std::size_t peer = 0; peer < ranks.size(); ++peer) {
    const Door theirs = door_of(doors[peer]);
    for (std::size_t n = 0; n < ways_per_peer; ++n) {
      const std::size_t at = static_cast<std::size_t>(ranks[peer]) * ways_per_peer + n;
      if (ranks[peer] > rank) {
        missing.insert(static_cast<std::uint32_t>(at));
        continue;
      }
      const auto there =
          static_cast<std::uint32_t>(static_cast<std::size_t>(rank) * ways_per_peer + n);
      connect_to(port, mine.address, theirs.address, queues.pairs[at].get(),
                 {theirs.secret, rank, there}, queues);
    }
  }
  while (!missing.empty()) {
    accept_one(port, listener.get(), mine.secret, boot, missing, queues);
  }
}

}  // namespace weft

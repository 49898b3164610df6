#include "transports/verbs/core.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

#include "contract/wording.hpp"
#include "host/hosts.hpp"
#include "transports/parts/traffic_class.hpp"
#include "transports/verbs/settings.hpp"

namespace weft {

namespace {

constexpr std::uint32_t first_depth = 256;
constexpr int usual_inline_bytes = 256;
constexpr int usual_unsignalled = 16;
// Of a queue, an eighth at most waits for a completion: the rest keeps the link busy meanwhile.
constexpr std::size_t parts_of_queue = 8;

/// A key of the run: a stranger who does not know it reaches no datagram queue pair of ours.
std::uint32_t datagram_key_of(Bootstrap& boot) {
  constexpr std::uint32_t of_privileged_users = 0x80000000;
  const std::uint32_t mine = std::random_device{}() & ~of_privileged_users;
  return static_cast<std::uint32_t>(std::stoul(boot.broadcast(std::to_string(mine))));
}

bool through_cm(const LinkOptions& options, bool has_datagrams) {
  const std::string method = options.text("connect", "bootstrap");
  if (method != "bootstrap" && method != "rdmacm") {
    throw std::runtime_error("option connect takes bootstrap or rdmacm, not '" + method + "'");
  }
  if (method == "rdmacm" && has_datagrams) {
    throw std::runtime_error("rdmacm connects reliable connections only; use connect=bootstrap");
  }
  return method == "rdmacm";
}

}  // namespace

const char* cause_of(ibv_wc_status status) noexcept {
  constexpr std::array lost{IBV_WC_RETRY_EXC_ERR, IBV_WC_REM_OP_ERR, IBV_WC_REM_ABORT_ERR,
                            IBV_WC_RESP_TIMEOUT_ERR, IBV_WC_WR_FLUSH_ERR};
  constexpr std::array refused{IBV_WC_LOC_LEN_ERR,     IBV_WC_LOC_QP_OP_ERR,
                               IBV_WC_LOC_PROT_ERR,    IBV_WC_LOC_ACCESS_ERR,
                               IBV_WC_REM_INV_REQ_ERR, IBV_WC_REM_ACCESS_ERR};
  const auto is_in = [status](const auto& list) {
    return std::find(list.begin(), list.end(), status) != list.end();
  };
  if (is_in(lost)) return peer_is_gone;
  if (is_in(refused)) return "a device refused it; report this defect with the case";
  if (status == IBV_WC_RNR_RETRY_EXC_ERR) return "the peer had no receive posted";
  return "the device failed; see its messages with: dmesg";
}

template <bool has_datagrams>
VerbsCore<has_datagrams>::VerbsCore(const LinkOptions& options, Bootstrap& boot)
    : boot_(&boot),
      known_(boot.size()),
      port_(open_verbs_port(options, local_rank(boot))),
      memory_(port_.domain.get()),
      request_{.type = has_datagrams ? IBV_QPT_UD : IBV_QPT_RC,
               .inline_bytes =
                   static_cast<std::uint32_t>(options.number(inline_setting, usual_inline_bytes)),
               .through_cm = through_cm(options, has_datagrams),
               .datagram_key = datagram_key_of(boot)},
      ended_(boot.size()),
      registers_sides_(weft::registers_sides(options)),
      asked_signal_every_(
          static_cast<std::uint16_t>(options.number(signal_every_setting, usual_unsignalled))) {
  const std::size_t most_ways = std::numeric_limits<decltype(Posted::way)>::max();
  if (static_cast<std::size_t>(boot.size()) * ways_per_peer > most_ways) {
    throw std::runtime_error("verbs knows " + counted(most_ways / ways_per_peer, "rank") +
                             "; choose fewer");
  }
  open(first_depth, first_neighbours(boot).size());
  for (const std::string& device : boot.exchange(port_.device)) {
    if (devices_.find(device) == std::string::npos) {
      devices_ += (devices_.empty() ? "" : ", ") + device;
    }
  }
}

template <bool has_datagrams>
void VerbsCore<has_datagrams>::open(std::uint32_t depth, std::size_t peers) {
  queues_.reset();
  known_.forget_all();
  request_.depth = depth;
  request_.peers = peers;
  queues_ = open_queues(port_, request_, boot_->size());
  ++openings_;
  used_.assign(queues_->pairs.size(), 0);
  pending_.assign(queues_->pairs.size(), {});
  sends_of_.assign(queues_->remote_pairs.size(), 0);
}

template <bool has_datagrams>
void VerbsCore<has_datagrams>::deepen(std::size_t depth, std::size_t pieces,
                                      std::span<const int> ranks) {
  memory_.make_room(2 * depth);
  const std::size_t share = std::max<std::size_t>(depth / parts_of_queue, 1);
  signal_every_ = static_cast<std::uint16_t>(std::min<std::size_t>(asked_signal_every_, share));
  // One completion stands for messages of one peer: who has several on one queue pair asks for all.
  if (has_datagrams && ranks.size() > 1) signal_every_ = 1;
  const std::uint32_t wanted = request_for(depth * pieces).depth;
  const bool is_deeper = wanted > queues_->depth;
  if constexpr (has_datagrams) {
    // Made anew the queues are for the peers of the case alone, of whichever rank has most.
    const bool is_full = known_.count_with(ranks) > request_.peers;
    if (boot_->first_of(is_full || is_deeper ? "queues of more peers" : "").empty()) return;
    open(std::max(wanted, queues_->depth), most_of_all(ranks.size(), request_.peers));
  } else {
    if (is_deeper) open(wanted, request_.peers);
  }
}

// The largest of all ranks' numbers, at least so many.
template <bool has_datagrams>
std::size_t VerbsCore<has_datagrams>::most_of_all(std::size_t mine, std::size_t least) {
  while (true) {
    const std::string more = boot_->first_of(mine > least ? std::to_string(mine) : "");
    if (more.empty()) return least;
    least = std::stoull(more);
  }
}

// Beside the requests that count there are those that wait for a completion to be asked for.
template <bool has_datagrams>
QueuePairRequest VerbsCore<has_datagrams>::request_for(std::size_t depth) const {
  QueuePairRequest wanted = request_;
  wanted.depth = static_cast<std::uint32_t>(depth + depth / parts_of_queue + 1);
  return wanted;
}

template <bool has_datagrams>
std::string VerbsCore<has_datagrams>::refusal(std::size_t bytes, std::size_t most_bytes,
                                              std::size_t depth) const {
  if (bytes > most_bytes) {
    return "a message of " + std::to_string(bytes) + " bytes is more than the " +
           std::to_string(most_bytes) + " that " + port_.text() +
           " takes in this mode; choose smaller sizes";
  }
  return refuse_depth(port_, request_for(depth), 1);
}

template <bool has_datagrams>
std::string VerbsCore<has_datagrams>::refuse_peers(std::size_t depth,
                                                   std::span<const int> ranks) const {
  QueuePairRequest wanted = request_for(depth);
  const bool are_new = wanted.depth > queues_->depth;
  wanted.depth = std::max(wanted.depth, queues_->depth);
  if (has_datagrams) return refuse_depth(port_, wanted, std::max(ranks.size(), request_.peers));
  return refuse_depth(port_, wanted, are_new ? ranks.size() : known_.count_with(ranks));
}

template <bool has_datagrams>
Details VerbsCore<has_datagrams>::details() const {
  return {{"device", devices_},
          {"port", std::to_string(port_.number)},
          {"link layer", port_.link_layer()},
          {"GID", port_.gid_text()},
          {"MTU", std::to_string(port_.mtu_bytes)},
          {traffic_class_note, std::to_string(port_.traffic_class)},
          {service_level_note, std::to_string(port_.service_level)},
          {"inline limit", std::to_string(queues_->inline_bytes)},
          {"firmware", std::string(port_.limits.fw_ver)},
          {"connected by", request_.through_cm ? "RDMA CM" : "bootstrap"},
          {"registered", registers_sides_ ? "a side at once" : "each buffer by itself"},
          {"signalled", "1 of " + std::to_string(asked_signal_every_) + " inline, all others"},
          connecting_note(connecting_ns_)};
}

template class VerbsCore<false>;
template class VerbsCore<true>;

}  // namespace weft

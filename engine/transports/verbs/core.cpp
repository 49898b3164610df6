#include "transports/verbs/core.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "host/hosts.hpp"
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

bool through_cm(const LinkOptions& options, ibv_qp_type type) {
  const std::string method = options.text("connect", "bootstrap");
  if (method != "bootstrap" && method != "rdmacm") {
    throw std::runtime_error("option connect takes bootstrap or rdmacm, not '" + method + "'");
  }
  if (method == "rdmacm" && type != IBV_QPT_RC) {
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

VerbsCore::VerbsCore(const LinkOptions& options, Bootstrap& boot, ibv_qp_type type)
    : boot_(&boot),
      known_(boot.size()),
      port_(open_verbs_port(options, local_rank(boot))),
      memory_(port_.domain.get()),
      request_{.type = type,
               .inline_bytes =
                   static_cast<std::uint32_t>(options.number(inline_setting, usual_inline_bytes)),
               .through_cm = through_cm(options, type),
               .datagram_key = datagram_key_of(boot)},
      ended_(boot.size()),
      registers_sides_(weft::registers_sides(options)),
      asked_signal_every_(
          static_cast<std::uint16_t>(options.number(signal_every_setting, usual_unsignalled))) {
  open(first_depth);
  for (const std::string& device : boot.exchange(port_.device)) {
    if (devices_.find(device) == std::string::npos) {
      devices_ += (devices_.empty() ? "" : ", ") + device;
    }
  }
}

void VerbsCore::open(std::uint32_t depth) {
  queues_.reset();
  known_.forget_all();
  request_.depth = depth;
  queues_ = open_queues(port_, request_, boot_->size());
  used_.assign(queues_->pairs.size(), 0);
  sends_of_.assign(queues_->pairs.size(), 0);
  pending_.assign(queues_->pairs.size(), {});
  for (std::size_t pair = 0; pair < pending_.size(); ++pair) {
    pending_[pair].pair = static_cast<std::uint16_t>(pair);
  }
}

void VerbsCore::deepen(std::size_t depth, std::size_t pieces) {
  memory_.make_room(2 * depth);
  const std::size_t share = std::max<std::size_t>(depth / parts_of_queue, 1);
  signal_every_ = static_cast<std::uint16_t>(std::min<std::size_t>(asked_signal_every_, share));
  const QueuePairRequest wanted = request_for(depth * pieces);
  if (wanted.depth > queues_->depth) open(wanted.depth);
}

// Beside the requests that count there are those that wait for a completion to be asked for.
QueuePairRequest VerbsCore::request_for(std::size_t depth) const {
  QueuePairRequest wanted = request_;
  wanted.depth = static_cast<std::uint32_t>(depth + depth / parts_of_queue + 1);
  return wanted;
}

std::string VerbsCore::refusal(std::size_t bytes, std::size_t most_bytes, std::size_t depth) const {
  if (bytes > most_bytes) {
    return "a message of " + std::to_string(bytes) + " bytes is more than the " +
           std::to_string(most_bytes) + " that " + port_.text() +
           " takes in this mode; choose smaller sizes";
  }
  return refuse_depth(port_, request_for(depth), 1);
}

std::string VerbsCore::refuse_peers(std::size_t depth, std::span<const int> ranks) const {
  QueuePairRequest wanted = request_for(depth);
  const bool are_new = wanted.depth > queues_->depth;
  wanted.depth = std::max(wanted.depth, queues_->depth);
  return refuse_depth(port_, wanted, are_new ? ranks.size() : known_.count_with(ranks));
}

Details VerbsCore::details() const {
  return {{"device", devices_},
          {"port", std::to_string(port_.number)},
          {"link layer", port_.link_layer()},
          {"GID", port_.gid_text()},
          {"MTU", std::to_string(port_.mtu_bytes)},
          {"inline limit", std::to_string(queues_->inline_bytes)},
          {"firmware", std::string(port_.limits.fw_ver)},
          {"connected by", request_.through_cm ? "RDMA CM" : "bootstrap"},
          {"registered", registers_sides_ ? "a side at once" : "each buffer by itself"},
          {"signalled", "1 of " + std::to_string(asked_signal_every_) + " inline, all others"},
          connecting_note(connecting_ns_)};
}

}  // namespace weft

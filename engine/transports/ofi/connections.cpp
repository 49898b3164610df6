#include "transports/ofi/connections.hpp"

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "bootstrap/patience.hpp"

namespace weft {

namespace {

constexpr const char* fix =
    "check that no firewall blocks the ranks, or choose another ofi.domain or ofi.provider";
/// Notices that a peer may send before one of them is looked at; more wait at their sender.
constexpr std::size_t notice_receives = 64;

std::uint64_t new_secret() {
  constexpr unsigned word_bits = 32;
  std::random_device random;
  return std::uint64_t{random()} << word_bits | random();
}

std::size_t endpoints_per_peer(const fi_info* info) {
  return ((info->mode | info->rx_attr->mode) & FI_RX_CQ_DATA) != 0 ? 2 : 1;
}

}  // namespace

OfiConnections::OfiConnections(const OfiFabric& fabric)
    : fabric_(&fabric),
      per_peer_(endpoints_per_peer(fabric.info())),
      delivery_(fabric.delivers() ? FI_DELIVERY_COMPLETE : 0),
      endpoints_(static_cast<std::size_t>(fabric.boot().size()) * per_peer_),
      connected_(endpoints_.size()) {
  open_events();
}

void OfiConnections::open_events() {
  fi_eq_attr queue{};
  queue.wait_obj = FI_WAIT_UNSPEC;
  events_.reset();
  fid_eq* events = nullptr;
  require_ofi(fi_eq_open(fabric_->fabric(), &queue, &events, nullptr), "making an event queue");
  events_.reset(events);
}

// With a queue of events of their own: events of connections that ended are of no interest to
// those that follow.
void OfiConnections::disconnect() {
  for (FidOf<fid_ep>& endpoint : endpoints_) endpoint.reset();
  connected_.assign(connected_.size(), false);
  receives_.clear();
  open_events();
}

void OfiConnections::listen() {
  const OfiFabric& fabric = *fabric_;
  fid_pep* listener = nullptr;
  require_ofi(fi_passive_ep(fabric.fabric(), fabric.info(), &listener, nullptr),
              "making a passive endpoint");
  listener_.reset(listener);
  require_ofi(fi_pep_bind(listener, &events_->fid, 0), "binding the event queue");
  require_ofi(fi_listen(listener), "listening for connections");
}

std::string OfiConnections::own_name() const {
  std::size_t bytes = 0;
  fi_getname(&listener_->fid, nullptr, &bytes);
  std::string name(bytes, '\0');
  require_ofi(fi_getname(&listener_->fid, name.data(), &bytes),
              "asking for the passive endpoint's address");
  return name;
}

void OfiConnections::find(std::span<const int> ranks) {
  Bootstrap& boot = fabric_->boot();
  listen();
  secret_ = new_secret();
  awaited_.assign(ranks.begin(), ranks.end());
  const std::string mine = own_name();
  std::string text(sizeof secret_, '\0');
  std::memcpy(text.data(), &secret_, sizeof secret_);
  const std::vector<std::string> others =
      boot.swap(ranks, std::vector<std::string>(ranks.size(), text + mine));
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    if (ranks[at] < boot.rank()) continue;
    std::uint64_t secret = 0;
    std::memcpy(&secret, others[at].data(), sizeof secret);
    for (std::size_t endpoint = 0; endpoint < per_peer_; ++endpoint) {
      ask(static_cast<std::uint32_t>(ranks[at]), static_cast<std::uint32_t>(endpoint), secret,
          others[at].substr(sizeof secret));
    }
  }
  std::size_t missing = ranks.size() * per_peer_;
  while (missing > 0) {
    if (take_event()) --missing;
  }
  listener_.reset();
  for (const int rank : ranks) expect_notices({rank});
}

void OfiConnections::open_endpoint(std::size_t index, fi_info* info) {
  // Of a request, the provider's own are asked for otherwise.
  info->tx_attr->op_flags = FI_COMPLETION;
  info->rx_attr->op_flags = FI_COMPLETION;
  fid_ep* endpoint = nullptr;
  require_ofi(fi_endpoint(fabric_->domain(), info, &endpoint, nullptr), "making an endpoint");
  endpoints_[index].reset(endpoint);
  require_ofi(fi_ep_bind(endpoint, &events_->fid, 0), "binding the event queue");
  fabric_->bind_completions(endpoint);
  require_ofi(fi_enable(endpoint), "enabling an endpoint");
}

void OfiConnections::ask(std::uint32_t rank, std::uint32_t endpoint, std::uint64_t secret,
                         const std::string& name) {
  const FabricInfo info(fi_dupinfo(fabric_->info()));
  // verbs looks up the route when the endpoint is made. Freed by fi_freeinfo.
  std::free(info->dest_addr);                  // NOLINT(*-no-malloc): libfabric's own memory
  info->dest_addr = std::malloc(name.size());  // NOLINT(*-no-malloc)
  if (info->dest_addr == nullptr) throw std::bad_alloc();
  std::memcpy(info->dest_addr, name.data(), name.size());
  info->dest_addrlen = name.size();
  const std::size_t index = rank * per_peer_ + endpoint;
  open_endpoint(index, info.get());
  const Introduction mine{secret, static_cast<std::uint32_t>(fabric_->boot().rank()), endpoint};
  require_ofi(fi_connect(endpoints_[index].get(), name.data(), &mine, sizeof mine),
              "connecting to " + fabric_->boot().names_of(std::array{static_cast<int>(rank)}));
}

// True if a connection is there now.
bool OfiConnections::take_event() {
  constexpr int probe_ms = 100;
  // The entry, and behind it what the peer said.
  constexpr std::size_t most_data = 256;
  std::array<std::byte, sizeof(fi_eq_cm_entry) + most_data> event{};
  std::uint32_t kind = 0;
  ssize_t bytes = -FI_EAGAIN;
  const auto end = std::chrono::steady_clock::now() + patience_of(fabric_->boot().size());
  while (bytes == -FI_EAGAIN || bytes == -FI_EINTR) {
    if (std::chrono::steady_clock::now() > end) fail_late();
    bytes = fi_eq_sread(events_.get(), &kind, event.data(), event.size(), probe_ms, 0);
  }
  if (bytes < 0) {
    pass_over_stranger(bytes);
    return false;
  }
  fi_eq_cm_entry entry{};
  std::memcpy(&entry, event.data(), sizeof entry);
  if (kind == FI_CONNREQ) {
    const FabricInfo request(entry.info);
    Introduction from;  // without a secret, as a stranger's may be
    std::memcpy(&from, std::span(event).subspan(sizeof entry).data(), sizeof from);
    accept(request.get(), from);
    return false;
  }
  const std::size_t index = index_of(entry.fid);
  if (kind != FI_CONNECTED) {
    fail_ofi("rank " + std::to_string(index / per_peer_) + " closed its connection", fix);
  }
  connected_[index] = true;
  return true;
}

void OfiConnections::accept(fi_info* request, const Introduction& from) {
  const std::size_t index = from.rank * per_peer_ + from.endpoint;
  const bool known = from.secret == secret_ && from.endpoint < per_peer_ &&
                     from.rank < static_cast<std::uint32_t>(fabric_->boot().rank()) &&
                     endpoints_[index] == nullptr;
  if (!known) {
    fi_reject(listener_.get(), request->handle, nullptr, 0);
    return;
  }
  open_endpoint(index, request);
  require_ofi(fi_accept(endpoints_[index].get(), nullptr, 0),
              "accepting rank " + std::to_string(from.rank));
}

std::size_t OfiConnections::index_of(const fid* endpoint) const {
  for (std::size_t index = 0; index < endpoints_.size(); ++index) {
    if (endpoints_[index] != nullptr && &endpoints_[index]->fid == endpoint) return index;
  }
  fail_ofi("libfabric reported an event of an unknown endpoint", fix);
}

// A connection that failed before it named its rank costs nothing; one of a rank ends the run.
void OfiConnections::pass_over_stranger(ssize_t status) const {
  fi_eq_err_entry error{};
  error.err = static_cast<int>(-status);
  if (status == -FI_EAVAIL) fi_eq_readerr(events_.get(), &error, 0);
  if (error.fid == &listener_->fid) return;
  if (error.fid == nullptr) {
    fail_ofi("waiting for connections failed: " + std::string(fi_strerror(error.err)), fix);
  }
  fail_ofi("connecting to rank " + std::to_string(index_of(error.fid) / per_peer_) +
               " failed: " + fi_strerror(error.err),
           fix);
}

void OfiConnections::fail_late() const {
  const Bootstrap& boot = fabric_->boot();
  std::vector<int> missing;
  for (const int rank : awaited_) {
    if (!connected_[static_cast<std::size_t>(rank) * per_peer_]) missing.push_back(rank);
  }
  throw CannotConnect("no connection to " + boot.names_of(missing) + " within " +
                      seconds_of(patience_of(boot.size())) + "; " + fix);
}

void OfiConnections::expect_notices(Peer peer) {
  if (per_peer_ == 1) return;
  for (std::size_t at = 0; at < notice_receives; ++at) {
    const ssize_t status = expect_notice(target_of_transfers(peer), &receives_.emplace_back());
    require_ofi(status, "expecting notices");
  }
}

}  // namespace weft

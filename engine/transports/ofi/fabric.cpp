#include "transports/ofi/fabric.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "host/hosts.hpp"
#include "host/network.hpp"

namespace weft {

void fail_ofi(const std::string& what, const std::string& fix) {
  throw std::runtime_error(what + "; " + fix);
}

void require_ofi(std::int64_t status, const std::string& what) {
  if (status == 0) return;
  fail_ofi(what + " failed: " + fi_strerror(static_cast<int>(-status)),
           "choose another ofi.provider from what `fi_info -l` shows");
}

namespace {

// The rank's one thread calls the library.
constexpr fi_threading lowest_threading = FI_THREAD_DOMAIN;

std::string text_of(const char* text) {
  return text == nullptr ? "" : text;
}

// fi_tostr has one buffer of its own for all calls.
template <class Value>
std::string name_of(const Value& value, fi_type type) {
  return text_of(fi_tostr(&value, type));
}

/// Messages and transfers in the order of sending, whose completion means that the data are in
/// place; and every way to register memory that we can serve.
FabricInfo hints(const std::string& provider, OfiWants wants, bool delivers) {
  FabricInfo wanted(fi_allocinfo());
  if (wanted == nullptr) throw std::bad_alloc();
  // Where no completion says that a put is in place, a read behind it does.
  const std::uint64_t order = FI_ORDER_SAS | (delivers ? 0 : FI_ORDER_RAW);
  wanted->caps = (wants.connects ? FI_MSG : FI_TAGGED) | FI_RMA;
  wanted->mode = FI_CONTEXT | FI_CONTEXT2 | (wants.connects ? FI_RX_CQ_DATA : 0);
  wanted->ep_attr->type = wants.connects ? FI_EP_MSG : FI_EP_RDM;
  wanted->tx_attr->msg_order = order;
  wanted->rx_attr->msg_order = order;
  wanted->tx_attr->op_flags = delivers ? FI_DELIVERY_COMPLETE : 0;
  wanted->domain_attr->threading = lowest_threading;
  wanted->domain_attr->cq_data_size = sizeof(std::uint32_t);
  wanted->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY |
                                 (wants.connects ? 0 : FI_MR_ENDPOINT);
  // Freed by fi_freeinfo.
  if (!provider.empty()) wanted->fabric_attr->prov_name = strdup(provider.c_str());
  return wanted;
}

FabricInfo find(const std::string& provider, OfiWants wants, bool delivers) {
  fi_info* found = nullptr;
  const FabricInfo wanted = hints(provider, wants, delivers);
  const int status = fi_getinfo(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION), nullptr, nullptr, 0,
                                wanted.get(), &found);
  if (status != 0 && status != -FI_ENODATA) require_ofi(status, "fi_getinfo");
  return FabricInfo(found);
}

// Connected pairs can do without FI_DELIVERY_COMPLETE, which verbs does not have.
FabricInfo find(const std::string& provider, OfiWants wants) {
  return find(provider, wants, !wants.connects);
}

std::string text_of(OfiWants wants) {
  return wants.connects ? "connected endpoints (FI_EP_MSG) and RMA" : "tagged messages and RMA";
}

std::string provider_of(const fi_info* info) {
  return text_of(info->fabric_attr->prov_name);
}

std::string domain_of(const fi_info* info) {
  return text_of(info->domain_attr->name);
}

// Each name once, in libfabric's order.
template <class NameOf>
std::string names(const FabricInfo& list, NameOf name_of_info) {
  std::vector<std::string> seen;
  std::string reported;
  for (const fi_info* info = list.get(); info != nullptr; info = info->next) {
    const std::string name = name_of_info(info);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    reported += (reported.empty() ? "" : ", ") + name;
    seen.push_back(name);
  }
  return reported;
}

template <class Object>
FidOf<Object> owned(Object* object) {
  return FidOf<Object>(object);
}

FidOf<fid_cntr> open_counter(fid_domain* domain, int& status) {
  fi_cntr_attr attributes{};
  attributes.events = FI_CNTR_EVENTS_COMP;
  attributes.wait_obj = FI_WAIT_NONE;
  fid_cntr* counter = nullptr;
  status = fi_cntr_open(domain, &attributes, &counter, nullptr);
  return owned(counter);
}

// Why the counters of a provider cannot be used; empty where they can. It says only when it is
// asked for a counter whether it has any.
std::string lack_of_counters(fi_info* info) {
  // In libfabric 1.17 it calls through a null pointer (fi_trecv) for a message that came before.
  if (provider_of(info) == "net") return "it crashes when a message comes before its receive";
  fid_fabric* fabric = nullptr;
  int status = fi_fabric(info->fabric_attr, &fabric, nullptr);
  const FidOf<fid_fabric> closes_fabric = owned(fabric);
  fid_domain* domain = nullptr;
  if (status == 0) status = fi_domain(fabric, info, &domain, nullptr);
  const FidOf<fid_domain> closes_domain = owned(domain);
  FidOf<fid_cntr> counter;
  if (status == 0) counter = open_counter(domain, status);
  return status == 0 ? "" : std::string("fi_cntr_open: ") + fi_strerror(-status);
}

// Those that can do what a mode wants beside what libfabric was asked for. Each provider is asked
// once: it says the same for all its domains.
FabricInfo able(const FabricInfo& list, OfiWants wants) {
  std::vector<std::pair<std::string, bool>> asked;
  FabricInfo chosen;
  fi_info* last = nullptr;
  for (fi_info* info = list.get(); info != nullptr; info = info->next) {
    const std::string name = provider_of(info);
    auto known = std::find_if(asked.begin(), asked.end(),
                              [&](const auto& entry) { return entry.first == name; });
    if (known == asked.end()) {
      known = asked.insert(known, {name, !wants.counts || lack_of_counters(info).empty()});
    }
    if (!known->second) continue;
    fi_info* copy = fi_dupinfo(info);
    if (last == nullptr) {
      chosen.reset(copy);
    } else {
      last->next = copy;
    }
    last = copy;
  }
  return chosen;
}

[[noreturn]] void fail_without_counters(fi_info* info, OfiWants wants) {
  const std::string others = names(able(find("", wants), wants), provider_of);
  fail_ofi("the provider " + provider_of(info) + " has no counters that can be used (" +
               lack_of_counters(info) + ")",
           (others.empty() ? "" : "choose ofi.provider from: " + others + ", or ") +
               std::string("choose a mode other than counter"));
}

// The first one of a domain (some providers give theirs whatever is asked for) that reaches all
// ranks: shm reaches no other host.
FabricInfo first(const FabricInfo& list, const std::string& domain, bool takes_shm) {
  for (const fi_info* info = list.get(); info != nullptr; info = info->next) {
    if (!domain.empty() && domain_of(info) != domain) continue;
    if (provider_of(info) == "shm" && !takes_shm) continue;
    return FabricInfo(fi_dupinfo(info));
  }
  return nullptr;
}

bool has_sockets(const fi_info* info) {
  return info->addr_format == FI_SOCKADDR_IN || info->addr_format == FI_SOCKADDR_IN6 ||
         info->addr_format == FI_SOCKADDR;
}

// Whether what an endpoint listens at is an interface's address.
bool is_at(const fi_info* info, const Interface& interface) {
  if (!has_sockets(info) || info->src_addr == nullptr) return false;
  return SocketAddress(static_cast<const sockaddr*>(info->src_addr))
      .is_same_host(interface.address);
}

// The interface that joins the hosts, instead of another one of theirs. Ranks of one host need none
// but the loopback, at which no stranger can knock.
FabricInfo at_interface(const Interface& interface, const FabricInfo& list, FabricInfo chosen) {
  for (const fi_info* info = list.get(); info != nullptr && chosen != nullptr; info = info->next) {
    if (is_at(info, interface) && provider_of(info) == provider_of(chosen.get())) {
      return FabricInfo(fi_dupinfo(info));
    }
  }
  return chosen;
}

FabricInfo choose(const LinkOptions& options, OfiWants wants, Bootstrap& boot) {
  const std::string provider = options.text("provider");
  const std::string domain = options.text("domain");
  const std::string other = other_host(boot);
  const bool within_a_host = other.empty();
  const FabricInfo offered = find(provider, wants);
  if (offered == nullptr) {
    const std::string others = names(able(find("", wants), wants), provider_of);
    fail_ofi("libfabric has no provider " + provider + " with " + text_of(wants) + " here",
             others.empty() ? "see fi_info" : "choose ofi.provider from: " + others);
  }
  const FabricInfo there = able(offered, wants);
  if (there == nullptr) fail_without_counters(offered.get(), wants);
  FabricInfo info;
  // A rank cannot wake another through shm of libfabric 1.17: it offers no file to wait for.
  const bool takes_shm = within_a_host && !(wants.sleeps && provider.empty());
  if (provider.empty() && takes_shm) {
    info = first(able(find("shm", wants), wants), domain, true);
  }
  if (info == nullptr) info = first(there, domain, takes_shm);
  if (domain.empty() && info != nullptr && has_sockets(info.get())) {
    info = at_interface(interface_towards(other), there, std::move(info));
  }
  if (info != nullptr) return info;
  if (!domain.empty()) {
    fail_ofi("libfabric has no domain " + domain + (provider.empty() ? "" : " of " + provider),
             "choose ofi.domain from: " + names(there, domain_of));
  }
  fail_ofi("the provider shm reaches no other host", "choose another ofi.provider");
}

/// One of libfabric's labels; FI_TC_UNSPEC without one. Throws std::invalid_argument.
std::uint32_t label_called(const std::string& name) {
  std::uint32_t label = FI_TC_LABEL;
  if (name.empty()) return FI_TC_UNSPEC;
  std::istringstream names{std::string(ofi_traffic_classes)};
  for (std::string known; std::getline(names, known, ','); ++label) {
    if (known == name) return label;
  }
  throw std::invalid_argument("option traffic_class takes one of " +
                              std::string(ofi_traffic_classes) + ", not '" + name + "'");
}

/// Other providers of libfabric 2.6 and earlier do not look at it.
bool takes_a_traffic_class(const std::string& provider) {
  return provider.starts_with("cxi") || provider.starts_with("efa");
}

}  // namespace

void tell_libfabric_of_the_ranks() {
  for (const char* starters : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}) {
    if (const char* ranks = std::getenv(starters)) {
      setenv("FI_UNIVERSE_SIZE", ranks, 0);
      return;
    }
  }
}

OfiFabric::OfiFabric(const LinkOptions& options, OfiWants wants, Bootstrap& boot)
    : boot_(&boot),
      wants_(wants),
      info_(choose(options, wants, boot)),
      delivers_(!wants.connects || find(provider(), wants, true) != nullptr) {
  const std::string mine = provider();
  for (const std::string& other : boot.exchange(mine)) {
    if (other == mine) continue;
    fail_ofi("libfabric chose " + mine + " on one host and " + other + " on another",
             "name one with --option ofi.provider");
  }
  domains_ = of_each_host(boot, domain_of(info_.get()));
  choose_class(options);
  open();
}

void OfiFabric::choose_class(const LinkOptions& options) {
  const std::string label = options.text("traffic_class");
  const std::uint32_t chosen = label_called(label);
  if (label.empty()) return;
  if (!takes_a_traffic_class(provider())) {
    fail_ofi("the provider " + provider() +
                 " takes no traffic class; of libfabric's only cxi and "
                 "efa do",
             "omit ofi.traffic_class");
  }
  info_->domain_attr->tclass = chosen;
  info_->tx_attr->tclass = chosen;
  traffic_class_ = label;
}

void OfiFabric::open() {
  // Asked for so that a transfer may want it; no other operation is to pay for it.
  info_->tx_attr->op_flags = wants_.counts ? 0 : FI_COMPLETION;
  info_->rx_attr->op_flags = wants_.counts ? 0 : FI_COMPLETION;
  fid_fabric* fabric = nullptr;
  require_ofi(fi_fabric(info_->fabric_attr, &fabric, nullptr), "opening libfabric's fabric");
  fabric_.reset(fabric);
  fid_domain* domain = nullptr;
  require_ofi(fi_domain(fabric, info_.get(), &domain, nullptr), "opening libfabric's domain");
  domain_.reset(domain);
  constexpr std::size_t first_neighbours = 2;
  open_completions(first_neighbours);
  if (!wants_.counts) return;
  for (FidOf<fid_cntr>& counter : counters_) {
    int status = 0;
    counter = open_counter(domain, status);
    require_ofi(status, "making a counter");
  }
}

void OfiFabric::open_completions(std::size_t peers) {
  constexpr std::size_t most_per_peer = 2;
  most_peers_ = peers;
  fi_cq_attr queue{};
  queue.format = FI_CQ_FORMAT_DATA;
  // Of one endpoint the provider knows how much it needs; here it is shared by several.
  if (wants_.connects) {
    queue.size = most_per_peer * peers * (info_->tx_attr->size + info_->rx_attr->size);
  }
  queue.wait_obj = wants_.sleeps ? FI_WAIT_FD : FI_WAIT_NONE;
  completions_.reset();
  fid_cq* completions = nullptr;
  require_ofi(fi_cq_open(domain_.get(), &queue, &completions, nullptr),
              wants_.sleeps ? "making a completion queue that can be waited for"
                            : "making a completion queue");
  completions_.reset(completions);
}

void OfiFabric::bind_completions(fid_ep* endpoint) const {
  // Failures are entries of the queue all the same, and providers insist on one.
  const std::uint64_t selective = wants_.counts ? FI_SELECTIVE_COMPLETION : 0;
  require_ofi(fi_ep_bind(endpoint, &completions_->fid, FI_TRANSMIT | FI_RECV | selective),
              "binding the completion queue");
  if (!wants_.counts) return;
  constexpr std::array<std::uint64_t, ofi_counters> counted{FI_SEND, FI_RECV, FI_WRITE | FI_READ};
  for (std::size_t at = 0; at < counted.size(); ++at) {
    require_ofi(fi_ep_bind(endpoint, &counters_[at]->fid, counted[at]), "binding a counter");
  }
}

std::string OfiFabric::provider() const {
  return provider_of(info_.get());
}

Details OfiFabric::details() const {
  const std::uint32_t version = fi_version();
  const bool manual = info_->domain_attr->data_progress == FI_PROGRESS_MANUAL;
  return {{"library", "libfabric " + std::to_string(FI_MAJOR(version)) + "." +
                          std::to_string(FI_MINOR(version))},
          {"provider", provider_of(info_.get())},
          {"fabric", text_of(info_->fabric_attr->name)},
          {"domain", domains_},
          {"protocol", name_of(info_->ep_attr->protocol, FI_TYPE_PROTOCOL)},
          {"completions", wants_.counts ? "counters" : "queue"},
          {traffic_class_note, traffic_class_},
          {"progress", manual ? "manual" : "automatic"},
          {"thread level", name_of(lowest_threading, FI_TYPE_THREADING)},
          {"mr_mode", name_of(info_->domain_attr->mr_mode, FI_TYPE_MR_MODE)}};
}

std::string OfiFabric::refusal(std::size_t bytes) const {
  const std::size_t most = info_->ep_attr->max_msg_size;
  if (bytes <= most) return "";
  return "a message of " + provider() + " has at most " + std::to_string(most) +
         " bytes; choose smaller sizes";
}

OfiFailure OfiFabric::failure(ssize_t code) const noexcept {
  fi_cq_err_entry error{};
  if (code != -FI_EAVAIL || fi_cq_readerr(completions_.get(), &error, 0) < 1) {
    return {code, "fi_cq_read"};
  }
  const bool receives = (error.flags & FI_RECV) != 0;
  const bool sends = (error.flags & FI_SEND) != 0;
  return {-error.err, sends ? "sending" : (receives ? "receiving" : "a transfer")};
}

std::string OfiFabric::unusable(OfiWants wants) {
  const FabricInfo offered = find("", wants);
  if (offered == nullptr) {
    return "libfabric finds no provider with " + text_of(wants) + "; see fi_info";
  }
  if (able(offered, wants) != nullptr) return "";
  return "no provider that libfabric finds has counters (fi_cntr_open); see fi_info";
}

}  // namespace weft

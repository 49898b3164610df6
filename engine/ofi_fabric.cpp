#include "ofi_fabric.hpp"

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "memory.hpp"

namespace weft {

namespace {

[[noreturn]] void fail(const std::string& what, const std::string& mend) {
  throw std::runtime_error(what + "; " + mend);
}

void require(std::int64_t status, const std::string& what) {
  if (status == 0) return;
  fail(what + " failed: " + fi_strerror(static_cast<int>(-status)),
       "choose another ofi.provider from what `fi_info -l` shows");
}

std::string text_of(const char* text) {
  return text == nullptr ? "" : text;
}

// fi_tostr has one buffer of its own for all calls.
template <class Value>
std::string name_of(const Value& value, fi_type type) {
  return text_of(fi_tostr(&value, type));
}

/// Tagged messages and transfers of one endpoint to many, whose completion means that the data
/// are in place, in the order of sending; and every way to register memory that we can serve.
FabricInfo hints(const std::string& provider) {
  FabricInfo wanted(fi_allocinfo());
  if (wanted == nullptr) throw std::bad_alloc();
  wanted->caps = FI_TAGGED | FI_RMA;
  wanted->mode = FI_CONTEXT | FI_CONTEXT2;
  wanted->ep_attr->type = FI_EP_RDM;
  wanted->tx_attr->msg_order = FI_ORDER_SAS;
  wanted->rx_attr->msg_order = FI_ORDER_SAS;
  wanted->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
  wanted->domain_attr->threading = FI_THREAD_DOMAIN;
  wanted->domain_attr->cq_data_size = sizeof(std::uint32_t);
  wanted->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  // Freed by fi_freeinfo.
  if (!provider.empty()) wanted->fabric_attr->prov_name = strdup(provider.c_str());
  return wanted;
}

FabricInfo find(const std::string& provider) {
  fi_info* found = nullptr;
  const FabricInfo wanted = hints(provider);
  const int status = fi_getinfo(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION), nullptr, nullptr, 0,
                                wanted.get(), &found);
  if (status != 0 && status != -FI_ENODATA) require(status, "fi_getinfo");
  return FabricInfo(found);
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
  std::string told;
  for (const fi_info* info = list.get(); info != nullptr; info = info->next) {
    const std::string name = name_of_info(info);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    told += (told.empty() ? "" : ", ") + name;
    seen.push_back(name);
  }
  return told;
}

bool one_host(Bootstrap& boot) {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  const std::vector<std::string> all = boot.exchange(name.data());
  return std::all_of(all.begin(), all.end(),
                     [&](const std::string& other) { return other == all.front(); });
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

FabricInfo choose(const LinkOptions& options, bool sleeps, Bootstrap& boot) {
  const std::string provider = options.text("provider");
  const std::string domain = options.text("domain");
  const bool within_a_host = one_host(boot);
  const FabricInfo there = find(provider);
  if (there == nullptr) {
    const std::string others = names(find(""), provider_of);
    fail("libfabric has no provider " + provider + " with tagged messages and RMA here",
         others.empty() ? "see fi_info" : "choose ofi.provider from: " + others);
  }
  FabricInfo info;
  // A rank cannot wake another through shm of libfabric 1.17: it offers no file to wait for.
  const bool takes_shm = within_a_host && !(sleeps && provider.empty());
  if (provider.empty() && takes_shm) info = first(find("shm"), domain, true);
  if (info == nullptr) info = first(there, domain, takes_shm);
  if (info != nullptr) return info;
  if (!domain.empty()) {
    fail("libfabric has no domain " + domain + (provider.empty() ? "" : " of " + provider),
         "choose ofi.domain from: " + names(there, domain_of));
  }
  fail("the provider shm reaches no other host", "choose another ofi.provider");
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

OfiFabric::OfiFabric(const LinkOptions& options, bool sleeps, Bootstrap& boot)
    : boot_(&boot),
      info_(choose(options, sleeps, boot)),
      registers_ahead_(
          options.flag("register_ahead", (info_->domain_attr->mr_mode & FI_MR_LOCAL) != 0)) {
  if (!registers_ahead_ && (info_->domain_attr->mr_mode & FI_MR_LOCAL) != 0) {
    fail("the provider " + provider_of(info_.get()) + " wants memory to be registered",
         "leave ofi.register_ahead=no out");
  }
  const std::string mine = provider_of(info_.get());
  for (const std::string& other : boot.exchange(mine)) {
    if (other == mine) continue;
    fail("libfabric chose " + mine + " on one host and " + other + " on another",
         "name one with --option ofi.provider");
  }
  open(sleeps);
}

void OfiFabric::open(bool sleeps) {
  // Asked for so that a transfer may want it; no other operation is to pay for it.
  info_->tx_attr->op_flags = FI_COMPLETION;
  info_->rx_attr->op_flags = FI_COMPLETION;
  fid_fabric* fabric = nullptr;
  require(fi_fabric(info_->fabric_attr, &fabric, nullptr), "opening libfabric's fabric");
  fabric_.reset(fabric);
  fid_domain* domain = nullptr;
  require(fi_domain(fabric, info_.get(), &domain, nullptr), "opening libfabric's domain");
  domain_.reset(domain);

  fi_av_attr addresses{};
  addresses.type = info_->domain_attr->av_type;
  fid_av* table = nullptr;
  require(fi_av_open(domain, &addresses, &table, nullptr), "making an address vector");
  table_.reset(table);

  fi_cq_attr queue{};
  queue.format = FI_CQ_FORMAT_DATA;
  queue.wait_obj = sleeps ? FI_WAIT_FD : FI_WAIT_NONE;
  fid_cq* completions = nullptr;
  require(
      fi_cq_open(domain, &queue, &completions, nullptr),
      sleeps ? "making a completion queue that can be waited for" : "making a completion queue");
  completions_.reset(completions);

  fid_ep* endpoint = nullptr;
  require(fi_endpoint(domain, info_.get(), &endpoint, nullptr), "making an endpoint");
  endpoint_.reset(endpoint);
  require(fi_ep_bind(endpoint, &table->fid, 0), "binding the address vector");
  require(fi_ep_bind(endpoint, &completions->fid, FI_TRANSMIT | FI_RECV),
          "binding the completion queue");
  const int enabled = fi_enable(endpoint);
  if (enabled == -FI_EBUSY && provider_of(info_.get()) == "shm") {
    fail("a process that was killed left shared memory under this one's number",
         "type: rm /dev/shm/" + std::to_string(getpid()) + ":*");
  }
  require(enabled, "enabling an endpoint whose queues are for FI_UNIVERSE_SIZE ranks");
}

void OfiFabric::find_peers() {
  std::size_t bytes = 0;
  fi_getname(&endpoint_->fid, nullptr, &bytes);
  std::string mine(bytes, '\0');
  require(fi_getname(&endpoint_->fid, mine.data(), &bytes), "asking for the endpoint's address");
  for (const std::string& other : boot_->exchange(mine)) {
    fi_addr_t address = FI_ADDR_UNSPEC;
    const int inserted = fi_av_insert(table_.get(), other.data(), 1, &address, 0, nullptr);
    if (inserted != 1) require(inserted < 0 ? inserted : -FI_EINVAL, "naming a peer");
    addresses_.push_back(address);
  }
}

OfiFabric::~OfiFabric() {
  for (fid_mr* region : regions_.all()) {
    if (region != nullptr) fi_close(&region->fid);
  }
}

std::uint64_t OfiFabric::enter(const Buffer& buffer, std::uint64_t access, int& error) noexcept {
  if (!regions_.has_room()) {
    error = -FI_ENOSPC;
    return 0;
  }
  fid_mr* region = nullptr;
  error = fi_mr_reg(domain_.get(), buffer.data, std::max<std::size_t>(buffer.bytes, 1), access, 0,
                    ++entered_, 0, &region, nullptr);
  if (error == 0 && (info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
    error = fi_mr_bind(region, &endpoint_->fid, 0);
    if (error == 0) error = fi_mr_enable(region);
    if (error != 0) fi_close(&region->fid);
  }
  return error == 0 ? std::uint64_t{regions_.put(region)} + 1 : 0;
}

int OfiFabric::forget(std::uint64_t key) noexcept {
  return fi_close(&regions_.take(static_cast<std::uint32_t>(key - 1))->fid);
}

std::uint64_t OfiFabric::remember(const Buffer& buffer, std::uint64_t access) {
  make_room(1);
  int error = 0;
  const std::uint64_t key = enter(buffer, access, error);
  require(error, "registering memory (is the limit of locked memory, ulimit -l, too small?)");
  return key;
}

Buffer OfiFabric::allocate(std::size_t bytes) {
  if (bytes > info_->ep_attr->max_msg_size) {
    fail("a message of " + provider_of(info_.get()) + " has at most " +
             std::to_string(info_->ep_attr->max_msg_size) + " bytes",
         "choose smaller ones");
  }
  Buffer buffer = map_memory(bytes);
  if (registers_ahead_) buffer.key = remember(buffer, message_access);
  return buffer;
}

void OfiFabric::release(const Buffer& buffer) {
  if (buffer.key != 0) forget(buffer.key);
  unmap_memory(buffer);
}

Exposed OfiFabric::expose(std::size_t bytes) {
  Exposed exposed{map_memory(bytes), {}};
  exposed.local.key = remember(exposed.local, message_access | FI_REMOTE_READ | FI_REMOTE_WRITE);
  const bool by_address = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  const std::array<std::uint64_t, 2> mine{
      by_address ? std::bit_cast<std::uint64_t>(exposed.local.data) : 0,
      fi_mr_key(region(exposed.local.key))};
  std::string told(sizeof mine, '\0');
  std::memcpy(told.data(), mine.data(), sizeof mine);
  for (const std::string& other : boot_->exchange(told)) {
    std::array<std::uint64_t, 2> theirs{};
    std::memcpy(theirs.data(), other.data(), sizeof theirs);
    exposed.of_rank.push_back({theirs[0], bytes, theirs[1]});
  }
  return exposed;
}

Details OfiFabric::details() const {
  const std::uint32_t version = fi_version();
  const bool manual = info_->domain_attr->data_progress == FI_PROGRESS_MANUAL;
  return {{"library", "libfabric " + std::to_string(FI_MAJOR(version)) + "." +
                          std::to_string(FI_MINOR(version))},
          {"provider", provider_of(info_.get())},
          {"fabric", text_of(info_->fabric_attr->name)},
          {"domain", domain_of(info_.get())},
          {"protocol", name_of(info_->ep_attr->protocol, FI_TYPE_PROTOCOL)},
          {"inject_bytes", std::to_string(inject_bytes())},
          {"progress", manual ? "manual" : "automatic"},
          {"mr_mode", name_of(info_->domain_attr->mr_mode, FI_TYPE_MR_MODE)}};
}

std::string OfiFabric::unusable() {
  if (find("") != nullptr) return "";
  return "libfabric finds no provider with tagged messages and RMA; see fi_info";
}

}  // namespace weft

#include "transports/ucx/worker.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "host/hosts.hpp"
#include "host/network.hpp"
#include "transports/ucx/log.hpp"
#include "transports/ucx/notes.hpp"

namespace weft {

namespace {

[[noreturn]] void fail(const std::string& what, const std::string& fix) {
  throw std::runtime_error(what + "; " + fix);
}

void require(ucs_status_t status, const std::string& what) {
  if (status == UCS_OK) return;
  const std::string said = ucx_last_words();
  fail(what + " failed: " + ucs_status_string(status) + (said.empty() ? "" : " (" + said + ")"),
       "see what UCX finds here with: ucx_info -d");
}

using Config = std::unique_ptr<ucp_config_t, decltype(&ucp_config_release)>;

Config read_config() {
  ucp_config_t* config = nullptr;
  require(ucp_config_read(nullptr, nullptr, &config), "reading UCX's configuration");
  return {config, ucp_config_release};
}

void modify(ucp_config_t* config, const char* name, const std::string& value) {
  if (value.empty()) return;
  if (ucp_config_modify(config, name, value.c_str()) == UCS_OK) return;
  fail(std::string("UCX does not take ") + name + "=" + value,
       "ucx_info -cf shows the values it takes");
}

ucp_err_handling_mode_t error_mode(const LinkOptions& options) {
  const std::string mode = options.text("errors", "none");
  if (mode == "none") return UCP_ERR_HANDLING_MODE_NONE;
  if (mode == "peer") return UCP_ERR_HANDLING_MODE_PEER;
  fail("ucx.errors takes peer or none, not '" + mode + "'", "choose one of them");
}

std::string version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  ucp_get_version(&major, &minor, &release);
  return "UCX " + std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(release);
}

std::string description_of(ucp_ep_h endpoint) {
  char* text = nullptr;
  std::size_t bytes = 0;
  FILE* stream = open_memstream(&text, &bytes);
  if (stream == nullptr) return "";
  ucp_ep_print_info(endpoint, stream);
  std::fclose(stream);
  const std::unique_ptr<char, decltype(&std::free)> owner(text, std::free);
  return {text, bytes};
}

// RDMA devices, by their ports, each with a comma before it.
std::string rdma_ports() {
  std::string devices;
  std::error_code none;
  for (const auto& device : std::filesystem::directory_iterator("/sys/class/infiniband", none)) {
    for (const auto& port : std::filesystem::directory_iterator(device.path() / "ports", none)) {
      devices += "," + device.path().filename().string() + ":" + port.path().filename().string();
    }
  }
  return devices;
}

// RDMA devices, and of the interfaces the one that joins the hosts: UCX would take any. Ranks of
// one host need none but the loopback, at which no stranger can knock.
std::string devices_towards(const std::string& host) {
  const std::string devices = rdma_ports();
  try {
    return interface_towards(host).name + devices;
  } catch (const std::runtime_error&) {
    if (devices.empty()) throw;
    return devices.substr(1);
  }
}

}  // namespace

const char* ucx_cause(ucs_status_t status) noexcept {
  constexpr std::array lost{UCS_ERR_UNREACHABLE,      UCS_ERR_CONNECTION_RESET,
                            UCS_ERR_ENDPOINT_TIMEOUT, UCS_ERR_NOT_CONNECTED,
                            UCS_ERR_TIMED_OUT,        UCS_ERR_IO_ERROR};
  const bool is_lost = std::find(lost.begin(), lost.end(), status) != lost.end();
  return is_lost ? peer_is_gone : ucs_status_string(status);
}

UcxWorker::UcxWorker(const LinkOptions& options, std::uint64_t features, Bootstrap& boot)
    : boot_(&boot),
      errors_(error_mode(options)),
      endpoints_(static_cast<std::size_t>(boot.size())) {
  open_context(options, features);
  open_worker((features & UCP_FEATURE_WAKEUP) != 0);
}

void UcxWorker::open_context(const LinkOptions& options, std::uint64_t features) {
  const Config config = read_config();
  const std::string other = other_host(*boot_);
  std::string devices = options.text("device");
  const char* const set = std::getenv("UCX_NET_DEVICES");
  if (devices.empty() && set != nullptr) devices = set;
  const bool is_our_choice = devices.empty();
  if (is_our_choice) devices = devices_towards(other);
  modify(config.get(), "NET_DEVICES", devices);
  devices_ = of_each_host(*boot_, devices);
  modify(config.get(), "TLS", options.text("tls"));
  modify(config.get(), "RNDV_THRESH", options.text("rendezvous"));
  // Eager messages over several devices would overtake each other; this is UCX's default too.
  modify(config.get(), "MAX_EAGER_RAILS", "1");
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
  params.features = features;
  params.estimated_num_eps = static_cast<std::size_t>(boot_->size());
  ucx_last_words();
  require(ucp_init(&params, config.get(), &context_), "starting UCX");
  // UCX only warns of a device it does not have and takes others; what was asked for must be had.
  const std::string said = ucx_last_words();
  const bool of_ours = is_our_choice && said.find("network device") != std::string::npos;
  if (!of_ours && said.find("not available") != std::string::npos) {
    fail("UCX: " + said, "choose ucx.device and ucx.tls from what `ucx_info -d` shows");
  }
  ucp_context_attr_t attributes{};
  attributes.field_mask = UCP_ATTR_FIELD_REQUEST_SIZE;
  require(ucp_context_query(context_, &attributes), "asking UCX for the size of a request");
  request_bytes_ = attributes.request_size;
}

void UcxWorker::open_worker(bool wakes) {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_FLAGS;
  params.thread_mode = UCS_THREAD_MODE_SINGLE;
  params.flags = UCP_WORKER_FLAG_IGNORE_REQUEST_LEAK;
  require(ucp_worker_create(context_, &params, &worker_), "making a UCX worker");
  if (wakes) require(ucp_worker_get_efd(worker_, &event_file_), "asking UCX for its event file");
}

UcxWorker::~UcxWorker() {
  // An error ends the process, and UCX 1.13 may crash over endpoints that never connected.
  if (std::uncaught_exceptions() > 0) return;
  for (ucp_rkey_h key : keys_.all()) {
    if (key != nullptr) ucp_rkey_destroy(key);
  }
  for (ucp_mem_h memory : memories_.all()) {
    if (memory != nullptr) ucp_mem_unmap(context_, memory);
  }
  if (worker_ != nullptr) ucp_worker_destroy(worker_);  // its endpoints go with it
  if (context_ != nullptr) ucp_cleanup(context_);
}

void UcxWorker::connect(std::span<const int> ranks, ucp_err_handler_t on_error) {
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  require(ucp_worker_get_address(worker_, &address, &bytes), "asking UCX for its address");
  std::string mine(bytes, '\0');
  std::memcpy(mine.data(), address, bytes);
  ucp_worker_release_address(worker_, address);
  const std::vector<std::string> others =
      boot_->swap(ranks, std::vector<std::string>(ranks.size(), mine));
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                        UCP_EP_PARAM_FIELD_ERR_HANDLER;
    const void* start = others[at].data();
    params.address = static_cast<const ucp_address_t*>(start);
    params.err_mode = errors_;
    params.err_handler = on_error;
    require(ucp_ep_create(worker_, &params, &endpoints_[static_cast<std::size_t>(ranks[at])]),
            "connecting UCX to " + boot_->names_of(ranks.subspan(at, 1)));
  }
}

Opened UcxWorker::expose(std::size_t bytes) {
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  params.length = bytes < 1 ? 1 : bytes;
  params.flags = UCP_MEM_MAP_ALLOCATE;
  make_room(1);
  ucp_mem_h memory = nullptr;
  require(ucp_mem_map(context_, &params, &memory), "allocating memory to open");
  Opened opened{{nullptr, bytes, std::uint64_t{memories_.put(memory)} + 1}, {}};
  try {
    name_opened(memory, opened);
  } catch (...) {
    withdraw(opened.local);
    throw;
  }
  return opened;
}

void UcxWorker::name_opened(ucp_mem_h memory, Opened& opened) {
  ucp_mem_attr_t attributes{};
  attributes.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS | UCP_MEM_ATTR_FIELD_LENGTH;
  require(ucp_mem_query(memory, &attributes), "asking where the opened memory is");
  std::memset(attributes.address, 0, attributes.length);  // its pages are there from here on
  opened.local.data = static_cast<std::byte*>(attributes.address);
  void* packed = nullptr;
  std::size_t length = 0;
  require(ucp_rkey_pack(context_, memory, &packed, &length), "packing a remote key");
  opened.name.assign(sizeof attributes.address, '\0');
  std::memcpy(opened.name.data(), &attributes.address, sizeof attributes.address);
  opened.name.append(static_cast<const char*>(packed), length);
  ucp_rkey_buffer_release(packed);
}

RemoteBuffer UcxWorker::reach(int rank, std::size_t bytes, const std::string& name) {
  RemoteBuffer remote{0, bytes, 0};
  std::memcpy(&remote.address, name.data(), sizeof remote.address);
  keys_.make_room(1);
  ucp_rkey_h key = nullptr;
  require(ucp_ep_rkey_unpack(endpoint(rank), name.data() + sizeof remote.address, &key),
          "unpacking rank " + std::to_string(rank) + "'s key");
  remote.key = keys_.put(key);
  return remote;
}

void UcxWorker::leave(const RemoteBuffer& remote) {
  ucp_rkey_destroy(keys_.take(static_cast<std::uint32_t>(remote.key)));
}

std::uint64_t UcxWorker::enter(const Buffer& memory, ucs_status_t& status) noexcept {
  if (!memories_.has_room()) {
    status = UCS_ERR_NO_RESOURCE;
    return 0;
  }
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
  params.address = memory.data;
  params.length = memory.bytes == 0 ? 1 : memory.bytes;
  ucp_mem_h handle = nullptr;
  status = ucp_mem_map(context_, &params, &handle);
  return status == UCS_OK ? std::uint64_t{memories_.put(handle)} + 1 : 0;
}

ucs_status_t UcxWorker::forget(std::uint64_t key) noexcept {
  return ucp_mem_unmap(context_, memories_.take(static_cast<std::uint32_t>(key - 1)));
}

void UcxWorker::refuse_class_without_rdma(const LinkOptions& options) const {
  std::string name;
  for (const Setting& one : {ucx_traffic_class_setting, ucx_service_level_setting}) {
    if (!options.text(one.name).empty()) name = one.name;
  }
  const auto uses_rdma = [](ucp_ep_h endpoint) {
    return endpoint != nullptr && goes_by_rdma(ucx_notes(description_of(endpoint)));
  };
  const bool here = std::any_of(endpoints_.begin(), endpoints_.end(), uses_rdma);
  if (name.empty() || !boot_->first_of(here ? "RDMA" : "").empty()) return;
  fail("ucx." + name + " has an effect over RDMA only, which UCX does not use here",
       "omit it, or choose ucx.device and ucx.tls of RDMA");
}

Details UcxWorker::details() const {
  Details notes{{"library", version()}, {"devices", devices_}, {"thread level", "single"}};
  const auto neighbour = static_cast<std::size_t>(boot_->rank() + 1) % endpoints_.size();
  if (endpoints_[neighbour] == nullptr) return notes;
  for (auto& note : ucx_notes(description_of(endpoints_[neighbour]))) notes.push_back(note);
  return notes;
}

}  // namespace weft

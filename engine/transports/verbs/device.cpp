#include "transports/verbs/device.hpp"

#include <arpa/inet.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "transports/verbs/settings.hpp"

namespace weft {

namespace {

constexpr std::size_t most_gids = 256;
constexpr const char* make_one =
    "load its driver, or make one in software: rdma link add rxe0 type rxe netdev eth0";

class DeviceList {
 public:
  DeviceList() : devices_(ibv_get_device_list(&count_)) {}
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;
  DeviceList(DeviceList&&) = delete;
  DeviceList& operator=(DeviceList&&) = delete;
  ~DeviceList() {
    if (devices_ != nullptr) ibv_free_device_list(devices_);
  }

  [[nodiscard]] std::vector<ibv_device*> all() const {
    return devices_ == nullptr ? std::vector<ibv_device*>{}
                               : std::vector<ibv_device*>(devices_, devices_ + count_);
  }
  [[nodiscard]] std::string names() const {
    std::string text;
    for (ibv_device* device : all()) {
      text += (text.empty() ? "" : ", ") + std::string(ibv_get_device_name(device));
    }
    return text;
  }

 private:
  int count_ = 0;
  ibv_device** devices_;
};

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// What brings a port up differs: an Ethernet interface by ip, an InfiniBand port by its subnet.
std::string how_to_start(const std::string& device, int port, const ibv_port_attr& attributes) {
  if (attributes.link_layer != IBV_LINK_LAYER_ETHERNET) {
    return "check the cable, and that a subnet manager runs (ibstat)";
  }
  const std::string interface = first_line_of("/sys/class/infiniband/" + device + "/ports/" +
                                              std::to_string(port) + "/gid_attrs/ndevs/0");
  return "run ip link set " + (interface.empty() ? "ITS_INTERFACE" : interface) + " up";
}

std::string state_of(const ibv_port_attr& attributes) {
  return ibv_port_state_str(attributes.state);
}

Verbs<ibv_context> open_device(ibv_device* device) {
  Verbs<ibv_context> context(ibv_open_device(device));
  if (!context) {
    fail_with_cause(std::string("cannot open ") + ibv_get_device_name(device),
                    "check the permissions of /dev/infiniband");
  }
  return context;
}

/// The first port of a device that is up; 0 if there is none, and what the ports are in `states`.
int active_port(ibv_device* device, std::string& states) {
  const Verbs<ibv_context> context = open_device(device);
  ibv_device_attr limits{};
  ibv_query_device(context.get(), &limits);
  for (int port = 1; port <= limits.phys_port_cnt; ++port) {
    ibv_port_attr attributes{};
    if (ibv_query_port(context.get(), static_cast<std::uint8_t>(port), &attributes) != 0) continue;
    if (attributes.state == IBV_PORT_ACTIVE) return port;
    const std::string name = ibv_get_device_name(device);
    states += (states.empty() ? "" : "; ") + name + " port " + std::to_string(port) + " is " +
              state_of(attributes) + ": " + how_to_start(name, port, attributes);
  }
  return 0;
}

struct Choice {
  ibv_device* device = nullptr;
  int port = 1;
};

Choice first_active(const DeviceList& list) {
  std::string states;
  for (ibv_device* device : list.all()) {
    const int port = active_port(device, states);
    if (port != 0) return {device, port};
  }
  throw std::runtime_error("no port of an RDMA device is up; " + states);
}

std::string nth_word(const std::string& list, std::size_t index) {
  std::vector<std::string> words(1);
  for (const char letter : list) {
    if (letter == ',') words.emplace_back();
    if (letter != ',') words.back() += letter;
  }
  return words[index % words.size()];
}

Choice choose(const DeviceList& list, const LinkOptions& options, std::size_t local_rank) {
  const std::string named = nth_word(options.text("device"), local_rank);
  const int port = options.number(verbs_port_setting, 0);
  if (named.empty() && port == 0) return first_active(list);
  for (ibv_device* device : list.all()) {
    if (named.empty() || named == ibv_get_device_name(device)) {
      std::string ignored;
      const int found = port == 0 ? active_port(device, ignored) : port;
      return {device, found == 0 ? 1 : found};
    }
  }
  throw std::runtime_error("no RDMA device " + named + " here; there are: " + list.names());
}

std::string text_of(const ibv_gid_entry& entry) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, entry.gid.raw, text.data(), text.size());
  constexpr std::array<const char*, 3> types{"InfiniBand", "RoCE v1", "RoCE v2"};
  const char* type = entry.gid_type < types.size() ? types[entry.gid_type] : "of unknown type";
  return std::to_string(entry.gid_index) + " " + text.data() + " (" + type + ")";
}

// RoCE v2 crosses routers; of its addresses the one that stands for an IPv4 address is set up by
// an administrator, the link-local one by itself.
int worth_of(const ibv_gid_entry& entry) {
  constexpr unsigned char link_local = 0xfe;
  constexpr std::array<unsigned char, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (entry.gid_type != IBV_GID_TYPE_ROCE_V2) return 1;
  if (std::memcmp(entry.gid.raw, mapped.data(), mapped.size()) == 0) return 4;
  return entry.gid.raw[0] == link_local ? 2 : 3;
}

void choose_gid(VerbsPort& port, int asked_index) {
  std::vector<ibv_gid_entry> entries(most_gids);
  const ssize_t count = ibv_query_gid_table(port.context.get(), entries.data(), entries.size(), 0);
  entries.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  std::string known;
  int best = 0;
  for (const ibv_gid_entry& entry : entries) {
    if (entry.port_num != static_cast<std::uint32_t>(port.number)) continue;
    known += (known.empty() ? "" : ", ") + text_of(entry);
    const bool is_asked = static_cast<int>(entry.gid_index) == asked_index;
    const int worth = asked_index < 0 ? worth_of(entry) : static_cast<int>(is_asked);
    if (worth > best) {
      best = worth;
      port.gid = entry;
    }
  }
  if (best > 0) return;
  if (known.empty()) {
    throw std::runtime_error(port.text() + " has no GID; give its interface an IP address");
  }
  throw std::runtime_error("no GID index " + std::to_string(asked_index) + " at " + port.text() +
                           "; there are: " + known);
}

int chosen_mtu(const VerbsPort& port, const LinkOptions& options) {
  const int active = mtu_bytes_of(port.attributes.active_mtu);
  const int asked = options.number(mtu_setting, active);
  if (mtu_bytes_of(mtu_code_of(asked)) != asked || asked > active) {
    throw std::runtime_error("an MTU of " + std::to_string(asked) + " is not available at " +
                             port.text() + "; choose a power of two from 256 to " +
                             std::to_string(active));
  }
  return asked;
}

void choose_class(VerbsPort& port, const LinkOptions& options) {
  port.service_level = options.number(service_level_setting, 0);
  port.traffic_class = options.number(traffic_class_setting, 0);
  if (port.traffic_class == 0 || port.is_global) return;
  throw std::runtime_error("packets of " + port.text() +
                           " have no traffic class without a global header; add verbs.gid_index, "
                           "or use verbs.service_level");
}

}  // namespace

void fail_with_cause(const std::string& what, const std::string& fix) {
  throw std::runtime_error(what + ": " + std::strerror(errno) + "; " + fix);
}

int mtu_bytes_of(ibv_mtu code) {
  return 1 << (static_cast<unsigned>(code) + 7U);
}

ibv_mtu mtu_code_of(int bytes) {
  constexpr std::array codes{IBV_MTU_256, IBV_MTU_512, IBV_MTU_1024, IBV_MTU_2048};
  for (const ibv_mtu code : codes) {
    if (mtu_bytes_of(code) >= bytes) return code;
  }
  return IBV_MTU_4096;
}

std::string VerbsPort::gid_text() const {
  return is_global ? text_of(gid) : "none";
}

std::string VerbsPort::link_layer() const {
  return attributes.link_layer == IBV_LINK_LAYER_ETHERNET ? "Ethernet (RoCE)" : "InfiniBand";
}

std::string why_no_verbs() {
  const DeviceList list;
  if (list.all().empty())
    return std::string("no RDMA device (ibv_devices shows none); ") + make_one;
  try {
    first_active(list);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

VerbsPort open_verbs_port(const LinkOptions& options, std::size_t local_rank) {
  const DeviceList list;
  if (list.all().empty()) {
    throw std::runtime_error(std::string("no RDMA device (ibv_devices shows none); ") + make_one);
  }
  const Choice choice = choose(list, options, local_rank);
  VerbsPort port;
  port.context = open_device(choice.device);
  port.device = ibv_get_device_name(choice.device);
  port.number = choice.port;
  ibv_query_device(port.context.get(), &port.limits);
  const auto number = static_cast<std::uint8_t>(port.number);
  if (ibv_query_port(port.context.get(), number, &port.attributes) != 0) {
    throw std::runtime_error(port.device + " has no port " + std::to_string(port.number) +
                             "; it has ports 1 to " + std::to_string(port.limits.phys_port_cnt));
  }
  if (port.attributes.state != IBV_PORT_ACTIVE) {
    throw std::runtime_error(port.text() + " is " + state_of(port.attributes) + "; " +
                             how_to_start(port.device, port.number, port.attributes));
  }
  const int gid_index = options.number(gid_index_setting, -1);
  port.is_global = port.attributes.link_layer == IBV_LINK_LAYER_ETHERNET || gid_index >= 0;
  if (port.is_global) choose_gid(port, gid_index);
  port.mtu_bytes = chosen_mtu(port, options);
  choose_class(port, options);
  port.domain.reset(ibv_alloc_pd(port.context.get()));
  if (!port.domain)
    fail_with_cause("no protection domain on " + port.device, "stop other programs");
  return port;
}

}  // namespace weft

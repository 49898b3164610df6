#include "transports/ofi/endpoint.hpp"

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace weft {

namespace {

// shm names its memory after the process, and what a killed one left is in the way of a later one
// of its number. Only what bears this process's own number is removed: its maker is gone for sure,
// while of another number there may be a process that is not seen from here (another container).
void remove_what_was_left_under_this_number() {
  const std::string number = std::to_string(getpid()) + ":";
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", none)) {
    if (!entry.path().filename().string().starts_with(number)) continue;
    struct stat file {};
    const bool is_own = lstat(entry.path().c_str(), &file) == 0 && file.st_uid == geteuid();
    if (is_own) std::filesystem::remove(entry.path(), none);
  }
}

}  // namespace

OfiEndpoint::OfiEndpoint(const OfiFabric& fabric)
    : fabric_(&fabric), addresses_(static_cast<std::size_t>(fabric.boot().size()), FI_ADDR_UNSPEC) {
  if (fabric.provider() == "shm") remove_what_was_left_under_this_number();
  fi_av_attr addresses{};
  addresses.type = fabric.info()->domain_attr->av_type;
  fid_av* table = nullptr;
  require_ofi(fi_av_open(fabric.domain(), &addresses, &table, nullptr), "making an address vector");
  table_.reset(table);

  fid_ep* endpoint = nullptr;
  require_ofi(fi_endpoint(fabric.domain(), fabric.info(), &endpoint, nullptr),
              "making an endpoint");
  endpoint_.reset(endpoint);
  require_ofi(fi_ep_bind(endpoint, &table->fid, 0), "binding the address vector");
  fabric.bind_completions(endpoint);
  const int enabled = fi_enable(endpoint);
  if (enabled == -FI_EBUSY && fabric.provider() == "shm") {
    fail_ofi("another user's process left shared memory under this process's number",
             "run rm /dev/shm/" + std::to_string(getpid()) + ":*");
  }
  require_ofi(enabled, "enabling an endpoint whose queues are for FI_UNIVERSE_SIZE ranks");
}

void OfiEndpoint::find(std::span<const int> ranks) {
  std::size_t bytes = 0;
  fi_getname(&endpoint_->fid, nullptr, &bytes);
  std::string mine(bytes, '\0');
  require_ofi(fi_getname(&endpoint_->fid, mine.data(), &bytes),
              "asking for the endpoint's address");
  const std::vector<std::string> others =
      fabric_->boot().swap(ranks, std::vector<std::string>(ranks.size(), mine));
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    fi_addr_t& address = addresses_[static_cast<std::size_t>(ranks[at])];
    const int inserted = fi_av_insert(table_.get(), others[at].data(), 1, &address, 0, nullptr);
    if (inserted != 1) require_ofi(inserted < 0 ? inserted : -FI_EINVAL, "naming a peer");
  }
}

}  // namespace weft

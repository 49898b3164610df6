#include "ofi_endpoint.hpp"

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <unistd.h>

#include <string>

namespace weft {

OfiEndpoint::OfiEndpoint(const OfiFabric& fabric) : fabric_(&fabric) {
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
    fail_ofi("a process that was killed left shared memory under this one's number",
             "type: rm /dev/shm/" + std::to_string(getpid()) + ":*");
  }
  require_ofi(enabled, "enabling an endpoint whose queues are for FI_UNIVERSE_SIZE ranks");
}

void OfiEndpoint::find_peers() {
  std::size_t bytes = 0;
  fi_getname(&endpoint_->fid, nullptr, &bytes);
  std::string mine(bytes, '\0');
  require_ofi(fi_getname(&endpoint_->fid, mine.data(), &bytes),
              "asking for the endpoint's address");
  for (const std::string& other : fabric_->boot().exchange(mine)) {
    fi_addr_t address = FI_ADDR_UNSPEC;
    const int inserted = fi_av_insert(table_.get(), other.data(), 1, &address, 0, nullptr);
    if (inserted != 1) require_ofi(inserted < 0 ? inserted : -FI_EINVAL, "naming a peer");
    addresses_.push_back(address);
  }
}

}  // namespace weft

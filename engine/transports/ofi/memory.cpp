#include "transports/ofi/memory.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "host/memory.hpp"
#include "transports/parts/registration_cache.hpp"

namespace weft {

namespace {

/// Address and key.
using RemoteName = std::array<std::uint64_t, 2>;

}  // namespace

OfiMemory::OfiMemory(const OfiFabric& fabric, fid_ep* endpoint, const LinkOptions& options)
    : fabric_(&fabric), domain_(fabric.domain()) {
  const int mode = fabric.info()->domain_attr->mr_mode;
  const bool wanted = (mode & FI_MR_LOCAL) != 0;
  if ((mode & FI_MR_ENDPOINT) != 0) endpoint_ = endpoint;
  registers_ahead_ = options.flag("register_ahead", wanted);
  registers_sides_ = weft::registers_sides(options, registers_ahead_);
  if (registers_ahead_ || !wanted) return;
  fail_ofi("the provider " + fabric.provider() + " requires registered memory",
           "run without ofi.register_ahead=no");
}

OfiMemory::~OfiMemory() {
  for (fid_mr* region : regions_.all()) {
    if (region != nullptr) fi_close(&region->fid);
  }
}

std::uint64_t OfiMemory::enter(const Buffer& buffer, std::uint64_t access, int& error) noexcept {
  if (!regions_.has_room()) {
    error = -FI_ENOSPC;
    return 0;
  }
  fid_mr* region = nullptr;
  error = fi_mr_reg(domain_, buffer.data, std::max<std::size_t>(buffer.bytes, 1), access, 0,
                    ++entered_, 0, &region, nullptr);
  if (error == 0 && endpoint_ != nullptr) {
    error = fi_mr_bind(region, &endpoint_->fid, 0);
    if (error == 0) error = fi_mr_enable(region);
    if (error != 0) fi_close(&region->fid);
  }
  return error == 0 ? std::uint64_t{regions_.put(region)} + 1 : 0;
}

int OfiMemory::forget(std::uint64_t key) noexcept {
  return fi_close(&regions_.take(static_cast<std::uint32_t>(key - 1))->fid);
}

std::uint64_t OfiMemory::remember(const Buffer& buffer, std::uint64_t access) {
  make_room(1);
  int error = 0;
  const std::uint64_t key = enter(buffer, access, error);
  require_ofi(error, "registering memory (is the limit of locked memory, ulimit -l, too small?)");
  return key;
}

Buffer OfiMemory::adopt(const Buffer& memory) {
  Buffer known = memory;
  if (registers_ahead_) known.key = remember(memory, message_access);
  return known;
}

void OfiMemory::disown(const Buffer& buffer) {
  if (buffer.key != 0) forget(buffer.key);
}

Buffer OfiMemory::allocate(std::size_t bytes) {
  return adopt(map_memory(bytes));
}

void OfiMemory::release(const Buffer& buffer) {
  disown(buffer);
  unmap_memory(buffer);
}

Opened OfiMemory::expose(const Buffer& memory) {
  Buffer local = memory;
  local.key = remember(memory, message_access | FI_REMOTE_READ | FI_REMOTE_WRITE);
  const bool by_address = (fabric_->info()->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  const RemoteName mine{by_address ? std::bit_cast<std::uint64_t>(local.data) : 0,
                        fi_mr_key(region(local.key))};
  std::string name(sizeof mine, '\0');
  std::memcpy(name.data(), mine.data(), sizeof mine);
  return {local, name};
}

RemoteBuffer OfiMemory::reach(std::size_t bytes, const std::string& name) {
  RemoteName theirs{};
  std::memcpy(theirs.data(), name.data(), std::min(sizeof theirs, name.size()));
  return {theirs[0], bytes, theirs[1]};
}

}  // namespace weft

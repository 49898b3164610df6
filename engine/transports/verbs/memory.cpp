#include "transports/verbs/memory.hpp"

#include <sys/resource.h>

#include <bit>
#include <sstream>
#include <string>

#include "host/memory.hpp"
#include "transports/verbs/device.hpp"

namespace weft {

namespace {

constexpr unsigned place_shift = 32;

std::uint32_t place_of(std::uint64_t key) noexcept {
  return static_cast<std::uint32_t>(key >> place_shift) - 1;
}

std::string limit_text() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return "locked memory is not limited here";
  return "locked memory is limited to " + std::to_string(limit.rlim_cur / 1024) + " KiB";
}

}  // namespace

VerbsMemory::~VerbsMemory() {
  for (ibv_mr* region : regions_.all()) {
    if (region != nullptr) ibv_dereg_mr(region);
  }
}

std::uint64_t VerbsMemory::enter(const Buffer& buffer, int access) noexcept {
  if (!regions_.has_room()) {
    errno = ENOSPC;
    return 0;
  }
  ibv_mr* region = ibv_reg_mr(domain_, buffer.data, buffer.bytes == 0 ? 1 : buffer.bytes, access);
  if (region == nullptr) return 0;
  return std::uint64_t{regions_.put(region) + 1} << place_shift | region->lkey;
}

int VerbsMemory::forget(std::uint64_t key) noexcept {
  return ibv_dereg_mr(regions_.take(place_of(key)));
}

Buffer VerbsMemory::allocate(std::size_t bytes, int access) {
  const Buffer buffer = map_memory(bytes);
  try {
    return adopt(buffer, access);
  } catch (...) {
    unmap_memory(buffer);
    throw;
  }
}

void VerbsMemory::release(const Buffer& buffer) {
  disown(buffer);
  unmap_memory(buffer);
}

Buffer VerbsMemory::adopt(const Buffer& memory, int access) {
  make_room(1);
  const std::uint64_t key = enter(memory, access);
  if (key == 0) {
    fail_with_cause("cannot register " + std::to_string(memory.bytes) + " bytes, " + limit_text(),
                    "run ulimit -l unlimited, or raise memlock in /etc/security/limits.conf");
  }
  return {memory.data, memory.bytes, key};
}

void VerbsMemory::disown(const Buffer& buffer) {
  forget(buffer.key);
}

std::uint32_t VerbsMemory::remote_key(const Buffer& buffer) const {
  return regions_[place_of(buffer.key)]->rkey;
}

Opened expose_memory(VerbsMemory& memory, const Buffer& own) {
  const Buffer local = memory.adopt(own, exposed_access);
  std::ostringstream name;
  name << std::bit_cast<std::uint64_t>(local.data) << ' ' << memory.remote_key(local);
  return {local, name.str()};
}

RemoteBuffer reach_memory(std::size_t bytes, const std::string& name) {
  RemoteBuffer remote{.bytes = bytes};
  std::istringstream(name) >> remote.address >> remote.key;
  return remote;
}

}  // namespace weft

#include "verbs_memory.hpp"

#include <sys/resource.h>

#include <bit>
#include <sstream>
#include <string>

#include "memory.hpp"
#include "verbs_device.hpp"

namespace weft {

namespace {

constexpr unsigned place_shift = 32;

std::string limit_text() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return "locked memory is not limited here";
  return "locked memory is limited to " + std::to_string(limit.rlim_cur / 1024) + " KiB";
}

}  // namespace

VerbsMemory::~VerbsMemory() {
  for (ibv_mr* region : regions_) {
    if (region != nullptr) ibv_dereg_mr(region);
  }
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
  ibv_mr* region = ibv_reg_mr(domain_, memory.data, memory.bytes == 0 ? 1 : memory.bytes, access);
  if (region == nullptr) {
    fail_with_cause("cannot register " + std::to_string(memory.bytes) + " bytes, " + limit_text(),
                    "type: ulimit -l unlimited, or raise memlock in /etc/security/limits.conf");
  }
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(regions_.size()));
    regions_.push_back(nullptr);
  }
  const std::uint32_t place = unused_.back();
  unused_.pop_back();
  regions_[place] = region;
  return {memory.data, memory.bytes, std::uint64_t{place} << place_shift | region->lkey};
}

void VerbsMemory::disown(const Buffer& buffer) {
  const auto place = static_cast<std::uint32_t>(buffer.key >> place_shift);
  ibv_dereg_mr(regions_[place]);
  regions_[place] = nullptr;
  unused_.push_back(place);
}

std::uint32_t VerbsMemory::remote_key(const Buffer& buffer) const {
  return regions_[buffer.key >> place_shift]->rkey;
}

Exposed expose_to_all(const VerbsMemory& memory, const Buffer& local, Bootstrap& boot) {
  Exposed exposed{local, {}};
  const auto address = std::bit_cast<std::uint64_t>(exposed.local.data);
  std::ostringstream mine;
  mine << address << ' ' << memory.remote_key(exposed.local);
  for (const std::string& told : boot.exchange(mine.str())) {
    RemoteBuffer remote{.bytes = local.bytes};
    std::istringstream(told) >> remote.address >> remote.key;
    exposed.of_rank.push_back(remote);
  }
  return exposed;
}

}  // namespace weft

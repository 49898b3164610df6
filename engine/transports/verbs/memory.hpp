// Memory that an RDMA device may read and write: mapped, registered, given back.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <string>

#include "contract/transport.hpp"
#include "transports/parts/handle_table.hpp"

namespace weft {

/// `Buffer.key` holds the local key in its low half and, above it, the number of the registration
/// counted from 1: no registered buffer has a key of 0.
class VerbsMemory {
 public:
  explicit VerbsMemory(ibv_pd* domain) : domain_(domain) {}
  VerbsMemory(const VerbsMemory&) = delete;
  VerbsMemory& operator=(const VerbsMemory&) = delete;
  VerbsMemory(VerbsMemory&&) = delete;
  VerbsMemory& operator=(VerbsMemory&&) = delete;
  ~VerbsMemory();

  /// Registers at least one page; `access` are flags of ibv_reg_mr. Throws std::runtime_error.
  Buffer allocate(std::size_t bytes, int access);
  void release(const Buffer& buffer);

  /// The same for memory that somebody else mapped and unmaps.
  Buffer adopt(const Buffer& memory, int access);
  void disown(const Buffer& buffer);

  /// Room for so many more registrations.
  void make_room(std::size_t more) { regions_.make_room(more); }
  /// Registers memory that is there, with room made before; 0 and errno where the device refuses.
  [[nodiscard]] std::uint64_t enter(const Buffer& buffer, int access) noexcept;
  /// What ibv_dereg_mr says: 0, or a number of errno.
  int forget(std::uint64_t key) noexcept;

  /// What a peer names the memory by.
  [[nodiscard]] std::uint32_t remote_key(const Buffer& buffer) const;

 private:
  ibv_pd* domain_;
  HandleTable<ibv_mr*> regions_;
};

inline constexpr int exposed_access =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

/// Memory that this rank opens to the others, registered for that. Throws std::runtime_error.
Opened expose_memory(VerbsMemory& memory, const Buffer& own);
/// What another rank opened, by its name.
RemoteBuffer reach_memory(std::size_t bytes, const std::string& name);

/// The key that the device wants for local memory.
inline std::uint32_t local_key(const Buffer& buffer) noexcept {
  return static_cast<std::uint32_t>(buffer.key);
}

}  // namespace weft

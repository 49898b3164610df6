// Memory that an RDMA device may read and write: mapped, registered, given back.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <vector>

#include "bootstrap.hpp"
#include "transport.hpp"

namespace weft {

/// `Buffer.key` holds the local key in its low half and the place of the registration above it.
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

  /// What a peer names the memory by.
  [[nodiscard]] std::uint32_t remote_key(const Buffer& buffer) const;

 private:
  ibv_pd* domain_;
  std::vector<ibv_mr*> regions_;
  std::vector<std::uint32_t> unused_;
};

inline constexpr int exposed_access =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

/// Registered memory that every rank opens to all others. Collective. Throws std::runtime_error.
Exposed expose_to_all(const VerbsMemory& memory, const Buffer& local, Bootstrap& boot);

/// The key that the device wants for local memory.
inline std::uint32_t local_key(const Buffer& buffer) noexcept {
  return static_cast<std::uint32_t>(buffer.key);
}

}  // namespace weft

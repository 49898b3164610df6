// Memory that libfabric may read and write: its registrations.
#pragma once

#include <rdma/fi_domain.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "transports/ofi/fabric.hpp"
#include "transports/parts/handle_table.hpp"

namespace weft {

/// What memory of messages is registered for.
inline constexpr std::uint64_t message_access = FI_SEND | FI_RECV | FI_READ | FI_WRITE;

/// Owns the registrations. Only `enter` and `forget` are called between two reads of the clock.
class OfiMemory {
 public:
  /// `endpoint`: where the provider binds memory to an endpoint (FI_MR_ENDPOINT), that one.
  /// Throws for ofi.register_ahead=no where the provider wants memory to be registered.
  OfiMemory(const OfiFabric& fabric, fid_ep* endpoint, const LinkOptions& options);
  OfiMemory(const OfiMemory&) = delete;
  OfiMemory& operator=(const OfiMemory&) = delete;
  OfiMemory(OfiMemory&&) = delete;
  OfiMemory& operator=(OfiMemory&&) = delete;
  ~OfiMemory();

  /// Memory that the provider may read and write; registered where it asks for that.
  Buffer adopt(const Buffer& memory);
  void disown(const Buffer& buffer);
  /// The same with its own pages, for messages of the link itself.
  Buffer allocate(std::size_t bytes);
  void release(const Buffer& buffer);

  /// Whether `adopt` registers: the provider asks for it, or the user.
  [[nodiscard]] bool registers_ahead() const noexcept { return registers_ahead_; }
  /// Whether one registration holds for all messages of a side.
  [[nodiscard]] bool registers_sides() const noexcept { return registers_sides_; }
  /// Room for so many more registrations.
  void make_room(std::size_t more) { regions_.make_room(more); }
  /// Registers memory that is there, with room made before: 0 and the library's code in `error`
  /// where it refuses.
  std::uint64_t enter(const Buffer& buffer, std::uint64_t access, int& error) noexcept;
  /// The library's code.
  int forget(std::uint64_t key) noexcept;

  /// Memory that the others may read and write, and what another rank opened, by its name.
  Opened expose(const Buffer& memory);
  [[nodiscard]] static RemoteBuffer reach(std::size_t bytes, const std::string& name);

  /// What the provider wants beside a local buffer: nothing if it registers by itself.
  [[nodiscard]] void* descriptor(const Buffer& buffer) const noexcept {
    return buffer.key == 0 ? nullptr : fi_mr_desc(region(buffer.key));
  }

 private:
  std::uint64_t remember(const Buffer& buffer, std::uint64_t access);
  [[nodiscard]] fid_mr* region(std::uint64_t key) const noexcept {
    return regions_[static_cast<std::uint32_t>(key - 1)];
  }

  const OfiFabric* fabric_;
  fid_domain* domain_;
  /// What memory has to be bound to; nothing where the provider does not ask for that.
  fid_ep* endpoint_ = nullptr;
  HandleTable<fid_mr*> regions_;
  bool registers_ahead_ = false;
  bool registers_sides_ = true;
  /// How often memory was registered: a key that the application chooses is never chosen twice.
  std::uint64_t entered_ = 0;
};

}  // namespace weft

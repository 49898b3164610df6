#include "run/buffer_set.hpp"

#include <algorithm>

namespace weft {

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t page = 4096;

std::size_t whole(std::size_t bytes, std::size_t unit) noexcept {
  return (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
}

}  // namespace

std::size_t stride_of(std::size_t bytes) noexcept {
  return whole(bytes, bytes < page ? line : page);
}

std::size_t page_stride_of(std::size_t bytes) noexcept {
  return whole(bytes, page);
}

std::vector<Buffer> slices_of(const Buffer& memory, std::size_t count, std::size_t bytes,
                              std::size_t stride) {
  std::vector<Buffer> slices;
  slices.reserve(count);
  for (std::size_t slot = 0; slot < count; ++slot) {
    slices.push_back({memory.data + slot * stride, bytes, memory.key});
  }
  return slices;
}

BufferSet::BufferSet(LinkControl& link, const std::vector<Buffer>& slices) : BufferSet(&link) {
  buffers_.reserve(slices.size());
  for (const Buffer& slice : slices) buffers_.push_back(link.adopt(slice));
}

BufferSet::~BufferSet() {
  if (link_ == nullptr) return;
  for (const Buffer& buffer : buffers_) link_->disown(buffer);
}

OpenedMemory::OpenedMemory(LinkControl& link, Bootstrap& boot, const Buffer& memory)
    : OpenedMemory(link) {
  // What others reached is closed by them first, so room for it is made before anything is opened.
  remote_.reserve(static_cast<std::size_t>(boot.size()));
  Opened opened = link.expose(memory);
  local_ = opened.local;
  // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer) - not before it is open
  is_open_ = true;
  int rank = 0;
  for (const std::string& name : boot.exchange(opened.name)) {
    remote_.push_back(link.reach(rank++, memory.bytes, name));
  }
}

OpenedMemory::~OpenedMemory() {
  if (!is_open_ || link_->fault() != nullptr) return;
  for (const RemoteBuffer& remote : remote_) link_->leave(remote);
  link_->withdraw(local_);
}

}  // namespace weft

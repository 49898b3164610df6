#include "run/buffer_set.hpp"

#include <algorithm>
#include <set>
#include <string>

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
  if (!link.adopts_at_once()) {
    for (const Buffer& slice : slices) buffers_.push_back(link.adopt(slice));
    return;
  }
  if (slices.empty()) return;
  std::byte* const first = slices.front().data;
  const std::byte* const end = slices.back().data + slices.back().bytes;
  whole_ = link.adopt({first, static_cast<std::size_t>(end - first)});
  for (const Buffer& slice : slices) buffers_.push_back({slice.data, slice.bytes, whole_->key});
}

BufferSet::~BufferSet() {
  if (link_ == nullptr) return;
  if (whole_) {
    link_->disown(*whole_);
    return;
  }
  for (const Buffer& buffer : buffers_) link_->disown(buffer);
}

OpenedMemory::OpenedMemory(LinkControl& link, const Buffer& memory)
    : link_(&link), opened_(link.expose(memory)) {}

void OpenedMemory::reach(Bootstrap& boot, std::span<const int> ranks) {
  const std::set<int> each(ranks.begin(), ranks.end());
  const std::vector<int> others(each.begin(), each.end());
  const std::vector<std::string> names =
      boot.swap(others, std::vector<std::string>(others.size(), opened_.name));
  for (std::size_t at = 0; at < others.size(); ++at) {
    RemoteBuffer& remote = remote_[others[at]];  // its place first: what is reached is left again
    try {
      remote = link_->reach(others[at], opened_.local.bytes, names[at]);
    } catch (...) {
      remote_.erase(others[at]);
      throw;
    }
  }
}

OpenedMemory::~OpenedMemory() {
  if (link_->fault() != nullptr) return;
  for (const auto& [rank, remote] : remote_) link_->leave(remote);
  link_->withdraw(opened_.local);
}

}  // namespace weft

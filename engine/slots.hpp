// The buffers of one pass of a case: a transport's own, or slices of memory opened to the peers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "memory.hpp"
#include "pages.hpp"
#include "transport.hpp"

namespace weft {

/// The items of the slots in the order of use.
template <class Item>
std::vector<Item> in_order(const std::vector<Item>& slots,
                           const std::vector<std::uint32_t>& order) {
  std::vector<Item> items;
  items.reserve(order.size());
  for (const std::uint32_t slot : order) items.push_back(slots[slot]);
  return items;
}

/// From one buffer to the next in memory that many share: they share no cache line, and large ones
/// no page.
inline std::size_t stride_of(std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  constexpr std::size_t page = 4096;
  const std::size_t unit = bytes < page ? line : page;
  return (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
}

/// A part of a region from an offset on, or no region: then every buffer has pages of its own.
struct PartOfRegion {
  const Region* region = nullptr;
  std::size_t offset = 0;
};

/// Equal buffers in a region, one after another.
inline std::vector<Buffer> slices_of(PartOfRegion part, std::size_t count, std::size_t bytes) {
  std::vector<Buffer> slices;
  slices.reserve(count);
  for (std::size_t slot = 0; slot < count; ++slot) {
    slices.push_back({part.region->data() + part.offset + slot * stride_of(bytes), bytes, 0});
  }
  return slices;
}

/// A set of equal buffers of one case, given back to the transport at the end of its life.
template <TwoSided T>
class Slots {
 public:
  /// The object is whole before the first buffer: where memory ends, those before are given back.
  Slots(T& link, std::size_t count, std::size_t bytes, PartOfRegion part = {})
      : Slots(link, part.region != nullptr) {
    if (in_region_) {
      buffers_ = slices_of(part, count, bytes);
      register_slices();
      return;
    }
    buffers_.reserve(count);
    for (std::size_t slot = 0; slot < count; ++slot) buffers_.push_back(link.allocate(bytes));
  }
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  Slots(Slots&&) = delete;
  Slots& operator=(Slots&&) = delete;
  ~Slots() {
    for (const Buffer& buffer : buffers_) {
      if (!in_region_) link_->release(buffer);
      if constexpr (Registers<T>) {
        if (in_region_ && buffer.key != 0) link_->deregister_memory(buffer);
      }
    }
  }

  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }
  const Buffer& operator[](std::size_t slot) const { return buffers_[slot]; }
  [[nodiscard]] std::size_t count() const { return buffers_.size(); }

 private:
  Slots(T& link, bool in_region) : link_(&link), in_region_(in_region) {}

  void register_slices() {
    if constexpr (Registers<T>) {
      if (!link_->registers_ahead()) return;
      link_->make_room(buffers_.size());
      for (Buffer& buffer : buffers_) buffer = link_->register_memory(buffer);
    }
  }

  T* link_;
  bool in_region_;
  std::vector<Buffer> buffers_;
};

/// The same without any registration.
template <TwoSided T>
class RawSlots {
 public:
  RawSlots(T& /*link*/, std::size_t count, std::size_t bytes, PartOfRegion part = {})
      : RawSlots(part.region != nullptr) {
    if (in_region_) {
      buffers_ = slices_of(part, count, bytes);
      return;
    }
    buffers_.reserve(count);
    for (std::size_t slot = 0; slot < count; ++slot) buffers_.push_back(map_memory(bytes));
  }
  RawSlots(const RawSlots&) = delete;
  RawSlots& operator=(const RawSlots&) = delete;
  RawSlots(RawSlots&&) = delete;
  RawSlots& operator=(RawSlots&&) = delete;
  ~RawSlots() {
    if (in_region_) return;
    for (const Buffer& buffer : buffers_) unmap_memory(buffer);
  }

  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }
  const Buffer& operator[](std::size_t slot) const { return buffers_[slot]; }
  [[nodiscard]] std::size_t count() const { return buffers_.size(); }

 private:
  explicit RawSlots(bool in_region) : in_region_(in_region) {}

  bool in_region_;
  std::vector<Buffer> buffers_;
};

/// Equal slices of memory that every rank opens; making and ending one is collective.
template <OneSided T>
class ExposedSlots {
 public:
  ExposedSlots(T& link, std::size_t count, std::size_t bytes, PartOfRegion /*part*/ = {})
      : link_(&link), bytes_(bytes), exposed_(link.allocate_exposed(count * stride())) {
    for (std::size_t slot = 0; slot < count; ++slot) {
      std::byte* const data = exposed_.local.data + slot * stride();
      buffers_.push_back({data, bytes, exposed_.local.key});
    }
  }
  ExposedSlots(const ExposedSlots&) = delete;
  ExposedSlots& operator=(const ExposedSlots&) = delete;
  ExposedSlots(ExposedSlots&&) = delete;
  ExposedSlots& operator=(ExposedSlots&&) = delete;
  ~ExposedSlots() { link_->release_exposed(exposed_); }

  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }
  const Buffer& operator[](std::size_t slot) const { return buffers_[slot]; }
  [[nodiscard]] std::size_t count() const { return buffers_.size(); }

  /// The slots of another rank.
  [[nodiscard]] std::vector<RemoteBuffer> of_rank(int rank) const {
    const RemoteBuffer& whole = exposed_.of_rank.at(static_cast<std::size_t>(rank));
    std::vector<RemoteBuffer> slots;
    for (std::size_t slot = 0; slot < count(); ++slot) {
      slots.push_back(whole.slice(slot * stride(), bytes_));
    }
    return slots;
  }

 private:
  [[nodiscard]] std::size_t stride() const { return stride_of(bytes_); }

  T* link_;
  std::size_t bytes_;
  Exposed exposed_;
  std::vector<Buffer> buffers_;
};

}  // namespace weft

// The buffers of one pass of a case: a transport's own, or slices of memory opened to the peers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "contract/transport.hpp"
#include "host/memory.hpp"

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

/// From one buffer to the next in memory that is opened to others: they share no cache line, and
/// large ones no page.
inline std::size_t stride_of(std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  constexpr std::size_t page = 4096;
  const std::size_t unit = bytes < page ? line : page;
  return (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
}

/// From one buffer to the next in other memory: each begins a page of 4 KiB, as it does where every
/// message's memory is allocated by itself.
inline std::size_t page_stride_of(std::size_t bytes) noexcept {
  constexpr std::size_t page = 4096;
  return (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
}

/// Equal buffers one after another in memory of the engine.
inline std::vector<Buffer> slices_of(std::byte* memory, std::size_t count, std::size_t bytes) {
  std::vector<Buffer> slices;
  slices.reserve(count);
  for (std::size_t slot = 0; slot < count; ++slot) {
    slices.push_back({memory + slot * page_stride_of(bytes), bytes, 0});
  }
  return slices;
}

/// A set of equal buffers that a transport was given, until the end of its life.
template <TwoSided T>
class Slots {
 public:
  /// The object is whole before the first buffer: where one cannot be had, those before are given
  /// back.
  Slots(T& link, std::size_t count, std::size_t bytes, std::byte* memory) : Slots(link) {
    buffers_.reserve(count);
    for (const Buffer& slice : slices_of(memory, count, bytes)) {
      buffers_.push_back(link.adopt(slice));
    }
  }
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  Slots(Slots&&) = delete;
  Slots& operator=(Slots&&) = delete;
  ~Slots() {
    for (const Buffer& buffer : buffers_) link_->disown(buffer);
  }

  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }
  const Buffer& operator[](std::size_t slot) const { return buffers_[slot]; }
  [[nodiscard]] std::size_t count() const { return buffers_.size(); }

 private:
  explicit Slots(T& link) : link_(&link) {}

  T* link_;
  std::vector<Buffer> buffers_;
};

/// The same that no transport knows of.
template <TwoSided T>
class RawSlots {
 public:
  RawSlots(T& /*link*/, std::size_t count, std::size_t bytes, std::byte* memory)
      : buffers_(slices_of(memory, count, bytes)) {}

  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }
  const Buffer& operator[](std::size_t slot) const { return buffers_[slot]; }
  [[nodiscard]] std::size_t count() const { return buffers_.size(); }

 private:
  std::vector<Buffer> buffers_;
};

/// Equal slices of memory that every rank opens; making and ending one is collective.
template <OneSided T>
class ExposedSlots {
 public:
  ExposedSlots(T& link, std::size_t count, std::size_t bytes, std::byte* /*memory*/)
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

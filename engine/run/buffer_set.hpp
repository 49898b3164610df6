// Equal buffers in memory of the engine, and what the link knows of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "run/link_control.hpp"

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
std::size_t stride_of(std::size_t bytes) noexcept;

/// From one buffer to the next in other memory: each begins a page of 4 KiB, as it does where every
/// message's memory is allocated by itself.
std::size_t page_stride_of(std::size_t bytes) noexcept;

/// Equal buffers one after another, with so much from one to the next.
std::vector<Buffer> slices_of(const Buffer& memory, std::size_t count, std::size_t bytes,
                              std::size_t stride);

/// Equal buffers that a link was given, until the end of its life.
class BufferSet {
 public:
  BufferSet() = default;
  /// Buffers that are the link's already, or that it is not to know.
  explicit BufferSet(std::vector<Buffer> buffers) : buffers_(std::move(buffers)) {}
  /// The link is given each of them, or where it adopts at once the memory from the first to the
  /// last. The object is whole before the first: where one cannot be had, those before are given
  /// back.
  BufferSet(LinkControl& link, const std::vector<Buffer>& slices);
  BufferSet(const BufferSet&) = delete;
  BufferSet& operator=(const BufferSet&) = delete;
  BufferSet(BufferSet&& other) noexcept { swap(other); }
  BufferSet& operator=(BufferSet&& other) noexcept {
    swap(other);
    return *this;
  }
  ~BufferSet();

  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }
  const Buffer& operator[](std::size_t slot) const { return buffers_[slot]; }
  [[nodiscard]] std::size_t count() const { return buffers_.size(); }

 private:
  explicit BufferSet(LinkControl* link) : link_(link) {}
  void swap(BufferSet& other) noexcept {
    std::swap(link_, other.link_);
    std::swap(buffers_, other.buffers_);
    std::swap(whole_, other.whole_);
  }

  LinkControl* link_ = nullptr;
  std::vector<Buffer> buffers_;
  /// What the buffers are parts of, as the link knows it.
  std::optional<Buffer> whole_;
};

/// Memory that a rank of a case opened to the others, and theirs. What is opened is closed again
/// whatever happens, but for a link that broke: its program ends.
class OpenedMemory {
 public:
  /// All ranks of the case open as much. Without an address the library has memory of its own.
  /// Throws where this rank cannot.
  OpenedMemory(LinkControl& link, const Buffer& memory);
  OpenedMemory(const OpenedMemory&) = delete;
  OpenedMemory& operator=(const OpenedMemory&) = delete;
  OpenedMemory(OpenedMemory&&) = delete;
  OpenedMemory& operator=(OpenedMemory&&) = delete;
  ~OpenedMemory();

  /// What each of these ranks opened, which do the same at once.
  void reach(Bootstrap& boot, std::span<const int> ranks);

  [[nodiscard]] const Buffer& local() const { return opened_.local; }
  [[nodiscard]] const RemoteBuffer& of_rank(int rank) const { return remote_.at(rank); }

 private:
  LinkControl* link_;
  Opened opened_;
  std::map<int, RemoteBuffer> remote_;
};

}  // namespace weft

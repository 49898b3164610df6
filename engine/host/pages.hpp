// Memory in one piece: the buffers of one side of a case, and the pages that it really has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <string_view>

namespace weft {

enum class Pages : std::uint8_t { usual, small, huge };

/// "", "small" or "huge". Throws std::invalid_argument for another name.
Pages pages_of(std::string_view name);

/// How many bytes between two addresses lie on huge pages, as the kernel's list of mappings
/// (proc(5), /proc/pid/smaps) tells: those of a mapping with larger pages, or its AnonHugePages
/// and ShmemPmdMapped.
std::uint64_t huge_bytes_in(std::istream& smaps, std::uint64_t start, std::uint64_t end);

/// The same of this process as it is now.
std::uint64_t huge_bytes_between(std::uint64_t start, std::uint64_t end);

/// Memory whose pages are present, from a boundary of 2 MiB on, and in whole pieces of 2 MiB if it
/// is not shorter: so the kernel can give it huge pages wherever it would give them to anybody.
/// Usual pages are as the kernel gives them unasked. Small ones are of 4 KiB and never put together
/// by it. Huge ones come from the reserve (MAP_HUGETLB) or, where that does not suffice, from the
/// kernel on demand (MADV_HUGEPAGE); what it really gave is read back.
/// Never at addresses that an earlier one of this process had.
class Region {
 public:
  /// With addresses for `most_bytes` if that is more. Throws std::runtime_error with the remedy
  /// where the pages are not to be had, std::bad_alloc where the memory is not.
  Region(std::size_t bytes, Pages pages, std::size_t most_bytes = 0);
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  Region(Region&&) = delete;
  Region& operator=(Region&&) = delete;
  ~Region();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// How many of its first bytes lie on huge pages now.
  [[nodiscard]] std::uint64_t huge_bytes(std::size_t first_bytes) const;

  /// More of the same where there are addresses for it; false where there are not. Throws
  /// std::bad_alloc where the memory is not to be had.
  [[nodiscard]] bool grow(std::size_t bytes);

 private:
  [[nodiscard]] bool take_reserved();
  void take_on_demand(Pages pages);
  void make_present(std::size_t from);

  std::size_t bytes_;
  std::size_t most_bytes_;
  bool may_be_huge_;
  std::byte* data_ = nullptr;
};

/// The memory of one side of a case. Clearing pages takes longer than most cases, so what is kept
/// stays present for the cases that follow, which have its first bytes.
class SideMemory {
 public:
  /// Memory for a case: with `is_kept` what an earlier one had, and more of it if need be. Throws
  /// as Region does.
  void take(std::size_t bytes, Pages pages, bool is_kept);
  /// The case is over.
  void give_back() noexcept;
  /// What is kept as well.
  void drop() noexcept;

  [[nodiscard]] bool empty() const noexcept { return bytes_ == 0; }
  /// From an offset on; nothing where the case has none.
  [[nodiscard]] std::byte* data(std::size_t offset = 0) const noexcept;
  /// What the case has of it.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t huge_bytes() const;

 private:
  std::unique_ptr<Region> kept_;
  std::unique_ptr<Region> own_;
  std::size_t bytes_ = 0;
};

/// The memory of a rank's messages from case to case: where they lie, where they arrive, and its
/// own control messages. A side that is opened to the peers has other memory, and none is there
/// where no message is.
struct MessageMemory {
  SideMemory out;
  SideMemory in;
  SideMemory control;

  void give_back() noexcept;
  void drop() noexcept;
};

}  // namespace weft

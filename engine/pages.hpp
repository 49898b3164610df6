// Memory in one piece whose pages are of one kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string_view>

namespace weft {

enum class Pages : std::uint8_t { usual, small, huge };

/// "", "small" or "huge". Throws std::invalid_argument for another name.
Pages pages_of(std::string_view name);

/// How many bytes between two addresses lie on huge pages, as the kernel's list of mappings
/// (proc(5), /proc/pid/smaps) tells: those of a mapping with larger pages, or its AnonHugePages.
std::uint64_t huge_bytes_in(std::istream& smaps, std::uint64_t start, std::uint64_t end);

/// Pages that are present. Small ones are of 4 KiB and never put together by the kernel. Huge ones
/// come from the reserve (MAP_HUGETLB) or, where that does not suffice, from the kernel on demand
/// (MADV_HUGEPAGE on aligned memory); what it really gave is read back.
class Region {
 public:
  /// Throws std::runtime_error with the mend where the pages are not to be had.
  Region(std::size_t bytes, Pages pages);
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  Region(Region&&) = delete;
  Region& operator=(Region&&) = delete;
  ~Region();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t huge_bytes() const;

 private:
  [[nodiscard]] bool take_reserved();
  void take_on_demand(Pages pages);

  std::size_t bytes_;
  std::byte* data_ = nullptr;
  /// The whole mapping, with what alignment left at both ends.
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
};

}  // namespace weft

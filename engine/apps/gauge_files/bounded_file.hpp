// A file that is read piece by piece, never beyond its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace weft::gauge_files {

/// Every error names the file, this host and what to do about it. Read at its places and not mapped
/// into memory: where another one cuts the file short that is an error and no signal.
class BoundedFile {
 public:
  /// Throws std::runtime_error where there is no such file.
  explicit BoundedFile(std::string path);
  BoundedFile(const BoundedFile&) = delete;
  BoundedFile& operator=(const BoundedFile&) = delete;
  BoundedFile(BoundedFile&&) = delete;
  BoundedFile& operator=(BoundedFile&&) = delete;
  ~BoundedFile();

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// All of these bytes. Throws std::runtime_error where the file ends before them.
  void read(std::uint64_t at, std::span<std::byte> to) const;
  [[nodiscard]] std::string text(std::uint64_t at, std::size_t bytes) const;

  /// Throws std::runtime_error for what is wrong with the file.
  [[noreturn]] void refuse(const std::string& why,
                           const std::string& fix = "choose another file with --gauge") const;

 private:
  std::string path_;
  int file_;
  std::uint64_t bytes_ = 0;
};

}  // namespace weft::gauge_files

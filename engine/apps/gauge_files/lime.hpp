// The records of a LIME file (c-lime of USQCD): what SciDAC and ILDG files are made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/gauge_files/bounded_file.hpp"

namespace weft::gauge_files {

struct LimeRecord {
  std::string type;
  std::uint64_t begins_at = 0;
  std::uint64_t bytes = 0;
};

/// Whether a file begins with a record.
bool is_lime(const BoundedFile& file);

class Lime {
 public:
  /// Throws std::runtime_error where the file is not records from its first byte to its last.
  explicit Lime(const BoundedFile& file);

  /// The one record of a type; nothing where there is none. Throws std::runtime_error for several.
  [[nodiscard]] const LimeRecord* find(std::string_view type) const;
  /// What a record of text has between a tag and its end, without the spaces around; empty where it
  /// has no such tag, or there is no such record. Throws std::runtime_error for several.
  [[nodiscard]] std::string field(std::string_view type, std::string_view tag) const;
  /// A field that is a number, or several. Throws std::runtime_error for other text.
  [[nodiscard]] std::vector<std::uint32_t> numbers(std::string_view type, std::string_view tag,
                                                   int base = 10) const;
  [[nodiscard]] const BoundedFile& file() const noexcept { return *file_; }

 private:
  const BoundedFile* file_;
  std::vector<LimeRecord> records_;
};

}  // namespace weft::gauge_files

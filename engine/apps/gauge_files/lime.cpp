#include "apps/gauge_files/lime.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>

#include "apps/gauge_files/numbers.hpp"

namespace weft::gauge_files {

namespace {

constexpr std::uint32_t lime_magic = 0x456789ab;
constexpr std::size_t header_bytes = 144;
constexpr std::size_t length_at = 8;
constexpr std::size_t type_at = 16;
constexpr std::size_t padding = 8;
// Against files that would be read for ever: QIO writes about eight records.
constexpr std::size_t most_records = 1024;
constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 20U;
constexpr std::string_view spaces = " \t\r\n";

using Header = std::array<std::byte, header_bytes>;

bool has_magic(const Header& header) {
  return word_of(std::span(header).first<4>(), std::endian::big) == lime_magic;
}

std::string type_of(const BoundedFile& file, const Header& header) {
  std::string type;
  for (std::size_t at = type_at; at < header.size() && header[at] != std::byte{0}; ++at) {
    type += static_cast<char>(header[at]);
  }
  const bool is_text = std::all_of(type.begin(), type.end(), [](char c) { return c > ' '; });
  if (type.empty() || type.size() == header_bytes - type_at || !is_text) {
    file.refuse("has a damaged record");
  }
  return type;
}

}  // namespace

bool is_lime(const BoundedFile& file) {
  Header header{};
  if (file.bytes() < 4) return false;
  file.read(0, std::span(header).first(4));
  return has_magic(header);
}

Lime::Lime(const BoundedFile& file) : file_(&file) {
  for (std::uint64_t at = 0; at < file.bytes();) {
    Header header{};
    file.read(at, header);
    if (!has_magic(header) || records_.size() == most_records) {
      file.refuse("has a damaged record at byte " + std::to_string(at));
    }
    const auto bytes =
        number_of_bytes<std::uint64_t>(std::span(header).subspan<length_at, 8>(), std::endian::big);
    const std::string type = type_of(file, header);
    at += header_bytes;
    if (bytes > file.bytes() - at) {
      file.refuse("ends in its record " + type,
                  "copy the whole file again, or choose another with --gauge");
    }
    records_.push_back({type, at, bytes});
    // Some writers omit the zeroes behind the last one.
    at += std::min((bytes + padding - 1) / padding * padding, file.bytes() - at);
  }
}

const LimeRecord* Lime::find(std::string_view type) const {
  const auto is_it = [&](const LimeRecord& one) { return one.type == type; };
  const auto first = std::find_if(records_.begin(), records_.end(), is_it);
  if (first == records_.end()) return nullptr;
  if (std::count_if(first, records_.end(), is_it) > 1) {
    file_->refuse("has several records " + std::string(type) + " where a gauge field has one");
  }
  return &*first;
}

std::string Lime::field(std::string_view type, std::string_view tag) const {
  const LimeRecord* const record = find(type);
  if (record == nullptr) return "";
  if (record->bytes > most_text_bytes) {
    file_->refuse("has a damaged record " + std::string(type));
  }
  const std::string text = file_->text(record->begins_at, record->bytes);
  const std::string begin = "<" + std::string(tag) + ">";
  const std::size_t first = text.find(begin);
  if (first == std::string::npos) return "";
  const std::size_t last = text.find("</" + std::string(tag) + ">", first);
  if (last == std::string::npos || text.find(begin, first + 1) != std::string::npos) {
    file_->refuse("has a damaged record " + std::string(type));
  }
  const std::string inside = text.substr(first + begin.size(), last - first - begin.size());
  const std::size_t from = inside.find_first_not_of(spaces);
  if (from == std::string::npos) return "";
  return inside.substr(from, inside.find_last_not_of(spaces) + 1 - from);
}

std::vector<std::uint32_t> Lime::numbers(std::string_view type, std::string_view tag,
                                         int base) const {
  const std::string text = field(type, tag);
  std::vector<std::uint32_t> found;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::uint32_t number = 0;
    const auto [behind, error] = std::from_chars(at, end, number, base);
    const bool is_whole = behind == end || spaces.find(*behind) != std::string_view::npos;
    if (error != std::errc{} || !is_whole) {
      file_->refuse("has no numbers in " + std::string(tag) + " of its record " +
                    std::string(type));
    }
    found.push_back(number);
    at = std::find_if(behind, end, [](char c) { return spaces.find(c) == std::string_view::npos; });
  }
  return found;
}

}  // namespace weft::gauge_files

// Gauge files as MILC, QIO and ILDG write them, for tests: as text of bytes.
#pragma once

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <bit>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "apps/milc/gauge.hpp"
#include "tests/support/plain_staggered.hpp"

namespace weft::written {

/// A file without a disk.
class InMemory {
 public:
  explicit InMemory(const std::string& bytes = "") : file_(memfd_create("lattice", 0)) {
    put(bytes);
  }
  ~InMemory() { close(file_); }
  InMemory(const InMemory&) = delete;
  InMemory& operator=(const InMemory&) = delete;

  void put(const std::string& bytes) const {
    if (ftruncate(file_, 0) != 0 ||
        pwrite(file_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
      throw std::runtime_error("a file in memory cannot be written");
    }
  }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

template <class N>
std::string bytes_of(N number, std::endian order) {
  std::string bytes;
  for (std::size_t at = 0; at < sizeof(N); ++at) {
    const std::size_t shift = order == std::endian::big ? sizeof(N) - 1 - at : at;
    bytes += static_cast<char>(number >> (8 * shift) & 0xffU);
  }
  return bytes;
}

/// The links of all sites, in numbers of so many bytes.
inline std::string links_of(const milc::Gauge& gauge, const Extents& extents,
                            std::size_t number_bytes, std::endian order) {
  std::string all;
  const auto put = [&](double number) {
    all += number_bytes == 8
               ? bytes_of(std::bit_cast<std::uint64_t>(number), order)
               : bytes_of(std::bit_cast<std::uint32_t>(static_cast<float>(number)), order);
  };
  for (std::uint64_t number = 0; number < volume_of(extents); ++number) {
    for (std::size_t direction = 0; direction < 4; ++direction) {
      for (const auto& row : gauge(milc::plain::site_of(number, extents), direction).rows) {
        for (const auto& one : row) {
          put(one.re);
          put(one.im);
        }
      }
    }
  }
  return all;
}

inline std::string milc_v5(const milc::Gauge& gauge, const Extents& extents, std::endian order) {
  const std::string big = links_of(gauge, extents, 4, std::endian::big);
  std::uint32_t sum29 = 0;
  std::uint32_t sum31 = 0;
  for (std::size_t word = 0; word < big.size() / 4; ++word) {
    std::uint32_t value = 0;
    for (std::size_t at = 0; at < 4; ++at) {
      value = value << 8U | static_cast<unsigned char>(big[4 * word + at]);
    }
    sum29 ^= std::rotl(value, static_cast<int>(word % 29));
    sum31 ^= std::rotl(value, static_cast<int>(word % 31));
  }
  std::string file = bytes_of(0x4e87U, order);
  for (const std::uint32_t extent : extents) file += bytes_of(extent, order);
  std::string stamp = "Sun Nov 22 12:00:00 2026";
  stamp.resize(64);
  return file + stamp + bytes_of(0U, order) + bytes_of(sum29, order) + bytes_of(sum31, order) +
         links_of(gauge, extents, 4, order);
}

inline std::string record(std::string_view type, const std::string& content) {
  std::string name(type);
  name.resize(128);
  std::string padded = content;
  padded.resize((content.size() + 7) / 8 * 8);
  return bytes_of(0x456789abU, std::endian::big) + bytes_of(std::uint16_t{1}, std::endian::big) +
         bytes_of(std::uint16_t{0xc000}, std::endian::big) +
         bytes_of(std::uint64_t{content.size()}, std::endian::big) + name + padded;
}

inline std::string checksum_record(const std::string& links, std::size_t number_bytes) {
  const std::size_t site_bytes = 72 * number_bytes;
  std::uint32_t suma = 0;
  std::uint32_t sumb = 0;
  for (std::size_t site = 0; site < links.size() / site_bytes; ++site) {
    const auto crc = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(links.data() + site * site_bytes),  // NOLINT
              static_cast<uInt>(site_bytes)));
    suma ^= std::rotl(crc, static_cast<int>(site % 29));
    sumb ^= std::rotl(crc, static_cast<int>(site % 31));
  }
  std::ostringstream text;
  text << std::hex << "<scidacChecksum><suma>" << suma << "</suma><sumb>" << sumb
       << "</sumb></scidacChecksum>";
  return record("scidac-checksum", text.str());
}

inline std::string scidac_heads(const Extents& extents, std::size_t number_bytes) {
  std::string dims;
  for (const std::uint32_t extent : extents) dims += std::to_string(extent) + " ";
  const std::string precision = number_bytes == 8 ? "D" : "F";
  return record("scidac-private-file-xml", "<scidacFile><spacetime>4</spacetime><dims>" + dims +
                                               "</dims><volfmt>0</volfmt></scidacFile>") +
         record("scidac-file-xml", "a file of a test") +
         record("scidac-private-record-xml",
                "<scidacRecord><recordtype>0</recordtype><precision>" + precision +
                    "</precision><colors>3</colors><typesize>" + std::to_string(18 * number_bytes) +
                    "</typesize><datacount>4</datacount></scidacRecord>") +
         record("scidac-record-xml", "links");
}

inline std::string scidac(const milc::Gauge& gauge, const Extents& extents,
                          std::size_t number_bytes) {
  const std::string links = links_of(gauge, extents, number_bytes, std::endian::big);
  return scidac_heads(extents, number_bytes) + record("scidac-binary-data", links) +
         checksum_record(links, number_bytes);
}

inline std::string ildg(const milc::Gauge& gauge, const Extents& extents,
                        std::size_t number_bytes) {
  const std::string links = links_of(gauge, extents, number_bytes, std::endian::big);
  const std::string names = "xyzt";
  std::string format = "<ildgFormat><field>su3gauge</field><precision>" +
                       std::to_string(8 * number_bytes) + "</precision>";
  for (std::size_t d = 0; d < 4; ++d) {
    const std::string tag = std::string("l") + names[d] + ">";
    format += "<" + tag + std::to_string(extents[d]) + "</" + tag;
  }
  return scidac_heads(extents, number_bytes) + record("ildg-format", format + "</ildgFormat>") +
         record("ildg-data-lfn", "lfn://test") + record("ildg-binary-data", links) +
         checksum_record(links, number_bytes);
}

/// Whether a file cut there has lost its checksum alone, which not every file has.
inline bool ends_before_checksum(const std::string& bytes, std::size_t length) {
  return bytes.substr(0, length).find("scidac-checksum") == std::string::npos &&
         bytes.find("scidac-checksum") == length + 16;
}

}  // namespace weft::written

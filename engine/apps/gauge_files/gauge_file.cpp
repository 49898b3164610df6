#include "apps/gauge_files/gauge_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "apps/gauge_files/numbers.hpp"

namespace weft::gauge_files {

namespace {

using milc::Complex;
using milc::Matrix;
using milc::Site;

constexpr std::uint32_t most_extent = 4096;
constexpr std::uint64_t most_sites = std::uint64_t{1} << 32U;
// Single precision gives 1e-6, files of old machines 1e-4 at worst.
constexpr double su3_tolerance = 1e-3;

void rotate_in(std::uint32_t value, std::uint64_t number, Sums& sums) noexcept {
  sums.of_29 ^= std::rotl(value, static_cast<int>(number % 29));
  sums.of_31 ^= std::rotl(value, static_cast<int>(number % 31));
}

bool is_in_su3(const Matrix<double>& link) noexcept {
  const Matrix<double> unit = link * milc::adjoint(link);
  double distance = 0;
  for (std::size_t i = 0; i < milc::colours; ++i) {
    for (std::size_t j = 0; j < milc::colours; ++j) {
      distance += std::abs(unit.rows[i][j].re - (i == j ? 1 : 0)) + std::abs(unit.rows[i][j].im);
    }
  }
  const Complex<double> volume = milc::determinant(link);
  distance += std::abs(volume.re - 1) + std::abs(volume.im);
  // Not so for what is no number.
  return distance <= su3_tolerance;
}

// The bytes of a site, its numbers big-endian.
class SiteReader {
 public:
  SiteReader(const BoundedFile& file, const LinkData& data)
      : file_(&file), data_(data), bytes_(data.site_bytes()) {}

  void read(std::uint64_t number) {
    file_->read(data_.begins_at + number * bytes_.size(), bytes_);
    if (data_.order == std::endian::big) return;
    const auto step = static_cast<std::ptrdiff_t>(data_.number_bytes());
    for (auto at = bytes_.begin(); at != bytes_.end(); at += step) std::reverse(at, at + step);
  }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint32_t crc() const noexcept {
    return static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(bytes_.data()),  // NOLINT: bytes to zlib
              static_cast<uInt>(bytes_.size())));
  }
  // Throws std::runtime_error where it is none.
  [[nodiscard]] Matrix<double> link(const Site& site, std::size_t direction) const {
    Matrix<double> link;
    std::size_t at = direction * numbers_of_link;
    for (auto& row : link.rows) {
      for (Complex<double>& one : row) {
        one.re = number(at++);
        one.im = number(at++);
      }
    }
    if (!is_in_su3(link)) refuse(site, direction);
    return link;
  }

 private:
  [[nodiscard]] double number(std::size_t at) const noexcept {
    const std::span<const std::byte> from = std::span(bytes_).subspan(at * data_.number_bytes());
    return data_.is_double ? number_of_bytes<double>(from.first<8>(), std::endian::big)
                           : number_of_bytes<float>(from.first<4>(), std::endian::big);
  }
  [[noreturn]] void refuse(const Site& site, std::size_t direction) const {
    std::ostringstream text;
    text << "its link at " << site[0] << ',' << site[1] << ',' << site[2] << ',' << site[3]
         << " in "
         << "xyzt"[direction] << " is not in SU(3): damaged, or no gauge field";
    file_->refuse(text.str());
  }

  const BoundedFile* file_;
  LinkData data_;
  std::vector<std::byte> bytes_;
};

Site site_of(std::uint64_t number, const Extents& extents) noexcept {
  Site site{};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    site[d] = static_cast<std::uint32_t>(number % extents[d]);
    number /= extents[d];
  }
  return site;
}

std::string in_words(const Extents& extents) {
  std::string text;
  for (const std::uint32_t extent : extents) {
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  }
  return text;
}

void refuse_other_sums(const BoundedFile& file, const std::optional<Sums>& written,
                       const Sums& found) {
  if (!written || *written == found) return;
  file.refuse("its checksums are " + in_words(found) + " where it says " + in_words(*written),
              "copy the whole file again, or choose another with --gauge");
}

LinkData data_of(const BoundedFile& file) {
  for (const auto format : {milc_v5, scidac, ildg}) {
    if (const std::optional<LinkData> data = format(file)) return *data;
  }
  file.refuse("is no gauge field of MILC (version 5), SciDAC or ILDG");
}

}  // namespace

std::string in_words(const Sums& sums) {
  std::ostringstream text;
  text << std::hex << std::setfill('0') << std::setw(8) << sums.of_29 << ' ' << std::setw(8)
       << sums.of_31;
  return text.str();
}

Sums sums_called(const std::string& words) {
  std::istringstream text(words);
  Sums sums;
  text >> std::hex >> sums.of_29 >> sums.of_31;
  if (text.fail() || !(text >> std::ws).eof()) {
    throw std::invalid_argument("checksums are two hexadecimal numbers, not '" + words + "'");
  }
  return sums;
}

FileFacts facts_of(const std::string& path) {
  const GaugeFile file(path);
  const LinkData& data = file.data();
  return {.extents = {data.extents.begin(), data.extents.end()},
          .values = {{"format", std::string(data.format)},
                     {"precision", data.is_double ? "double" : "single"},
                     {"checksums", in_words(file.check())}}};
}

void refuse_extents(const BoundedFile& file, const Extents& extents) {
  const bool is_small = std::all_of(extents.begin(), extents.end(), [](std::uint32_t extent) {
    return extent >= 1 && extent <= most_extent;
  });
  if (!is_small || volume_of(extents) > most_sites) file.refuse("has a lattice that cannot be");
}

GaugeFile::GaugeFile(const std::string& path)
    : file_(std::make_shared<const BoundedFile>(path)), data_(data_of(*file_)) {}

void GaugeFile::refuse_other_extents(const Extents& extents) const {
  if (data_.extents == extents) return;
  file_->refuse("its lattice is " + in_words(data_.extents) + " where the case has " +
                in_words(extents));
}

Sums GaugeFile::check() const {
  Sums of_words;
  Sums of_sites;
  SiteReader reader(*file_, data_);
  std::uint64_t words = 0;
  for (std::uint64_t number = 0; number < volume_of(data_.extents); ++number) {
    reader.read(number);
    rotate_in(reader.crc(), number, of_sites);
    for (auto left = reader.bytes(); data_.of_words && !left.empty(); left = left.subspan(4)) {
      rotate_in(word_of(left.first<4>(), std::endian::big), words++, of_words);
    }
    for (std::size_t direction = 0; direction < links_of_site; ++direction) {
      (void)reader.link(site_of(number, data_.extents), direction);
    }
  }
  refuse_other_sums(*file_, data_.of_words, of_words);
  refuse_other_sums(*file_, data_.of_sites, of_sites);
  return of_sites;
}

Sums GaugeFile::share(const Extents& origin, const Extents& local) const {
  Sums sums;
  SiteReader reader(*file_, data_);
  for (std::uint64_t own = 0; own < volume_of(local); ++own) {
    Site site = site_of(own, local);
    for (std::size_t d = 0; d < site.size(); ++d) site[d] += origin[d];
    const std::uint64_t number = milc::number_of(site, data_.extents);
    reader.read(number);
    rotate_in(reader.crc(), number, sums);
  }
  return sums;
}

milc::Gauge GaugeFile::links() const {
  struct Last {
    std::shared_ptr<const BoundedFile> file;
    SiteReader reader;
    std::optional<std::uint64_t> number;
  };
  const auto last = std::make_shared<Last>(Last{file_, SiteReader(*file_, data_), std::nullopt});
  return [last, extents = data_.extents](const Site& site, std::size_t direction) {
    const std::uint64_t number = milc::number_of(site, extents);
    if (last->number != number) {
      last->number.reset();
      last->reader.read(number);
      last->number = number;
    }
    return last->reader.link(site, direction);
  };
}

}  // namespace weft::gauge_files

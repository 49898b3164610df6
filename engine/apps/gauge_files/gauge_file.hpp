// A gauge field in a file: MILC version 5, SciDAC or ILDG.
#pragma once

#include <memory>
#include <string>

#include "apps/gauge_files/formats.hpp"
#include "apps/milc/gauge.hpp"
#include "contract/values.hpp"

namespace weft::gauge_files {

/// Any site is read by its global coordinates, by itself: a rank reads its own sites and those
/// around them that its fat links need (two on along an axis, corners among them), and nothing of
/// the others' in between. So ranks need not exchange links, and no rank holds the whole field.
class GaugeFile {
 public:
  /// Opens it and reads what it says of itself. Throws std::runtime_error, a line that names the
  /// file, for what is none, another type, or cut short.
  explicit GaugeFile(const std::string& path);

  [[nodiscard]] const LinkData& data() const noexcept { return data_; }
  /// Throws std::runtime_error where its lattice is another one.
  void refuse_other_extents(const Extents& extents) const;

  /// Reads it whole, once: every link is in SU(3), and the checksums are those that it says. Gives
  /// SciDAC's checksums of the sites, whatever the format, with big-endian numbers: the same for
  /// the same links in single precision. Throws std::runtime_error.
  [[nodiscard]] Sums check() const;

  /// What these sites, of those extents from an origin on, have in the checksum; the XOR of all
  /// shares is the field's. Throws std::runtime_error.
  [[nodiscard]] Sums share(const Extents& origin, const Extents& local) const;

  /// Its links, without phases. They throw std::runtime_error for one that is not in SU(3), or that
  /// cannot be read. The site that was read last is kept: for one thread, site by site.
  [[nodiscard]] milc::Gauge links() const;

 private:
  std::shared_ptr<const BoundedFile> file_;
  LinkData data_;
};

/// What a gauge file is, all of it read and checked: its lattice, format, precision and checksums.
/// Throws std::runtime_error.
FileFacts facts_of(const std::string& path);

}  // namespace weft::gauge_files

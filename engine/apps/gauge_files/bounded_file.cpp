#include "apps/gauge_files/bounded_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "host/hosts.hpp"

namespace weft::gauge_files {

BoundedFile::BoundedFile(std::string path)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  const std::string fix = "choose a file with --gauge that every host has";
  if (file_ < 0) refuse(std::strerror(errno), fix);
  struct stat about {};
  const bool is_known = ::fstat(file_, &about) == 0;
  if (!is_known || !S_ISREG(about.st_mode)) {
    ::close(file_);
    refuse("is no file", fix);
  }
  bytes_ = static_cast<std::uint64_t>(about.st_size);
}

BoundedFile::~BoundedFile() {
  ::close(file_);
}

void BoundedFile::read(std::uint64_t at, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t got = ::pread(file_, to.data(), to.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(std::strerror(errno));
    if (got == 0) {
      refuse("ends at byte " + std::to_string(bytes_) + " where more is due",
             "copy the whole file again, or choose another with --gauge");
    }
    at += static_cast<std::uint64_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
}

std::string BoundedFile::text(std::uint64_t at, std::size_t bytes) const {
  std::string text(bytes, '\0');
  read(at, std::as_writable_bytes(std::span(text)));
  return text;
}

void BoundedFile::refuse(const std::string& why, const std::string& fix) const {
  throw std::runtime_error(path_ + " on " + host_name() + ": " + why + "; " + fix);
}

}  // namespace weft::gauge_files

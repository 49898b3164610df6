#include "host/pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "host/addresses.hpp"

namespace weft {

namespace {

constexpr std::size_t small_page_bytes = 4096;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;
constexpr std::uint64_t kibibyte = 1024;

// A mapping's first line: its addresses in hexadecimal, with a hyphen between them.
bool read_addresses(const std::string& line, std::uint64_t& start, std::uint64_t& end) {
  char hyphen = 0;
  std::istringstream words(line);
  words >> std::hex >> start >> hyphen >> end;
  return static_cast<bool>(words) && hyphen == '-';
}

std::size_t region_bytes(std::size_t bytes, Pages pages) {
  const bool is_short = pages != Pages::huge && bytes < huge_page_bytes;
  const std::size_t unit = is_short ? small_page_bytes : huge_page_bytes;
  return std::max(unit, (bytes + unit - 1) / unit * unit);
}

// Whether the kernel puts huge pages under memory that nobody asked them for.
bool gives_huge_unasked() {
  std::ifstream setting("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  std::getline(setting, line);
  return line.find("[always]") != std::string::npos;
}

[[noreturn]] void refuse(const std::string& what, std::size_t bytes) {
  const std::size_t pages = (bytes + huge_page_bytes - 1) / huge_page_bytes;
  throw std::runtime_error(what +
                           "; reserve them: sysctl vm.nr_hugepages=" + std::to_string(pages) +
                           " per rank and side, or let the kernel provide them: "
                           "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
}

}  // namespace

Pages pages_of(std::string_view name) {
  if (name.empty()) return Pages::usual;
  if (name == "small") return Pages::small;
  if (name == "huge") return Pages::huge;
  throw std::invalid_argument("pages must be small or huge, not " + std::string(name));
}

std::uint64_t huge_bytes_in(std::istream& smaps, std::uint64_t start, std::uint64_t end) {
  std::uint64_t found = 0;
  std::uint64_t inside = 0;
  std::string line;
  while (std::getline(smaps, line)) {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    // A field begins with a capital letter; most lines are fields of mappings that do not matter.
    const bool is_field = !line.empty() && line.front() >= 'A' && line.front() <= 'Z';
    if (is_field && inside == 0) continue;
    if (!is_field && read_addresses(line, first, last)) {
      const std::uint64_t from = std::max(start, first);
      const std::uint64_t upto = std::min(end, last);
      inside = from < upto ? upto - from : 0;
      continue;
    }
    std::string key;
    std::uint64_t kibibytes = 0;
    std::istringstream(line) >> key >> kibibytes;
    if (key == "KernelPageSize:" && kibibytes * kibibyte > small_page_bytes) found += inside;
    if (key == "AnonHugePages:" || key == "ShmemPmdMapped:") {
      found += std::min(inside, kibibytes * kibibyte);
    }
  }
  return found;
}

std::uint64_t huge_bytes_between(std::uint64_t start, std::uint64_t end) {
  if (end - start < huge_page_bytes) return 0;
  std::ifstream smaps("/proc/self/smaps");
  return huge_bytes_in(smaps, start, end);
}

Region::Region(std::size_t bytes, Pages pages, std::size_t most_bytes)
    : bytes_(region_bytes(bytes, pages)),
      most_bytes_(std::max(bytes_, region_bytes(most_bytes, pages))),
      may_be_huge_(pages != Pages::usual || gives_huge_unasked()) {
  if (pages != Pages::huge || !take_reserved()) take_on_demand(pages);
  if (pages == Pages::usual) return;
  const std::uint64_t huge = huge_bytes(bytes_);
  const bool wrong = pages == Pages::huge ? huge < bytes_ : pages == Pages::small && huge > 0;
  if (!wrong) return;
  retire_addresses(data_, bytes_);
  refuse("of " + std::to_string(bytes_) + " bytes " + std::to_string(huge) +
             " are on huge pages, where " + (pages == Pages::huge ? "all" : "none") + " should",
         bytes_);
}

Region::~Region() {
  retire_addresses(data_, bytes_);
}

std::uint64_t Region::huge_bytes(std::size_t first_bytes) const {
  // The kernel walks through all memory of the process for its list: longer than many a case.
  if (!may_be_huge_) return 0;
  const auto start = std::bit_cast<std::uint64_t>(data_);
  return huge_bytes_between(start, start + first_bytes);
}

bool Region::take_reserved() {
  std::byte* const start = new_addresses(bytes_, huge_page_bytes);
  void* memory = mmap(start, bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE | MAP_FIXED, -1, 0);
  if (memory == MAP_FAILED) {
    retire_addresses(start, bytes_);
    return false;
  }
  data_ = start;
  return true;
}

// With room at both ends that nothing may touch: no neighbour's pages are counted as its own.
void Region::take_on_demand(Pages pages) {
  data_ = new_addresses(most_bytes_ + 2 * huge_page_bytes, huge_page_bytes) + huge_page_bytes;
  if (mprotect(data_, bytes_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  // A kernel without huge pages knows neither word: what it gave is read back in any case.
  if (pages != Pages::usual) {
    madvise(data_, bytes_, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  }
  make_present(0);
}

bool Region::grow(std::size_t bytes) {
  const std::size_t wanted = region_bytes(bytes, Pages::usual);
  if (wanted <= bytes_) return true;
  if (wanted > most_bytes_) return false;
  if (mprotect(data_ + bytes_, wanted - bytes_, PROT_READ | PROT_WRITE) != 0) {
    throw std::bad_alloc();
  }
  const std::size_t before = std::exchange(bytes_, wanted);
  make_present(before);
  return true;
}

// All at once where the kernel can (5.14 and later), else by a fault for each page.
void Region::make_present(std::size_t from) {
  if (madvise(data_ + from, bytes_ - from, MADV_POPULATE_WRITE) == 0) return;
  for (std::size_t at = from; at < bytes_; at += small_page_bytes) data_[at] = std::byte{0};
}

void SideMemory::take(std::size_t bytes, Pages pages, bool is_kept) {
  if (!is_kept) {
    own_.reset();
    own_ = std::make_unique<Region>(bytes, pages);
    bytes_ = own_->bytes();
    return;
  }
  if (!kept_ || !kept_->grow(bytes)) {
    // Addresses to grow into cost nothing, but a process has 128 TiB of them, and there are
    // thousands of simulated ranks in one: what grows beyond is cleared anew, a few times at most.
    constexpr std::size_t least = std::size_t{64} << 20U;
    kept_.reset();
    kept_ = std::make_unique<Region>(bytes, pages, std::max(least, 16 * bytes));
  }
  bytes_ = region_bytes(bytes, pages);
}

void SideMemory::give_back() noexcept {
  own_.reset();
  bytes_ = 0;
}

void SideMemory::drop() noexcept {
  give_back();
  kept_.reset();
}

std::byte* SideMemory::data(std::size_t offset) const noexcept {
  if (empty()) return nullptr;
  return (own_ ? *own_ : *kept_).data() + offset;
}

std::uint64_t SideMemory::huge_bytes() const {
  if (empty()) return 0;
  return (own_ ? *own_ : *kept_).huge_bytes(bytes_);
}

void MessageMemory::give_back() noexcept {
  out.give_back();
  in.give_back();
  control.give_back();
}

void MessageMemory::drop() noexcept {
  out.drop();
  in.drop();
  control.drop();
}

}  // namespace weft

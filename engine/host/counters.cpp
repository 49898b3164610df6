#include "host/counters.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

namespace weft {

namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::string_view errors = "errors";
constexpr std::string_view drops = "drops";
constexpr std::string_view retransmissions = "retransmissions";
constexpr std::string_view duplicates = "duplicates";
constexpr std::string_view ecn_marks = "ecn_marks";
constexpr std::string_view link_flaps = "link_flaps";
constexpr std::string_view pauses = "pauses";
constexpr std::string_view waits = "waits";

struct Known {
  std::string_view name;
  std::string_view kind;
};

// Files of an interface. Others, such as rx_crc_errors, are parts of these.
constexpr std::array<Known, 5> of_interfaces{{
    {"statistics/rx_errors", errors},
    {"statistics/tx_errors", errors},
    {"statistics/rx_dropped", drops},
    {"statistics/tx_dropped", drops},
    {"carrier_down_count", link_flaps},
}};

// Of a port: the counters of InfiniBand, which RoCE has too.
constexpr std::array<Known, 12> of_ports{{
    {"counters/symbol_error", errors},
    {"counters/port_rcv_errors", errors},
    {"counters/port_rcv_remote_physical_errors", errors},
    {"counters/port_rcv_switch_relay_errors", errors},
    {"counters/local_link_integrity_errors", errors},
    {"counters/excessive_buffer_overrun_errors", errors},
    {"counters/port_rcv_constraint_errors", errors},
    {"counters/port_xmit_constraint_errors", errors},
    {"counters/port_xmit_discards", drops},
    {"counters/link_error_recovery", link_flaps},
    {"counters/link_downed", link_flaps},
    {"counters/port_xmit_wait", waits},
}};

// The names that mlx5, bnxt_re, irdma, efa and rxe have for the same things.
constexpr std::array<Known, 35> in_hardware{{
    {"rx_icrc_encapsulated", errors},
    {"req_cqe_error", errors},
    {"resp_cqe_error", errors},
    {"retry_exceeded_err", errors},
    {"retry_rnr_exceeded_err", errors},
    {"max_retry_exceeded", errors},
    {"send_err", errors},
    {"ip4InTruncatedPkts", errors},
    {"ip6InTruncatedPkts", errors},
    {"out_of_buffer", drops},
    {"rx_roce_discards", drops},
    {"tx_roce_discards", drops},
    {"rx_drops", drops},
    {"ip4InDiscards", drops},
    {"ip6InDiscards", drops},
    {"packet_seq_err", retransmissions},
    {"implied_nak_seq_err", retransmissions},
    {"local_ack_timeout_err", retransmissions},
    {"roce_adp_retrans", retransmissions},
    {"roce_adp_retrans_to", retransmissions},
    {"to_retransmits", retransmissions},
    {"seq_err_naks_rcvd", retransmissions},
    {"tcpRetransSegs", retransmissions},
    {"retrans_pkts", retransmissions},
    {"completer_retry_err", retransmissions},
    {"rcvd_seq_err", retransmissions},
    {"np_ecn_marked_roce_packets", ecn_marks},
    {"rx_ecn_marked_pkts", ecn_marks},
    {"RxECNMrkd", ecn_marks},
    {"rp_cnp_handled", ecn_marks},
    {"rx_cnp_pkts", ecn_marks},
    {"cnpHandled", ecn_marks},
    {"link_downed", link_flaps},
    {"rx_pause_frames", pauses},
    {"tx_pause_frames", pauses},
}};

// A row of /proc/net names its columns, and the next row has their values.
struct Column {
  std::string_view protocol;
  std::string_view row;
  std::string_view name;
  std::string_view kind;
};
constexpr std::array<Column, 6> in_snmp{{
    {"tcp", "Tcp:", "RetransSegs", retransmissions},
    {"tcp", "Tcp:", "InErrs", errors},
    {"udp", "Udp:", "InErrors", drops},
    {"udp", "Udp:", "SndbufErrors", drops},
    {"ip", "Ip:", "InDiscards", drops},
    {"ip", "Ip:", "OutDiscards", drops},
}};
constexpr std::array<Column, 2> in_netstat{{
    {"tcp", "TcpExt:", "TCPDSACKRecvSegs", duplicates},
    {"ip", "IpExt:", "InCEPkts", ecn_marks},
}};
constexpr std::array<Column, 1> in_snmp6{{{"ip", "Ip6InCEPkts", "Ip6InCEPkts", ecn_marks}}};

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() ? std::optional(value) : std::nullopt;
}

// The rest of the line that begins so for the nth time.
std::string_view rest_of_line(std::string_view text, std::string_view begin, int nth) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(begin)) continue;
    if (nth-- == 0) return line.substr(begin.size());
  }
  return {};
}

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
  text.remove_prefix(word.size());
  return word;
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<fs::path> folders_in(const fs::path& parent) {
  std::vector<fs::path> all;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(parent, none)) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

// The longest files that are read: one number, and rows of names and numbers.
constexpr std::size_t number_bytes = 64;
constexpr std::size_t table_bytes = 16'384;

// Where in a file the value of a counter is: a word of the nth line that begins so.
struct Place {
  std::string_view line;
  int nth = 0;
  int word = 0;
};

}  // namespace

/// A file that stays open, and the places of its counters.
class HostCounters::File {
 public:
  File(const fs::path& path, std::size_t most_bytes)
      : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)), text_(most_bytes) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File(File&&) = delete;
  File& operator=(File&&) = delete;
  ~File() {
    if (file_ >= 0) close(file_);
  }

  /// Empty if it cannot be read.
  [[nodiscard]] std::string_view text() {
    const ssize_t bytes = pread(file_, text_.data(), text_.size(), 0);
    return {text_.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0};
  }
  void add(std::size_t counter, Place place) { places_.emplace_back(counter, place); }
  /// Stores each value that it can read.
  void read(std::span<std::uint64_t> values) {
    const std::string_view all = text();
    for (const auto& [counter, place] : places_) {
      std::string_view rest = rest_of_line(all, place.line, place.nth);
      std::string_view word;
      for (int at = 0; at <= place.word; ++at) word = next_word(rest);
      if (const auto value = number_in(word)) values[counter] = *value;
    }
  }

 private:
  int file_;
  std::vector<char> text_;
  std::vector<std::pair<std::size_t, Place>> places_;
};

/// The counters of a device, before it is known how long a reading takes.
struct HostCounters::Found {
  std::vector<Counter> counters;
  std::vector<std::unique_ptr<File>> files;

  // Files that hold one number each.
  void add_numbers(const std::string& device, const fs::path& folder, std::span<const Known> known,
                   std::size_t first) {
    for (const Known& one : known) {
      auto file = std::make_unique<File>(folder / one.name, number_bytes);
      if (!number_in(file->text())) continue;
      file->add(first + counters.size(), {});
      counters.push_back({device, fs::path(one.name).filename(), one.kind});
      files.push_back(std::move(file));
    }
  }
  // A file of rows. Those of /proc/net/snmp6 have a name and its value.
  void add_columns(const fs::path& path, std::span<const Column> columns, std::size_t first) {
    auto file = std::make_unique<File>(path, table_bytes);
    const std::string text(file->text());
    bool has_any = false;
    for (const Column& one : columns) {
      Place place{one.row, one.row == one.name ? 0 : 1, 0};
      std::string_view names = rest_of_line(text, one.row, 0);
      if (place.nth > 0) {
        for (std::string_view word = next_word(names); word != one.name; word = next_word(names)) {
          if (word.empty()) break;
          ++place.word;
        }
      }
      std::string_view values = rest_of_line(text, one.row, place.nth);
      for (int at = 0; at < place.word; ++at) (void)next_word(values);
      if (!number_in(next_word(values))) continue;
      file->add(first + counters.size(), place);
      counters.push_back({std::string(one.protocol), std::string(one.name), one.kind});
      has_any = true;
    }
    if (has_any) files.push_back(std::move(file));
  }
};

HostCounters::HostCounters(const fs::path& root, std::chrono::nanoseconds time) : time_(time) {
  std::chrono::nanoseconds left = time / 2;
  Found of_host;
  of_host.add_columns(root / "proc/net/snmp", in_snmp, 0);
  of_host.add_columns(root / "proc/net/netstat", in_netstat, 0);
  of_host.add_columns(root / "proc/net/snmp6", in_snmp6, 0);
  keep(std::move(of_host), left);
  for (const fs::path& device : folders_in(root / "sys/class/infiniband")) {
    for (const fs::path& port : folders_in(device / "ports")) {
      Found found;
      const std::string name = device.filename().string() + "/" + port.filename().string();
      found.add_numbers(name, port, of_ports, counters_.size());
      found.add_numbers(name, port / "hw_counters", in_hardware, counters_.size());
      keep(std::move(found), left);
    }
    Found found;
    found.add_numbers(device.filename(), device / "hw_counters", in_hardware, counters_.size());
    keep(std::move(found), left);
  }
  for (const fs::path& interface : folders_in(root / "sys/class/net")) {
    const std::string state = first_line(interface / "operstate");
    if (interface.filename() == "lo" || (state != "up" && state != "unknown")) continue;
    Found found;
    found.add_numbers(interface.filename(), interface, of_interfaces, counters_.size());
    keep(std::move(found), left);
  }
}

HostCounters::~HostCounters() = default;

void HostCounters::keep(Found found, std::chrono::nanoseconds& left) {
  std::vector<std::uint64_t> values = read_;
  values.resize(counters_.size() + found.counters.size());
  // The fastest of several readings: another program may have had the core during one.
  constexpr int readings = 3;
  auto took = std::chrono::nanoseconds::max();
  for (int reading = 0; reading < readings; ++reading) {
    const auto start = SteadyClock::now();
    for (const auto& file : found.files) file->read(values);
    took = std::min<std::chrono::nanoseconds>(took, SteadyClock::now() - start);
  }
  if (took > left) return;
  left -= took;
  read_ = reported_ = std::move(values);
  std::move(found.counters.begin(), found.counters.end(), std::back_inserter(counters_));
  std::move(found.files.begin(), found.files.end(), std::back_inserter(files_));
}

std::vector<CounterRise> HostCounters::rises(std::size_t most) {
  const auto start = SteadyClock::now();
  for (std::size_t read = 0; read < files_.size() && SteadyClock::now() - start < time_; ++read) {
    files_[next_file_]->read(read_);
    next_file_ = (next_file_ + 1) % files_.size();
  }
  std::vector<CounterRise> all;
  for (std::size_t counter = 0; counter < counters_.size(); ++counter) {
    // Someone set it to zero.
    reported_[counter] = std::min(reported_[counter], read_[counter]);
    const std::uint64_t rise = std::min<std::uint64_t>(read_[counter] - reported_[counter],
                                                       std::numeric_limits<std::uint32_t>::max());
    if (rise == 0) continue;
    all.push_back({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(rise)});
  }
  std::stable_sort(all.begin(), all.end(), [](const CounterRise& one, const CounterRise& other) {
    return one.rise > other.rise;
  });
  all.resize(std::min(all.size(), most));
  for (const CounterRise& one : all) reported_[one.counter] += one.rise;
  return all;
}

}  // namespace weft

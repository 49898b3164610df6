// The errors and other events that this host's interfaces, RDMA ports and protocols count.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// One counter of the kernel: its device, its name and the kind of event that it counts.
struct Counter {
  /// An interface, an RDMA device with its port (`mlx5_0/1`), or a protocol of the host (`tcp`).
  std::string device;
  std::string name;
  std::string_view kind;
};

/// How far a counter rose: its place in the list, and the number of events.
struct CounterRise {
  std::uint32_t counter = 0;
  std::uint32_t rise = 0;
};

class HostCounters {
 public:
  static constexpr std::chrono::nanoseconds most_time = std::chrono::milliseconds(1);

  /// Opens the counters below `root`. A device is omitted if reading it too would take longer than
  /// half of `time`, so that a reading of all others is well below `time`.
  explicit HostCounters(const std::filesystem::path& root = "/",
                        std::chrono::nanoseconds time = most_time);
  HostCounters(const HostCounters&) = delete;
  HostCounters& operator=(const HostCounters&) = delete;
  HostCounters(HostCounters&&) = delete;
  HostCounters& operator=(HostCounters&&) = delete;
  ~HostCounters();

  [[nodiscard]] const std::vector<Counter>& counters() const { return counters_; }
  /// The counters that rose since the last call, or since the start: at most `most` of them, the
  /// largest rises. The next call returns the others. It stops after `time`, and the next call
  /// begins with the counters that it did not reach.
  std::vector<CounterRise> rises(std::size_t most);

 private:
  class File;
  struct Found;

  void keep(Found found, std::chrono::nanoseconds& left);

  std::chrono::nanoseconds time_;
  std::vector<Counter> counters_;
  /// By counter: the value that has been reported, and the value that was read last.
  std::vector<std::uint64_t> reported_;
  std::vector<std::uint64_t> read_;
  std::vector<std::unique_ptr<File>> files_;
  std::size_t next_file_ = 0;
};

}  // namespace weft

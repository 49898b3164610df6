// How ranks find each other: rank, size, exchange, barrier. Never measured traffic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/// Control plane only; never called between two clock reads.
class Bootstrap {
 public:
  Bootstrap() = default;
  Bootstrap(const Bootstrap&) = delete;
  Bootstrap& operator=(const Bootstrap&) = delete;
  Bootstrap(Bootstrap&&) = delete;
  Bootstrap& operator=(Bootstrap&&) = delete;
  virtual ~Bootstrap() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// The text of every rank, in rank order, on every rank.
  virtual std::vector<std::string> exchange(const std::string& mine) = 0;
  /// Rank 0's text on every rank. The others sleep while they wait: rank 0 may be idle for long.
  virtual std::string broadcast(const std::string& mine) = 0;
  virtual void barrier() = 0;
  /// A barrier at which those sleep that have nothing else to do: they leave their cores to the
  /// ranks that are measured.
  virtual void barrier_asleep(bool sleeps) = 0;
  /// The messaging library that starts the ranks, with its version.
  [[nodiscard]] virtual std::string library() const = 0;
  /// End every rank of the job now.
  [[noreturn]] virtual void abort(int status) = 0;
};

}  // namespace weft

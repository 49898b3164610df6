// An MPI whose answers are scripted: calls of its own stand in for the library's, which is never
// started.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "contract/transport.hpp"

namespace weft {

/// What was called, in order, and how the requests of transfers end: each at the second test.
struct Script {
  std::vector<std::string> calls;
  std::vector<int> tests;
  /// Transfers that have not ended, at each one begun.
  std::vector<std::size_t> in_flight;
  std::size_t open = 0;
  Ticks ticks = 0;
  /// Persistent requests that are there.
  std::size_t persistent = 0;
  /// Whether one of several requests fails.
  bool fails = false;
  /// What the link gave the library: its handler of errors, and itself.
  MPI_Comm_errhandler_function* handler = nullptr;
  void* link = nullptr;
};
Script& script();

/// Whom the link exchanges messages with.
inline constexpr std::array the_other{1};

class Alone final : public Bootstrap {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 2; }
  std::vector<std::string> exchange(const std::string& mine) override { return {mine, mine}; }
  std::string first_of(const std::string& mine) override { return mine; }
  std::string first_of_asleep(const std::string& mine, bool /*sleeps*/) override { return mine; }
  std::vector<std::string> swap(std::span<const int> /*ranks*/,
                                const std::vector<std::string>& mine) override {
    return mine;
  }
  std::vector<std::byte> gather(std::span<const std::byte> mine) override {
    return {mine.begin(), mine.end()};
  }
  std::vector<std::byte> gather(std::span<const std::byte> mine,
                                std::span<const std::uint64_t> /*bytes*/) override {
    return gather(mine);
  }
  std::string broadcast(const std::string& mine) override { return mine; }
  void barrier() override {}
  [[nodiscard]] std::string library() const override { return "scripted"; }
  [[noreturn]] void abort(int status) override { std::_Exit(status); }
};

}  // namespace weft

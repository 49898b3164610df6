// A rank without others: nothing that it sends goes anywhere.
#pragma once

#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"

namespace weft {

class Alone : public Bootstrap {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 2; }
  std::vector<std::string> exchange(const std::string& mine) override { return {mine, mine}; }
  std::string first_of(const std::string& mine) override { return mine; }
  std::string first_of_asleep(const std::string& mine, bool /*sleeps*/, int /*caller*/) override {
    return mine;
  }
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

// A link that writes down what the engine asks of it outside the loops, and answers as a test says.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "contract/task.hpp"
#include "run/link_control.hpp"

namespace weft::fake {

class NotedLink final : public LinkControl {
 public:
  void* link() override { return this; }
  [[nodiscard]] const Fault* fault() const override { return broken; }
  [[nodiscard]] std::string refusal(std::size_t /*bytes*/, std::size_t /*depth*/) const override {
    if (refusals.empty()) return "";
    std::string first = refusals.front();
    refusals.erase(refusals.begin());
    return first;
  }
  [[nodiscard]] std::string refuse_peers(std::size_t /*depth*/,
                                         std::span<const int> /*ranks*/) const override {
    return "";
  }
  [[nodiscard]] std::string memory_polling_hazard() const override { return ""; }
  [[nodiscard]] Carried carry(bool /*whole*/) override { return {}; }
  void reserve(std::size_t depth, std::span<const int> ranks) override {
    say("reserve " + std::to_string(depth), ranks);
  }
  [[nodiscard]] bool adopts_at_once() const override { return at_once; }
  Buffer adopt(const Buffer& memory) override {
    if (adopted.size() == most_adopted) throw std::runtime_error("no more");
    adopted.push_back(memory);
    return {memory.data, memory.bytes, 5};
  }
  void disown(const Buffer& buffer) override { disowned.push_back(buffer); }
  [[nodiscard]] bool opens_own_memory() const override { return false; }
  Opened expose(const Buffer& memory) override {
    say("expose " + std::to_string(memory.bytes));
    return {{memory.data, memory.bytes + 1, 6}, "mine"};
  }
  void withdraw(const Buffer& local) override {
    say("withdraw " + std::to_string(local.bytes) + " of " + std::to_string(local.key));
  }
  RemoteBuffer reach(int rank, std::size_t bytes, const std::string& name) override {
    say("reach " + std::to_string(rank) + " of " + std::to_string(bytes) + " called " + name);
    if (out_of_reach.contains(rank)) throw std::runtime_error("out of reach");
    return {static_cast<std::uint64_t>(rank), bytes, 7};
  }
  void leave(const RemoteBuffer& remote) override {
    say("leave " + std::to_string(remote.address));
  }
  bool swap_control_messages(std::span<const int> ranks, std::span<const Buffer> messages,
                             bool sleeps) override {
    say(sleeps ? "swap asleep" : "swap", ranks);
    if (once_swapped) once_swapped(messages);
    return broken == nullptr;
  }

  std::vector<std::string> said;
  std::vector<Buffer> adopted;
  std::vector<Buffer> disowned;
  const Fault* broken = nullptr;
  bool at_once = false;
  std::size_t most_adopted = 1'000;
  std::set<int> out_of_reach;
  /// One after another.
  mutable std::vector<std::string> refusals;
  std::function<void(std::span<const Buffer> messages)> once_swapped;
  /// What a loop over it does, where a test has one.
  std::function<bool(Task& task)> loop;

 private:
  void say(std::string what, std::span<const int> ranks = {}) {
    for (const int rank : ranks) what += " " + std::to_string(rank);
    said.push_back(std::move(what));
  }
};

}  // namespace weft::fake

// Ranks that are threads of one process, and how they meet.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bootstrap/bootstrap.hpp"

namespace weft::fake {

/// Where the threads meet: what each says is for all, or for one of them.
class Meeting {
 public:
  explicit Meeting(int ranks) : size_(ranks), texts_(static_cast<std::size_t>(ranks)) {}
  [[nodiscard]] int size() const { return size_; }

  /// The last to come calls it with what all said, before any goes on.
  std::function<void(const std::vector<std::string>& texts)> once_all_came;

  std::vector<std::string> exchange(int rank, const std::string& mine) {
    std::unique_lock hold(lock_);
    texts_[static_cast<std::size_t>(rank)] = mine;
    const int generation = generation_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      last_ = texts_;
      if (once_all_came) once_all_came(last_);
      ++generation_;
      changed_.notify_all();
    }
    changed_.wait(hold, [&] { return generation_ != generation || abandoned_; });
    if (generation_ == generation) throw std::runtime_error("a rank is gone");
    return last_;
  }
  void send(int from, int to, std::span<const std::byte> message) {
    const std::scoped_lock hold(lock_);
    letters_[{from, to}].emplace_back(message.begin(), message.end());
    changed_.notify_all();
  }
  std::vector<std::byte> receive(int from, int to) {
    std::unique_lock hold(lock_);
    std::deque<std::vector<std::byte>>& letters = letters_[{from, to}];
    changed_.wait(hold, [&] { return !letters.empty() || abandoned_; });
    if (letters.empty()) throw std::runtime_error("a rank is gone");
    std::vector<std::byte> first = std::move(letters.front());
    letters.pop_front();
    return first;
  }

  /// What was sent to a rank that it has not taken yet.
  [[nodiscard]] std::size_t bytes_for(int rank) {
    const std::scoped_lock hold(lock_);
    std::size_t bytes = 0;
    for (const auto& [route, letters] : letters_) {
      if (route.second != rank) continue;
      for (const std::vector<std::byte>& letter : letters) bytes += letter.size();
    }
    return bytes;
  }

  /// A rank whose link broke will not come any more: what an abort does to a real job.
  void abandon() {
    const std::scoped_lock hold(lock_);
    abandoned_ = true;
    changed_.notify_all();
  }

 private:
  int size_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<std::string> texts_;
  std::vector<std::string> last_;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> letters_;
  int arrived_ = 0;
  int generation_ = 0;
  bool abandoned_ = false;
};

class ThreadBootstrap : public Bootstrap {
 public:
  ThreadBootstrap(Meeting& meeting, int rank) : meeting_(&meeting), rank_(rank) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return meeting_->size(); }
  std::vector<std::string> exchange(const std::string& mine) override {
    return unless_given_up(meet(mine));
  }
  std::vector<std::byte> gather(std::span<const std::byte> mine) override {
    std::string text(mine.size(), '\0');
    std::memcpy(text.data(), mine.data(), mine.size());
    std::vector<std::byte> all;
    for (const std::string& one : meet(text)) {
      const auto bytes = std::as_bytes(std::span(one));
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return rank_ == 0 ? all : std::vector<std::byte>{};
  }
  void send(int rank, std::span<const std::byte> message) override {
    meeting_->send(rank_, rank, message);
  }
  std::size_t receive(int rank, std::span<std::byte> room) override {
    const std::vector<std::byte> message = meeting_->receive(rank, rank_);
    if (message.size() > room.size()) throw std::runtime_error("a message beyond its room");
    std::copy(message.begin(), message.end(), room.begin());
    return message.size();
  }
  std::string broadcast(const std::string& mine) override { return meet(mine).front(); }
  void barrier() override { (void)exchange(""); }
  void barrier_asleep(bool /*sleeps*/) override { (void)exchange(""); }
  [[nodiscard]] std::string library() const override { return "threads"; }
  [[noreturn]] void abort(int status) override { std::_Exit(status); }

 private:
  /// What a rank does before it waits for the others.
  virtual void before_meeting() {}
  std::vector<std::string> meet(const std::string& mine) {
    before_meeting();
    return meeting_->exchange(rank_, mine);
  }

  Meeting* meeting_;
  int rank_;
};

}  // namespace weft::fake

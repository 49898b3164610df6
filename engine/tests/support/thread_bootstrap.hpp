// Ranks that are threads of one process, and how they meet.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
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

  using Texts = std::shared_ptr<const std::vector<std::string>>;

  /// What all said, one copy for all of them.
  Texts exchange(int rank, std::string mine) {
    std::unique_lock hold(lock_);
    texts_[static_cast<std::size_t>(rank)] = std::move(mine);
    const int generation = generation_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      auto all = std::make_shared<std::vector<std::string>>(static_cast<std::size_t>(size_));
      all->swap(texts_);
      last_ = std::move(all);
      if (once_all_came) once_all_came(*last_);
      ++generation_;
      changed_.notify_all();
    }
    changed_.wait(hold, [&] { return generation_ != generation || abandoned_; });
    if (generation_ == generation) throw std::runtime_error("a rank is gone");
    return last_;
  }

  /// Hears what a rank leaves for another, before that one can take it.
  std::function<void(int from, const std::string& text)> once_left;

  /// How often all have met.
  [[nodiscard]] int times() const { return generation_; }

  /// What one rank leaves for another, until that one takes it.
  void leave(int from, int to, std::string text) {
    const std::scoped_lock hold(lock_);
    if (once_left) once_left(from, text);
    left_[{from, to}].push_back(std::move(text));
    changed_.notify_all();
  }
  std::string take(int from, int to) {
    std::unique_lock hold(lock_);
    std::deque<std::string>& texts = left_[{from, to}];
    changed_.wait(hold, [&] { return !texts.empty() || abandoned_; });
    if (texts.empty()) throw std::runtime_error("a rank is gone");
    std::string text = std::move(texts.front());
    texts.pop_front();
    return text;
  }

  /// The most that rank 0 got by gathering at a time.
  void gathered(std::size_t bytes) { most_gathered_ = std::max(most_gathered_, bytes); }
  [[nodiscard]] std::size_t most_gathered() const { return most_gathered_; }

  /// How often a rank sent rank 0 more or less than it waited for: a library may not say so.
  void came_undue() { ++undue_; }
  [[nodiscard]] int undue() const { return undue_; }

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
  std::map<std::pair<int, int>, std::deque<std::string>> left_;
  Texts last_;
  std::size_t most_gathered_ = 0;
  int undue_ = 0;
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
    return unless_given_up(*meet(mine));
  }
  std::string first_of(const std::string& mine) override { return first_text(*meet(mine)); }
  std::string first_of_asleep(const std::string& mine, bool /*sleeps*/, int /*caller*/) override {
    return first_of(mine);
  }
  std::vector<std::string> swap(std::span<const int> ranks,
                                const std::vector<std::string>& mine) override {
    std::vector<std::string> theirs;
    for (std::size_t at = 0; at < ranks.size(); ++at) meeting_->leave(rank_, ranks[at], mine[at]);
    for (const int rank : ranks) theirs.push_back(meeting_->take(rank, rank_));
    return theirs;
  }
  std::vector<std::byte> gather(std::span<const std::byte> mine) override {
    return gather(mine, {});
  }
  std::vector<std::byte> gather(std::span<const std::byte> mine,
                                std::span<const std::uint64_t> due) override {
    std::string text(mine.size(), '\0');
    if (!mine.empty()) std::memcpy(text.data(), mine.data(), mine.size());
    const Meeting::Texts all = meet(std::move(text));
    if (rank_ > 0) return {};
    std::vector<std::byte> bytes;
    for (std::size_t rank = 0; rank < all->size(); ++rank) {
      const auto own = std::as_bytes(std::span(all->at(rank)));
      if (!due.empty() && due[rank] != own.size()) meeting_->came_undue();
      bytes.insert(bytes.end(), own.begin(), own.end());
    }
    meeting_->gathered(bytes.size());
    return bytes;
  }
  std::string broadcast(const std::string& mine) override { return meet(mine)->front(); }
  void barrier() override { (void)exchange(""); }
  [[nodiscard]] std::string library() const override { return "threads"; }
  [[noreturn]] void abort(int status) override { std::_Exit(status); }

 private:
  /// What a rank does before it waits for the others.
  virtual void before_meeting() {}
  Meeting::Texts meet(std::string mine) {
    before_meeting();
    return meeting_->exchange(rank_, std::move(mine));
  }

  Meeting* meeting_;
  int rank_;
};

}  // namespace weft::fake

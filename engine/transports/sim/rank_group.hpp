// The ranks of a simulation meet in the memory that they share: that takes no virtual time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <simgrid/s4u/Barrier.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "contract/rank_hosts.hpp"
#include "host/deadline.hpp"
#include "transports/sim/crossings.hpp"

namespace weft {

/// What all ranks of a simulation share. One at a time touches it: they are one thread.
class RankGroup {
 public:
  RankGroup(RankHosts hosts, const Crossings& crossings);

  [[nodiscard]] int size() const { return static_cast<int>(texts_.size()); }
  [[nodiscard]] const Crossings& crossings() const { return *crossings_; }
  /// The platform's hosts.
  [[nodiscard]] std::shared_ptr<const RankHosts> hosts() const { return hosts_; }
  void meet() { barrier_->wait(); }
  /// The text of each rank; all meet before and after it is read.
  [[nodiscard]] std::string& text_of(int rank) { return texts_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }
  /// The texts as they are, one copy for all ranks that ask before they are forgotten: a copy each
  /// would take memory by the ranks' number squared.
  [[nodiscard]] std::shared_ptr<const std::vector<std::string>> texts_to_keep();
  /// Of those that have them nothing is taken.
  void forget_texts() { kept_.reset(); }
  /// All are one process, which has one alarm: the first rank that begins a case sets it, and the
  /// last that ends the case takes it off.
  void begin_case(unsigned deadline_s);
  void end_case();

 private:
  std::shared_ptr<const RankHosts> hosts_;
  std::vector<std::string> texts_;
  std::shared_ptr<const std::vector<std::string>> kept_;
  const Crossings* crossings_;
  simgrid::s4u::BarrierPtr barrier_;
  int ranks_in_case_ = 0;
  std::optional<Deadline> deadline_;
};

/// The time of a case on one of the ranks.
class SharedDeadline {
 public:
  SharedDeadline(RankGroup& group, unsigned deadline_s) : group_(&group) {
    group_->begin_case(deadline_s);
  }
  SharedDeadline(const SharedDeadline&) = delete;
  SharedDeadline& operator=(const SharedDeadline&) = delete;
  SharedDeadline(SharedDeadline&&) = delete;
  SharedDeadline& operator=(SharedDeadline&&) = delete;
  ~SharedDeadline() { group_->end_case(); }

 private:
  RankGroup* group_;
};

class SimBootstrap final : public Bootstrap {
 public:
  SimBootstrap(RankGroup& group, int rank) : group_(&group), rank_(rank) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return group_->size(); }
  std::vector<std::string> exchange(const std::string& mine) override;
  std::string first_of(const std::string& mine) override;
  std::string first_of_asleep(const std::string& mine, bool /*sleeps*/, int /*caller*/) override {
    return first_of(mine);
  }
  /// Throws std::logic_error: a model connects nobody.
  std::vector<std::string> swap(std::span<const int> ranks,
                                const std::vector<std::string>& mine) override;
  std::vector<std::byte> gather(std::span<const std::byte> mine) override;
  std::vector<std::byte> gather(std::span<const std::byte> mine,
                                std::span<const std::uint64_t> /*bytes*/) override {
    return gather(mine);
  }
  std::string broadcast(const std::string& mine) override;
  void barrier() override { group_->meet(); }
  [[nodiscard]] std::string library() const override;
  [[noreturn]] void abort(int status) override;
  [[nodiscard]] RankGroup& group() const { return *group_; }

 private:
  std::shared_ptr<const std::vector<std::string>> exchange_to_keep(
      const std::string& mine) override;

  RankGroup* group_;
  int rank_;
};

}  // namespace weft

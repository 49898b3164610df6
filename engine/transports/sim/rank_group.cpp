#include "transports/sim/rank_group.hpp"

#include <simgrid/version.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace weft {

RankGroup::RankGroup(RankHosts hosts, const Crossings& crossings)
    : hosts_(std::make_shared<const RankHosts>(std::move(hosts))),
      texts_(hosts_->of_rank.size()),
      crossings_(&crossings),
      barrier_(simgrid::s4u::Barrier::create(static_cast<unsigned>(texts_.size()))) {}

void RankGroup::begin_case(unsigned deadline_s) {
  if (ranks_in_case_++ == 0) deadline_.emplace(deadline_s);
}

void RankGroup::end_case() {
  if (--ranks_in_case_ == 0) deadline_.reset();
}

std::shared_ptr<const std::vector<std::string>> RankGroup::texts_to_keep() {
  if (kept_ == nullptr) kept_ = std::make_shared<const std::vector<std::string>>(texts_);
  return kept_;
}

std::vector<std::string> SimBootstrap::exchange(const std::string& mine) {
  group_->text_of(rank_) = mine;
  group_->meet();
  std::vector<std::string> all = group_->texts();
  group_->meet();
  return unless_given_up(std::move(all));
}

std::shared_ptr<const std::vector<std::string>> SimBootstrap::exchange_to_keep(
    const std::string& mine) {
  group_->text_of(rank_) = mine;
  group_->meet();
  auto all = group_->texts_to_keep();
  group_->meet();
  group_->forget_texts();
  for (const std::string& text : *all) unless_given_up(text);
  return all;
}

std::string SimBootstrap::first_of(const std::string& mine) {
  group_->text_of(rank_) = mine;
  group_->meet();
  std::string first;
  try {
    first = first_text(group_->texts());
  } catch (const GaveUp&) {
    group_->meet();
    throw;
  }
  group_->meet();
  return first;
}

std::vector<std::string> SimBootstrap::swap(std::span<const int> /*ranks*/,
                                            const std::vector<std::string>& /*mine*/) {
  throw std::logic_error("simulated ranks are connected from the start");
}

std::vector<std::byte> SimBootstrap::gather(std::span<const std::byte> mine) {
  std::string& own = group_->text_of(rank_);
  own.resize(mine.size());
  std::memcpy(own.data(), mine.data(), mine.size());
  group_->meet();
  std::vector<std::byte> all;
  if (rank_ == 0) {
    for (const std::string& text : group_->texts()) {
      const auto bytes = std::as_bytes(std::span(text));
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
  }
  group_->meet();
  return all;
}

std::string SimBootstrap::broadcast(const std::string& mine) {
  if (rank_ == 0) group_->text_of(0) = mine;
  group_->meet();
  std::string text = group_->text_of(0);
  group_->meet();
  return text;
}

std::string SimBootstrap::library() const {
  return "SMPI of SimGrid " + std::to_string(SIMGRID_VERSION_MAJOR) + "." +
         std::to_string(SIMGRID_VERSION_MINOR);
}

void SimBootstrap::abort(int status) {
  std::_Exit(status);
}

}  // namespace weft

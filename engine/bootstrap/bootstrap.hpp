// How ranks find each other: rank, size, exchange, barrier. Never measured traffic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
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
  /// The text of every rank, in rank order, on every rank. Throws GaveUp where a rank gave up.
  virtual std::vector<std::string> exchange(const std::string& mine) = 0;
  /// The first rank's text that is not empty, on every rank; empty where all are. Throws
  /// NotConnected where any rank lacks a peer, or else GaveUp where any gave up.
  virtual std::string first_of(const std::string& mine) = 0;
  /// The same, where those sleep meanwhile that have nothing else to do: they leave their cores to
  /// the ranks that are measured. They are called when `caller` comes, which is a rank that does
  /// not sleep, the same on every rank; rank 0 where all do.
  virtual std::string first_of_asleep(const std::string& mine, bool sleeps, int caller) = 0;
  /// Each of these ranks gets the text at its place in `mine`, and gives this rank one: they name
  /// each other, once, and nobody else comes. Throws CannotConnect where one does not come in time.
  virtual std::vector<std::string> swap(std::span<const int> ranks,
                                        const std::vector<std::string>& mine) = 0;
  /// As many bytes of every rank, in rank order, on rank 0; nothing on the others, which sleep
  /// until theirs are taken, or go on where the library takes them at once.
  virtual std::vector<std::byte> gather(std::span<const std::byte> mine) = 0;
  /// The bytes of every rank, one rank's behind the other's, on rank 0; nothing on the others. Of
  /// each rank there are as many as `bytes` says on rank 0, which nobody else reads. Ranks sleep
  /// until theirs are taken. Throws std::length_error where MPI cannot count all of them.
  virtual std::vector<std::byte> gather(std::span<const std::byte> mine,
                                        std::span<const std::uint64_t> bytes) = 0;
  /// Rank 0's text on every rank. The others sleep while they wait: rank 0 may be idle for long.
  virtual std::string broadcast(const std::string& mine) = 0;
  virtual void barrier() = 0;
  /// The messaging library that starts the ranks, with its version.
  [[nodiscard]] virtual std::string library() const = 0;
  /// End every rank of the job now.
  [[noreturn]] virtual void abort(int status) = 0;

  /// A barrier at which those sleep that have nothing else to do, until rank 0 comes.
  void barrier_asleep(bool sleeps) { (void)first_of_asleep("", sleeps, 0); }

  /// "rank 3 on n2, rank 4 on n2": ranks for a message, with their hosts where these are known; of
  /// many the first.
  [[nodiscard]] std::string names_of(std::span<const int> ranks) const {
    constexpr std::size_t most_named = 3;
    std::string names;
    for (const int rank : ranks.first(std::min(ranks.size(), most_named))) {
      names += (names.empty() ? "rank " : ", rank ") + std::to_string(rank);
      if (hosts_ != nullptr) names += " on " + hosts_->at(static_cast<std::size_t>(rank));
    }
    if (ranks.size() <= most_named) return names;
    return names + " and " + std::to_string(ranks.size() - most_named) + " more";
  }

  /// The host of each rank, by rank; this one's is `mine`. Exchanged at the first call, which is
  /// collective, and kept.
  const std::vector<std::string>& hosts(const std::string& mine) {
    if (hosts_ == nullptr) hosts_ = exchange_to_keep(mine);
    return *hosts_;
  }

 private:
  /// What `exchange` gives, to be kept: ranks of one process may keep the same.
  virtual std::shared_ptr<const std::vector<std::string>> exchange_to_keep(
      const std::string& mine) {
    return std::make_shared<const std::vector<std::string>>(exchange(mine));
  }

  std::shared_ptr<const std::vector<std::string>> hosts_;
};

/// One rank could not do what all were doing, and every rank knows why.
class GaveUp : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// That rank could not connect with one that it needs: no later case is measured in this launch.
class NotConnected final : public GaveUp {
 public:
  using GaveUp::GaveUp;
};

/// This rank cannot connect with one that it needs.
class CannotConnect final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a rank that gives up puts before its reason into the exchange that all come to next: no
/// address and no key begins so.
inline constexpr std::string_view gives_up = "\x18 this rank gives up: ";
inline constexpr std::string_view lacks_a_peer = "\x18 this rank lacks a peer: ";

/// The same text, unless it is of a rank that gave up: throws GaveUp then, and so on every rank.
inline const std::string& unless_given_up(const std::string& text) {
  if (text.starts_with(lacks_a_peer)) throw NotConnected(text.substr(lacks_a_peer.size()));
  if (text.starts_with(gives_up)) throw GaveUp(text.substr(gives_up.size()));
  return text;
}
inline std::vector<std::string> unless_given_up(std::vector<std::string> all) {
  for (const std::string& text : all) unless_given_up(text);
  return all;
}
/// Where a rank's text stands among those of all: what ends the launch before what ends a case, and
/// that before a refusal, which may be of one of several things that are done at once.
inline constexpr int kinds_of_text = 3;
inline int place_of(const std::string& text, int rank, int ranks) {
  if (text.empty()) return kinds_of_text * ranks;
  if (text.starts_with(lacks_a_peer)) return rank;
  return (text.starts_with(gives_up) ? 1 : 2) * ranks + rank;
}
/// The text that counts, where those of all ranks are at hand: throws as `first_of` does.
inline std::string first_text(const std::vector<std::string>& all) {
  const auto ranks = static_cast<int>(all.size());
  int first = kinds_of_text * ranks;
  for (int rank = 0; rank < ranks; ++rank) {
    first = std::min(first, place_of(all[static_cast<std::size_t>(rank)], rank, ranks));
  }
  if (first == kinds_of_text * ranks) return "";
  return unless_given_up(all[static_cast<std::size_t>(first % ranks)]);
}

/// Do `act` on this rank, and the text for the others: why it cannot go on, as `act` says or
/// throws; nothing where it can.
template <class Act>
std::string text_of(Bootstrap& boot, const Act& act) {
  std::string mine;
  const auto give_up = [&](std::string_view how, const std::string& reason) {
    mine = std::string(how) + "rank " + std::to_string(boot.rank()) + ": " + reason;
  };
  try {
    mine = act();
  } catch (const GaveUp&) {
    throw;
  } catch (const CannotConnect& error) {
    give_up(lacks_a_peer, error.what());
  } catch (const std::bad_alloc&) {
    give_up(gives_up, "there was no memory for this case; choose smaller sizes or fewer buffers");
  } catch (const std::exception& error) {
    give_up(gives_up, error.what());
  }
  return mine;
}
/// Do on all ranks what may throw on one alone, exchanges among it: where one throws, all do.
/// `act` says why its rank cannot go on, or nothing; a refusal of any rank is every rank's. It may
/// be several steps, of which none waits for what other ranks agree to in the one before: then one
/// exchange of all ranks is enough for them.
template <class Act>
std::string agree(Bootstrap& boot, const Act& act) {
  return boot.first_of(text_of(boot, act));
}
/// The same, where those sleep that have nothing else to do until all are there: as
/// `first_of_asleep` has it.
template <class Act>
std::string agree_asleep(Bootstrap& boot, bool sleeps, int caller, const Act& act) {
  return boot.first_of_asleep(text_of(boot, act), sleeps, caller);
}

/// The same for what no rank refuses.
template <class Act>
void together(Bootstrap& boot, const Act& act) {
  (void)agree(boot, [&] {
    act();
    return std::string();
  });
}

/// Where each of so many texts begins when they follow each other, as MPI counts. Throws
/// std::length_error where MPI cannot count as far: on all ranks alike, for all have the lengths.
inline std::vector<int> starts_of(const std::vector<std::uint64_t>& lengths) {
  constexpr std::uint64_t most = std::numeric_limits<int>::max();
  std::vector<int> starts;
  starts.reserve(lengths.size() + 1);
  std::uint64_t start = 0;
  for (const std::uint64_t length : lengths) {
    starts.push_back(static_cast<int>(start));
    if (length > most - start) {
      throw std::length_error("the ranks report over 2 GiB; choose fewer samples or ranks");
    }
    start += length;
  }
  starts.push_back(static_cast<int>(start));
  return starts;
}

}  // namespace weft

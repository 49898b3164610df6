// A launch of three ranks in which memory, or peers, can be scarce.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <map>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/support/fake_cases.hpp"
#include "tests/support/link_around.hpp"

namespace weft::fake {

/// What its ranks may allocate: the buffers of all of them, and the most there were at once.
struct Store {
  std::atomic<std::size_t> bytes{0};
  std::atomic<std::size_t> most_bytes{0};
  /// Allocations left to rank 1, exposed memory among them.
  std::atomic<int> left{1'000'000};
  /// Opened memory of others that ranks can reach.
  std::atomic<int> reached{0};
  /// How often rank 1 still says that there is no room for messages of so many bytes.
  std::atomic<int> refusals{0};
  std::size_t refused_bytes = 0;
  /// Whether rank 1 finds the peers that it needs.
  bool is_reached = true;
  /// Or has no memory for connections to them.
  bool has_room_for_peers = true;
  /// Peers that a rank's device has room for at once.
  std::size_t most_peers = 1'000;
  bool adopts_at_once = false;
  /// Messages of the control plane or the loop that lie in memory which no link was given.
  std::atomic<int> unknown{0};
  /// Whom each rank was to be connected with, in the last case.
  std::array<std::vector<int>, 3> needed;
  /// Where rank 0's buffers were, case after case.
  std::vector<const std::byte*> adopted;

  void take(std::size_t taken) {
    const std::size_t now = bytes += taken;
    std::size_t before = most_bytes;
    while (before < now && !most_bytes.compare_exchange_weak(before, now)) {
    }
  }
};

/// A link whose rank 1 has no memory left after so many allocations.
class PoorLink final : public LinkAround {
 public:
  PoorLink(Fabric& fabric, const Bootstrap& boot, Store& store)
      : LinkAround(fabric, boot), store_(&store), rank_(boot.rank()) {}
  [[nodiscard]] std::string refusal(std::size_t bytes, std::size_t /*depth*/) {
    if (rank_ != 1 || bytes != store_->refused_bytes || store_->refusals == 0) return "";
    --store_->refusals;
    return "no room";
  }
  void reserve(std::size_t depth, std::span<const int> ranks) {
    store_->needed.at(static_cast<std::size_t>(rank_)).assign(ranks.begin(), ranks.end());
    if (rank_ == 1 && !store_->has_room_for_peers) throw std::bad_alloc();
    if (rank_ == 1 && !store_->is_reached) throw std::runtime_error("rank 0 on n7 did not come");
    LinkAround::reserve(depth, ranks);
  }
  [[nodiscard]] std::string refuse_peers(std::size_t /*depth*/, std::span<const int> ranks) const {
    return ranks.size() > store_->most_peers ? "the queue is too deep for so many" : "";
  }
  [[nodiscard]] bool adopts_at_once() const { return store_->adopts_at_once; }
  void post_send(Peer peer, const Buffer& buffer) noexcept {
    if (!is_known(buffer)) ++store_->unknown;
    LinkAround::post_send(peer, buffer);
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept {
    if (!is_known(buffer)) ++store_->unknown;
    LinkAround::post_recv(peer, buffer);
  }
  [[nodiscard]] Buffer adopt(const Buffer& memory) {
    pay();
    store_->take(whole_pages(memory.bytes));
    if (rank_ == 0) store_->adopted.push_back(memory.data);
    Region& region = regions_[memory.data];
    region.bytes = std::max(region.bytes, memory.bytes);
    ++region.times;
    return LinkAround::adopt(memory);
  }
  void disown(const Buffer& buffer) {
    const auto region = regions_.find(buffer.data);
    if (--region->second.times == 0) regions_.erase(region);
    store_->bytes -= whole_pages(buffer.bytes);
    LinkAround::disown(buffer);
  }
  using LinkAround::sends_in_flight;
  [[nodiscard]] std::uint32_t sends_in_flight(Peer peer) const noexcept {
    return link().sends_in_flight(peer);
  }
  using LinkAround::receives_in_flight;
  [[nodiscard]] std::uint32_t receives_in_flight(Peer peer) const noexcept {
    return link().receives_in_flight(peer);
  }
  [[nodiscard]] Opened expose(const Buffer& memory) {
    pay();
    store_->take(whole_pages(memory.bytes));
    return LinkAround::expose(memory);
  }
  void withdraw(const Buffer& local) {
    store_->bytes -= whole_pages(local.bytes);
    LinkAround::withdraw(local);
  }
  [[nodiscard]] RemoteBuffer reach(int rank, std::size_t bytes, const std::string& theirs) {
    pay();
    ++store_->reached;
    return LinkAround::reach(rank, bytes, theirs);
  }
  void leave(const RemoteBuffer& /*remote*/) { --store_->reached; }

 private:
  static std::size_t whole_pages(std::size_t bytes) {
    return std::max<std::size_t>((bytes + 4095) / 4096, 1) * 4096;
  }
  void pay() {
    if (rank_ == 1 && store_->left-- <= 0) throw std::bad_alloc();
  }

  [[nodiscard]] bool is_known(const Buffer& buffer) const noexcept {
    const auto behind = regions_.upper_bound(buffer.data);
    if (behind == regions_.begin() || buffer.key == 0) return false;
    const auto& [first, region] = *std::prev(behind);
    return buffer.data + buffer.bytes <= first + region.bytes;
  }

  Store* store_;
  int rank_;
  /// What the link was given, by its address: the two passes of a case may have the same at once.
  struct Region {
    std::size_t bytes = 0;
    int times = 0;
  };
  std::map<const std::byte*, Region> regions_;
};

using Few = std::tuple<PingPong, Stream, PutPingPong, GetStream, HotSpotReceive, Burst, PairRounds>;

/// Cases one after another in one launch of three ranks; rank 0's batches.
inline std::vector<Batch> launch(const std::vector<Case>& cases, Store& store) {
  constexpr int ranks = 3;
  Fabric fabric(ranks);
  fabric.costs = usual_costs;
  FabricMeeting meeting(fabric);
  std::vector<Batch> batches;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      FabricBootstrap boot(meeting, fabric, rank);
      PoorLink link(fabric, boot, store);
      MessageMemory memory;
      for (const Case& spec : cases) {
        Batch batch;
        Whole answer(batch);
        const bool whole = run_case<PoorLink, VirtualClock>(link, boot, memory, spec, batch, answer,
                                                            1.0, static_cast<Few*>(nullptr));
        EXPECT_EQ(whole, store.is_reached && store.has_room_for_peers);
        if (rank == 0) batches.push_back(batch);
        if (!whole) break;
      }
      fabric.set_idle(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return batches;
}

}  // namespace weft::fake

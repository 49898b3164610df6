// What the engine asks of a link outside the measured loops, the same for every transport: what
// runs a case is compiled once, and only the loops for each transport.
#pragma once

#include <span>
#include <string>

#include "contract/transport.hpp"

namespace weft {

class LinkControl {
 public:
  LinkControl() = default;
  LinkControl(const LinkControl&) = delete;
  LinkControl& operator=(const LinkControl&) = delete;
  LinkControl(LinkControl&&) = delete;
  LinkControl& operator=(LinkControl&&) = delete;
  virtual ~LinkControl() = default;

  /// The link itself, for its loops.
  virtual void* link() = 0;
  [[nodiscard]] virtual const Fault* fault() const = 0;
  /// Why messages of a size and queues of a depth cannot be had; empty when they can.
  [[nodiscard]] virtual std::string refusal(std::size_t bytes, std::size_t depth) const = 0;
  /// Why queues of a depth to each of these ranks cannot be had; empty when they can.
  [[nodiscard]] virtual std::string refuse_peers(std::size_t depth,
                                                 std::span<const int> ranks) const = 0;
  /// Why a target cannot wait for the last byte of a put; empty when it can.
  [[nodiscard]] virtual std::string memory_polling_hazard() const = 0;
  /// How much of the messages of the next case it carries: all, unless the transport says otherwise
  /// and the case does without.
  [[nodiscard]] virtual Carried carry(bool whole) = 0;
  virtual void reserve(std::size_t depth, std::span<const int> ranks) = 0;

  /// Whether what `adopt` makes of memory holds for every part of it.
  [[nodiscard]] virtual bool adopts_at_once() const = 0;
  virtual Buffer adopt(const Buffer& memory) = 0;
  virtual void disown(const Buffer& buffer) = 0;

  /// Whether the library opens memory of its own alone: `expose` is given no address then.
  [[nodiscard]] virtual bool opens_own_memory() const = 0;
  /// Whether that memory is shared by the ranks of a host.
  [[nodiscard]] virtual bool shares_opened_memory() const { return false; }
  virtual Opened expose(const Buffer& memory) = 0;
  virtual void withdraw(const Buffer& local) = 0;
  virtual RemoteBuffer reach(int rank, std::size_t bytes, const std::string& name) = 0;
  virtual void leave(const RemoteBuffer& remote) = 0;

  /// Send the first of the messages to all these ranks, and get theirs into the others. A rank that
  /// `sleeps` meanwhile leaves its core to those that it waits for, where the link can. False once
  /// the link has a fault.
  virtual bool swap_control_messages(std::span<const int> ranks, std::span<const Buffer> messages,
                                     bool sleeps) = 0;
};

template <TwoSided T>
class ControlOf final : public LinkControl {
 public:
  explicit ControlOf(T& link) : link_(&link) {}

  void* link() override { return link_; }
  [[nodiscard]] const Fault* fault() const override { return link_->fault(); }
  [[nodiscard]] std::string refusal(std::size_t bytes, std::size_t depth) const override {
    if constexpr (requires { link_->refusal(bytes, depth); }) return link_->refusal(bytes, depth);
    return "";
  }
  [[nodiscard]] std::string refuse_peers(std::size_t depth,
                                         std::span<const int> ranks) const override {
    if constexpr (requires { link_->refuse_peers(depth, ranks); }) {
      return link_->refuse_peers(depth, ranks);
    }
    return "";
  }
  [[nodiscard]] std::string memory_polling_hazard() const override {
    if constexpr (OneSided<T>) return link_->memory_polling_hazard();
    return "";
  }
  [[nodiscard]] Carried carry(bool whole) override {
    if constexpr (requires { link_->carry(whole); }) return link_->carry(whole);
    return {};
  }
  void reserve(std::size_t depth, std::span<const int> ranks) override {
    link_->reserve(depth, ranks);
  }

  [[nodiscard]] bool adopts_at_once() const override {
    if constexpr (requires { link_->adopts_at_once(); }) return link_->adopts_at_once();
    return false;
  }
  Buffer adopt(const Buffer& memory) override { return link_->adopt(memory); }
  void disown(const Buffer& buffer) override { link_->disown(buffer); }

  [[nodiscard]] bool opens_own_memory() const override {
    if constexpr (requires { T::opens_own_memory; }) return T::opens_own_memory;
    return false;
  }
  [[nodiscard]] bool shares_opened_memory() const override {
    if constexpr (requires { T::shares_opened_memory; }) return T::shares_opened_memory;
    return false;
  }
  Opened expose(const Buffer& memory) override {
    if constexpr (OneSided<T>) return link_->expose(memory);
    return {};
  }
  void withdraw(const Buffer& local) override {
    if constexpr (OneSided<T>) link_->withdraw(local);
  }
  RemoteBuffer reach(int rank, std::size_t bytes, const std::string& name) override {
    if constexpr (OneSided<T>) return link_->reach(rank, bytes, name);
    return {};
  }
  void leave(const RemoteBuffer& remote) override {
    if constexpr (requires { link_->leave(remote); }) link_->leave(remote);
  }

  bool swap_control_messages(std::span<const int> ranks, std::span<const Buffer> messages,
                             bool sleeps) override {
    std::size_t message = 0;
    for (const int rank : ranks) link_->post_recv(Peer{rank}, messages[++message]);
    // Backwards: the last neighbour of a ring is the next rank's first.
    for (std::size_t at = ranks.size(); at > 0; --at) {
      link_->post_send(Peer{ranks[at - 1]}, messages[0]);
    }
    if constexpr (Waiting<BlockOnEvent, T>) {
      if (sleeps) return drain<BlockOnEvent>(*link_);
    }
    return drain<UsualWait<T>>(*link_);
  }

 private:
  T* link_;
};

}  // namespace weft

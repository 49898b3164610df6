// Sending memory that is registered just before and given back as soon as it was sent.
#pragma once

#include <span>
#include <string_view>

#include "contract/task.hpp"

namespace weft {

/// Why no model of a fabric shows what registering costs.
inline constexpr std::string_view models_register_nothing = "a model registers no memory";

/// A link over another one. Each message is registered when it is posted, and no longer once its
/// buffer is free again; receives stay registered in advance. With one peer only: sends of several
/// would not end in the order of posting.
template <Registers T>
class RegisterEach final {
 public:
  static constexpr std::string_view name = T::name;
  static constexpr std::string_view summary = "each message registered and deregistered";

  RegisterEach(T& link, std::span<Buffer> room) noexcept : link_(&link), room_(room) {}

  [[nodiscard]] Buffer adopt(const Buffer& memory) { return link_->adopt(memory); }
  void disown(const Buffer& buffer) { link_->disown(buffer); }
  void reserve(std::size_t depth, std::span<const int> ranks) { link_->reserve(depth, ranks); }

  void post_send(Peer peer, const Buffer& buffer) noexcept {
    give_back();
    // A control message that is registered already goes as it is, and is no entry to give back.
    const bool raw = buffer.key == 0;
    const Buffer known = raw ? link_->register_memory(buffer) : buffer;
    room_[(first_ + held_++) % room_.size()] = raw ? known : Buffer{};
    if (link_->fault() == nullptr) link_->post_send(peer, known);
  }
  void post_recv(Peer peer, const Buffer& buffer) noexcept { link_->post_recv(peer, buffer); }
  void poll() noexcept {
    link_->poll();
    give_back();
  }
  void block() noexcept requires requires(T& link) { link.block(); }
  {
    link_->block();
    give_back();
  }

  [[nodiscard]] std::uint32_t sends_in_flight() const noexcept { return link_->sends_in_flight(); }
  [[nodiscard]] std::uint32_t receives_in_flight() const noexcept {
    return link_->receives_in_flight();
  }
  [[nodiscard]] const Fault* fault() const noexcept { return link_->fault(); }

  /// What is held for messages whose buffers are free.
  void give_back() noexcept {
    while (held_ > link_->sends_in_flight()) {
      const Buffer& oldest = room_[first_];
      if (oldest.key != 0) link_->deregister_memory(oldest);
      first_ = (first_ + 1) % room_.size();
      --held_;
    }
  }

 private:
  T* link_;
  std::span<Buffer> room_;
  std::size_t first_ = 0;
  std::size_t held_ = 0;
};

/// A pattern of one peer with each message registered for itself.
template <class Pattern, Clock Now, class Wait, Registers T>
[[nodiscard]] bool run_registering_each(T& link, Task& task) noexcept {
  RegisterEach<T> registering(link, task.registered);
  const bool whole = Pattern::template run<Now, Wait>(registering, task);
  registering.give_back();
  return whole;
}

}  // namespace weft

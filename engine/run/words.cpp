#include "run/words.hpp"

#include "contract/sums.hpp"
#include "run/verification.hpp"

namespace weft {

Words::Words(const CasePlan& plan, LinkControl& link, const CaseMemory& memory)
    : plan_(&plan), link_(&link) {
  const std::size_t stride = word_stride_of(plan);
  const std::size_t of_pass = words_of_pass(plan);
  const std::size_t of_handshake = words_of_handshake(plan);
  std::byte* const handshake = memory.words() + of_pass * stride;
  std::byte* const closing = handshake + of_handshake * stride;
  const auto words = [&](std::byte* from, std::size_t count, std::size_t bytes) {
    return slices_of({from, 0, 0}, count, bytes, stride);
  };
  tokens_ = {link, words(memory.words(), of_pass, word_bytes)};
  handshake_ = {link, words(handshake, of_handshake, 1)};
  closing_ = {link, words(closing, of_handshake, word_bytes)};
  static_assert(word_bytes == summed_numbers * sizeof(double));
  sums_ = {link, words(closing + of_handshake * stride, words_of_sums(plan), word_bytes)};
}

void Words::shake_hands() {
  (void)link_->swap_words(plan_->role.neighbours, handshake_.buffers());
}

bool Words::close(Outcome& outcome) {
  const auto from = [&](int rank) {
    return Content{static_cast<std::uint32_t>(rank), plan_->test.id, closing_message};
  };
  const std::vector<int>& ranks = plan_->role.neighbours;
  fill({closing_[0].data, closing_[0].bytes}, from(plan_->rank));
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    poison({closing_[at + 1].data, closing_[at + 1].bytes}, from(ranks[at]));
  }
  if (!link_->swap_words(ranks, closing_.buffers())) return false;
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    check(outcome, closing_[at + 1], from(ranks[at]),
          "the closing message (one was lost or came twice)");
  }
  return true;
}

}  // namespace weft

#include "transports/sim/pieces.hpp"

#include <charconv>
#include <cstddef>

namespace weft {

namespace {

/// What stands before the next of these, which is taken off with it.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return part;
}

}  // namespace

double number_of(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Pieces::Pieces(std::string_view text) {
  while (!text.empty()) {
    std::string_view piece = take_until(text, ';');
    const double above = number_of(take_until(piece, ':'));
    const double fixed = number_of(take_until(piece, ':'));
    pieces_.push_back({above, fixed, number_of(piece)});
  }
}

double Pieces::at(double bytes) const {
  const Piece* found = pieces_.empty() ? nullptr : &pieces_.front();
  for (const Piece& piece : pieces_) {
    if (bytes <= piece.above) break;
    found = &piece;
  }
  return found == nullptr ? 0 : found->fixed + found->each_byte * bytes;
}

}  // namespace weft

// Numbers by the size of a message, as SimGrid's settings have them.
#pragma once

#include <string_view>
#include <vector>

namespace weft {

/// The number that a text begins with; 0 where it begins with none.
double number_of(std::string_view text);

/// Of a text like "0:1e-6:0;2048:4e-6:1e-9" the line above each size: a number, and one for each
/// byte. One without the latter has 0 of it.
class Pieces {
 public:
  explicit Pieces(std::string_view text);
  [[nodiscard]] double at(double bytes) const;

 private:
  struct Piece {
    double above = 0;
    double fixed = 0;
    double each_byte = 0;
  };
  std::vector<Piece> pieces_;
};

}  // namespace weft

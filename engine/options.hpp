// The command line of a rank.
#pragma once

#include <string>
#include <vector>

namespace weft {

/// What a transport may be told. Empty or 0: it finds a sound value itself.
struct LinkOptions {
  std::string interface;
  int port = 0;
};

struct Options {
  bool describe = false;
  std::vector<int> cpus;
  LinkOptions link;
};

/// Throws std::invalid_argument with what is wrong and what to type.
Options parse_options(int argc, const char* const* argv);

}  // namespace weft

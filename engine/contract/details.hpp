// What a transport says of itself for the record: what it really uses, by name.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace weft {

using Details = std::vector<std::pair<std::string, std::string>>;

}  // namespace weft

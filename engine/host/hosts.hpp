// Which ranks share a host.
#pragma once

#include <cstddef>
#include <string>

#include "bootstrap/bootstrap.hpp"

namespace weft {

std::string host_name();

/// How many ranks before this one run on the same host. Collective.
std::size_t local_rank(Bootstrap& boot);

/// Another host that ranks run on; empty where all are on this one. Collective.
std::string other_host(Bootstrap& boot);

}  // namespace weft

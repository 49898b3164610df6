// Which ranks share a host.
#pragma once

#include <cstddef>
#include <string>

#include "bootstrap/bootstrap.hpp"

namespace weft {

std::string host_name();

/// How many ranks before this one run on the same host. Collective.
std::size_t local_rank(Bootstrap& boot);

/// How many ranks run on this one's host, itself among them. Collective.
std::size_t ranks_of_host(Bootstrap& boot);

/// Another host that ranks run on; empty where all are on this one. Collective.
std::string other_host(Bootstrap& boot);

}  // namespace weft

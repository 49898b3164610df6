// Which ranks share a host.
#pragma once

#include <cstddef>
#include <string>

#include "bootstrap/bootstrap.hpp"

namespace weft {

std::string host_name();

/// How many ranks before this one run on the same host. Collective.
std::size_t local_rank(Bootstrap& boot);

/// Whether all ranks run on one host. Collective.
bool one_host(Bootstrap& boot);

}  // namespace weft

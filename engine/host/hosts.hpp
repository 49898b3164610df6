// Which ranks share a host.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"

namespace weft {

std::string host_name();

/// The host of each rank, by rank. Collective where it is asked for the first time: the names are
/// exchanged once.
const std::vector<std::string>& hosts_of(Bootstrap& boot);

/// How many ranks before this one run on the same host. Collective as that is.
std::size_t local_rank(Bootstrap& boot);

/// How many ranks run on this one's host, itself among them. Collective as that is.
std::size_t ranks_of_host(Bootstrap& boot);

/// Those ranks, in their order; none where all are on one host. Collective as that is.
std::vector<int> ranks_that_share(Bootstrap& boot);

/// Another host that ranks run on; empty where all are on this one. Collective as that is.
std::string other_host(Bootstrap& boot);

}  // namespace weft

// UCX's description of an endpoint, as notes for the record.
#pragma once

#include <string_view>

#include "case.hpp"

namespace weft {

/// What ucp_ep_print_info wrote: the lanes with what they are for, and the protocols by size.
/// Lines of another form are left out, for the text is not part of UCX's promised interface.
Details ucx_notes(std::string_view printed);

}  // namespace weft

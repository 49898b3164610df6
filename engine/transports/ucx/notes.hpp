// UCX's description of an endpoint, as notes for the record.
#pragma once

#include <string>
#include <string_view>

#include "contract/details.hpp"

namespace weft {

/// What ucp_ep_print_info wrote: the lanes with what they are for, and the protocols by size.
/// Lines of another form are omitted, for the text is not part of UCX's promised interface.
Details ucx_notes(std::string_view printed);

/// What may keep an endpoint with these notes from being answered, and what to do, ending in ", or
/// ": UCX connects by datagrams, and at an IPv4 GID of Soft-RoCE those of UCX 1.13 get no answer,
/// nor do those of ucx_perftest's (-x ud_verbs). Empty where no lane goes by such a device.
/// `folder` is where the kernel describes the devices.
std::string soft_roce_hint(const Details& notes, const std::string& folder);

/// Whether the lanes of these notes go by RDMA, which alone has UCX's traffic classes.
bool goes_by_rdma(const Details& notes);

/// The traffic class and the service level of these lanes, by UCX's variables and the type of the
/// GID in `folder`; unknown over sockets and shared memory, and where UCX chooses a service level.
Details ucx_classes(const Details& notes, const std::string& folder);

}  // namespace weft

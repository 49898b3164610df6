"""The environment of ranks: this process's, what the job adds, and what their starters need."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Unless the user has set them. UCX writes its warnings among rank 0's answers otherwise.
_USUAL = {"UCX_LOG_FILE": "stderr"}
# Open MPI starts nothing for root without them.
_AS_ROOT = {
    f"{program}_ALLOW_RUN_AS_ROOT{ending}": "1"
    for program in ("OMPI", "PRTE")
    for ending in ("", "_CONFIRM")
}


LOOPBACK = "lo"
# By which Open MPI's daemons and its ranks meet; it takes no list of others beside it.
_NETWORK_OF = ("oob_tcp", "btl_tcp")


def environment_of_ranks(more: Mapping[str, str], network: str = "") -> dict[str, str]:
    """All variables of here with `more`, which a job sets for its ranks.

    On `network`, an interface or addresses as 10.0.0.0/24, Open MPI's daemons and ranks meet, and
    on no other, unless the user has said which. Open MPI 5 takes its daemons' network from nothing
    here, and its PMIx a loopback only.
    """
    chosen = {
        f"OMPI_MCA_{kind}_if_include": network
        for kind in _NETWORK_OF
        if network and f"OMPI_MCA_{kind}_if_exclude" not in os.environ
    }
    if network:
        # Of an interface with both, Open MPI 5 takes the IPv6 address, and the network is of IPv4.
        chosen["OMPI_MCA_btl_tcp_disable_family"] = "6"
    if network == LOOPBACK:
        chosen["PMIX_MCA_ptl_tcp_if_include"] = LOOPBACK
    return {**_USUAL, **chosen, **os.environ, **more, **_AS_ROOT}

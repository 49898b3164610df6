"""The environment of ranks: this process's, what the job adds, and what their starters need."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Unless the user has set them. UCX writes its warnings among rank 0's answers otherwise.
_USUAL = {"UCX_LOG_FILE": "stderr"}
# Open MPI starts nothing for root without them.
_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def environment_of_ranks(more: Mapping[str, str]) -> dict[str, str]:
    """All variables of here with `more`, which a job sets for its ranks."""
    return {**_USUAL, **os.environ, **more, **_AS_ROOT}

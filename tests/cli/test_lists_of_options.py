"""Which options a way of a command leaves without effect: all but those that are named here.

A new option of the command is on one side or the other: whoever adds it decides.
"""

from typing import Any

import pytest
from typer.main import get_command

from weft.cli import map_, run
from weft.cli.main import app

# What a map that is measured already is shown by.
SHOWN = "json link record topology"
# What a map of a simulated platform takes.
SIMULATED_MAP = """account at_once budget constraint exclude nodelist output partition platform
 quiet ranks rounds
 seed sizes slow submit time"""
# What makes a run, whatever measures it.
ANY_RUN = """account again allow_env budget constraint deadline exclude nodelist json keep_all
 launches output partition
 platform precision quiet rate report resume seed submit suite time verbose ranks"""
# Where ranks are, and what starts them.
PLACES = """device hostfile hosts interface launcher launcher_command mpi nodes option placement
 ranks_per_node"""
# What is measured, where it is said by itself.
SAID = "points queue_depth samples single sizes tests"
APPLICATION = "compute depth extents gauge lattice mass overlap sums u0"


@pytest.mark.parametrize(
    ("command", "listed", "others"),
    [
        ("map", map_._ALREADY, SHOWN),
        ("map", map_._NOT_SIMULATED, f"{SHOWN} {SIMULATED_MAP}"),
        ("run", run._NOT_SIMULATED, f"{ANY_RUN} {SAID} {APPLICATION}"),
        ("run", run._SET_BY_SUITE, f"{ANY_RUN} {PLACES} transport vary"),
    ],
)
def test_every_option_has_an_effect_or_is_listed(
    command: str, listed: tuple[str, ...], others: str
) -> None:
    group: Any = get_command(app)
    names = {one.name for one in group.commands[command].params}
    assert names - set(listed) == set(others.split())
    assert len(set(listed)) == len(listed)

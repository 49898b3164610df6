"""Two runs that write into one file at once give no value that neither of them stated."""

import itertools
from pathlib import Path

import pytest

from weft.errors import WeftError
from weft.sources.peers import PEERS, read_output
from weft.sources.peers.stated import Given
from weft.sources.peers.tables import TWO_RUNS
from weft.sources.peers.text import text_of

OUTPUTS = Path(__file__).parent / "outputs"
# By how the names of their outputs begin.
TOOLS = {"perftest": "perftest", "gpcnet": "GPCNeT", "sockperf": "sockperf", "imb": "IMB"}


def lines_of(path: Path) -> list[str]:
    """The lines that the program printed, without the prompt of a shell."""
    return [line for line in path.read_text().splitlines() if not line.startswith("$ ")]


def values(tool: str, lines: list[str]) -> set[tuple[str, float]]:
    peer = next(peer for peer in PEERS if peer.name == TOOLS[tool])
    text = text_of(Path("out.txt"), "\n".join([*lines, ""]).encode())
    return {(row.case.key, row.time_ns) for row in peer.read(text, Given()).rows if not row.reason}


def mixed(runs: tuple[list[str], ...], length: int) -> list[str]:
    """The lines of both runs in turns of this length."""
    left = [list(run) for run in runs]
    found: list[str] = []
    for own in itertools.cycle(left):
        if not any(left):
            break
        found += own[:length]
        del own[:length]
    return found


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("length", [1, 3])
def test_each_value_of_two_mixed_runs_is_one_of_theirs(tool: str, length: int) -> None:
    paths = sorted(path for path in OUTPUTS.glob(f"{tool}*") if path.suffix != ".json")
    for pair in itertools.product(map(lines_of, paths), repeat=2):
        theirs = values(tool, pair[0]) | values(tool, pair[1])
        assert values(tool, mixed(pair, length)) <= theirs


RUN = "sockperf[CLIENT] send on:sockperf: using recvfrom()\n"
LATENCY = "sockperf: ====> avg-latency={} (std-dev=0.5)\n"


def test_runs_at_once_are_refused_and_runs_in_turn_are_read(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text(RUN + RUN + LATENCY.format(17.5) + LATENCY.format(35.0))
    with pytest.raises(WeftError, match=TWO_RUNS):
        read_output(path, Given())
    one = (OUTPUTS / "sockperf_pp.txt").read_text()
    path.write_text(one + one.replace("17.750", "35.500"))
    assert len(read_output(path, Given())[1].rows) == 2


@pytest.mark.parametrize(
    "between", ["sockperf: ERROR: Exiting on Server disconnected\n", "$ sockperf pp -i n2\n"]
)
def test_a_run_that_failed_before_another_one_is_not_taken_for_a_mixed_one(
    tmp_path: Path, between: str
) -> None:
    path = tmp_path / "out.txt"
    path.write_text(RUN + between + RUN + LATENCY.format(17.5))
    assert len(read_output(path, Given())[1].rows) == 1

"""Any change of a file is read or refused in one line, by every reader.

WEFT_EXAMPLES=5000 tries that many files of each kind; the nightly part of the gate does.
"""

import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.builders import make_cases, synthetic_record
from support.peer_outputs import FILES, OUTPUTS, TOLD
from support.price_lists import FULL, price_list
from weft.errors import WeftError
from weft.reference.library import find_platform
from weft.sim.platforms import calibrated, read_platform
from weft.sources.limits import read_limits
from weft.sources.peers import read_output
from weft.sources.peers.stated import Given
from weft.sources.price_lists import read_prices
from weft.sources.records import record_named
from weft.sources.topologies import topology_of

EXAMPLES = int(os.environ.get("WEFT_EXAMPLES", "15"))
TOKENS = (
    "", "0", "-1", "1e308", "1e-308", "nan", "inf", "²", "٣", "1" * 400, "1" * 5000, "9" * 19,
    "\0", "\x1b[31m", "\u202e", "$", "/", "[", "]", "{", "}", '"', "<", ">", "&", "=", ",", ":",
    "\n", "\r", "\t", " " * 1000, "null", "true", "[[limit]]\n", "[" * 2000,
)  # fmt: skip
LIMITS = (
    'require_none = ["errors"]\n[[limit]]\ntest = "ping_pong"\nsizes = "8,1KiB..4MiB"\n'
    'latency_at_most = "2 us"\n[[limit]]\ntest = "stream"\nlink = "IB 4x FDR"\n'
    'percent_of_peak_at_least = "85%"\n'
)
SLURM = (
    "SwitchName=s1 Nodes=n[1-4,7]\nSwitchName=s2 Nodes=n[008-010]\nSwitchName=t Switches=s[1-2]\n"
)
CABLES = """
Switch 40 "S-1" # "l1" enhanced port 0 lid 1 lmc 0
[1] "H-1"[1](2) # "n1 mlx5_0" lid 5 4xHDR
[2] "H-2"[1](3) # "n2 mlx5_0" lid 6 4xHDR
Ca 1 "H-1" # "n1 mlx5_0"
[1](2) "S-1"[1] # lid 5 lmc 0 "l1" lid 1 4xHDR
Ca 1 "H-2" # "n2 mlx5_0"
[1](3) "S-1"[2] # lid 6 lmc 0 "l1" lid 1 4xHDR
"""
# A place in the text, how much of it goes, and what comes instead.
CHANGES = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(TOKENS)), min_size=1, max_size=5
)
FUZZED = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    print_blob=True,
)


def changed(text: str, changes: list[tuple[float, int, str]]) -> str:
    for place, length, token in changes:
        at = round(place * len(text))
        text = text[:at] + token + text[at + length :]
    return text


def reads(read: Callable[[], object]) -> None:
    """A reader gives a value or refuses in one short line."""
    try:
        read()
    except WeftError as error:
        refused = str(error)
    else:
        return
    assert refused.isprintable()
    assert len(refused) < 2000


@cache
def good_texts() -> dict[str, str]:
    """A good file of each kind, by its name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = make_cases(("ping_pong",), ("tcp",), (8, 1024))
        return {
            "r.jsonl": synthetic_record(folder / "r.jsonl", cases).read_text(),
            "p.xml": calibrated(find_platform("escher"), "model", 128).xml,
            "limits.toml": LIMITS,
            "prices.toml": price_list(folder / "p.toml", fabrics=FULL).read_text(),
            "topology.conf": SLURM,
            "cables.txt": CABLES,
        }


READERS: dict[str, Callable[[Path], object]] = {
    "r.jsonl": record_named,
    "p.xml": read_platform,
    "limits.toml": read_limits,
    "prices.toml": read_prices,
    "topology.conf": lambda path: topology_of([str(path)]),
    "cables.txt": lambda path: topology_of([str(path)]),
}


@pytest.mark.parametrize("name", READERS)
@FUZZED
@given(changes=CHANGES)
def test_a_changed_file_is_read_or_refused(
    name: str, changes: list[tuple[float, int, str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(changed(good_texts()[name], changes))
        reads(lambda: READERS[name](path))


@FUZZED
@given(name=st.sampled_from(FILES), changes=CHANGES)
def test_a_changed_output_is_read_or_refused(
    name: str, changes: list[tuple[float, int, str]]
) -> None:
    text = (OUTPUTS / name).read_bytes().decode("utf-8", "replace")
    content = changed(text, changes).encode()
    reads(lambda: read_output(Path(name), TOLD.get(name, Given()), content))

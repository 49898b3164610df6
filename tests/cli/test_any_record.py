"""Every command that reads a record answers or refuses, whatever the record: none breaks."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.ended import status_of
from support.odd_records import OddRecord, odd_records
from support.price_lists import FULL, price_list

# More with WEFT_EXAMPLES=1000: a quick run of the tests sees others each time.
EXAMPLES = int(os.environ.get("WEFT_EXAMPLES", "3"))
LIMITS = '[[limit]]\ntest = "ping_pong"\nlatency_at_most = "2 us"\n'
# What a command may end with: an answer, a refusal; 3 is "cannot tell".
ANSWERS = {0, 1, 2, 3}


def commands(one: Path, other: Path, folder: Path) -> Iterator[list[object]]:
    """Every command that reads records, on one or on both."""
    limits = folder / "limits.toml"
    limits.write_text(LIMITS)
    prices = price_list(folder / "prices.toml", fabrics=FULL)
    yield ["show", one]
    yield ["show", one, "--json"]
    yield ["export", one, "--csv", folder / "a.csv"]
    yield ["export", one, "--table", "summary", "--parquet", folder / "a.parquet"]
    yield ["export", one, "--table", "models", "--latex", folder / "a.tex"]
    yield ["check", one, "--against", limits]
    yield ["check", one, "--against", other, "--junit", folder / "a.xml"]
    yield ["check", one, "--against", one, "--openmetrics", folder / "a.txt"]
    yield ["trend", one, other, "--against", limits]
    yield ["trend", one, other, "--json"]
    yield ["compare", one, other]
    yield ["compare", f"{one},{other}", other, "--json"]
    yield ["fit", one]
    yield ["fit", one, "--json"]
    yield ["layers", one]
    yield ["signature", one]
    yield ["calibrate", one, "-o", folder / "a.xml"]
    yield ["calibrate", one, "--kind", "table", "-o", folder / "b.xml"]
    fabric = ["--nodes", "48", "--switch", "24", "--prices", prices]
    yield ["price", *fabric, "--measured", one]


def drawings(one: Path, other: Path, folder: Path) -> Iterator[list[object]]:
    """Those that draw, which takes longer."""
    yield ["report", one, other, "-o", folder / "a.html"]
    yield ["figure", one, "-o", folder / "a.svg"]
    yield ["figure", one, "--show", "fit", "-o", folder / "b.svg"]
    yield ["signature", one, other, "-o", folder / "c.svg"]
    yield ["fit", one, "-o", folder / "d.svg"]
    yield ["layers", one, "-o", folder / "e.svg"]
    yield ["trend", one, other, "-o", folder / "b.html"]
    yield ["compare", one, other, "-o", folder / "c.html"]
    yield ["check", one, "--against", other, "-o", folder / "f.html"]


def assert_answers(words: list[object]) -> None:
    status, errors = status_of(words)
    assert status in ANSWERS, f"{words}: {errors}"
    assert status != 1 or words[0] == "check", f"{words}: {errors}"
    assert "No such option" not in errors, words
    if status == 2:
        [line] = errors.strip().splitlines()[-1:]
        assert line.startswith("weft: "), f"{words}: {errors}"
    assert "Traceback" not in errors


QUIET = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@QUIET
@given(one=odd_records(), other=st.none() | odd_records(), draws=st.just(value=EXAMPLES > 10))
def test_every_command_answers_any_record(
    one: OddRecord, other: OddRecord | None, *, draws: bool
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first = one.write(folder / "one.jsonl")
        second = (other or one).write(folder / "other.jsonl")
        for words in commands(first, second, folder):
            assert_answers(words)
        if draws:
            for words in drawings(first, second, folder):
                assert_answers(words)

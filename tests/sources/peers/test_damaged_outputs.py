"""Real outputs, damaged as files are: the right figures or one line with its number, never others.

What is drawn: a line that stands there twice, a column that is missing, two runs that wrote into
one file at once. Cuts anywhere, line ends and boxes of warnings are in test_other_outputs.py.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.peer_outputs import FILES, OUTPUTS, told
from weft.errors import WeftError
from weft.sources.peers import read_output
from weft.sources.peers.stated import Given
from weft.sources.peers.text import OutputText, content_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = {name: (OUTPUTS / name).read_text() for name in FILES}
# Prompts are typed, and no program prints them.
PRINTED = {
    name: [line for line in text.splitlines(keepends=True) if not line.startswith("$ ")]
    for name, text in TEXTS.items()
}
PEERS = {name: read_output(OUTPUTS / name, told(name))[0] for name in FILES}
Figures = Counter[tuple[str, float]]


def figures(text: str, name: str, also: Given | None = None) -> Figures:
    """Raises WeftError as the reader does."""
    rows = PEERS[name].read(OutputText(Path(name), text), also or told(name)).rows
    return Counter((row.case.key, round(row.time_ns, 3)) for row in rows)


def hold(refused: WeftError, name: str) -> None:
    """One line, with the number of the line of the file, and what to do."""
    assert re.search(rf"{re.escape(name)}:\d+: ", refused.what)
    assert "\n" not in refused.what
    assert refused.fix


def outcome(text: str, name: str, also: Given | None = None) -> Figures | None:
    """The figures; None where one line refuses the file by its number and says what to do."""
    try:
        return figures(text, name, also)
    except WeftError as refused:
        hold(refused, name)
        return None


@pytest.mark.parametrize("name", FILES)
def test_a_line_that_stands_there_twice_is_no_other_figure(name: str) -> None:
    lines = TEXTS[name].splitlines(keepends=True)
    whole = figures(TEXTS[name], name)
    for at, line in enumerate(lines):
        found = outcome("".join([*lines[:at], line, *lines[at:]]), name)
        assert found is None or found <= whole, line


# Without its receiver's line, the text of iperf3 is one side's account, and a note says so.
@pytest.mark.parametrize(
    "name", [one for one in FILES if not (one.startswith("iperf3") and one.endswith(".txt"))]
)
@settings(max_examples=20, derandomize=True)
@given(draw=st.data())
def test_figures_without_one_of_their_columns_are_those_or_none(
    name: str, draw: st.DataObject
) -> None:
    lines = TEXTS[name].splitlines(keepends=True)
    places = [int(row.stated.place.rpartition(":")[2]) for row in read_output(
        OUTPUTS / name, told(name))[1].rows]  # fmt: skip
    count = min(len(lines[place - 1].split()) for place in places)
    column = draw.draw(st.integers(0, count - 1))
    missing = draw.draw(st.sampled_from([set(places), {places[0]}, {places[-1]}]))
    cut = [
        re.sub(rf"^(\s*(?:\S+\s+){{{column}}})\S+\s*", r"\1", line).rstrip() + "\n"
        if number in missing
        else line
        for number, line in enumerate(lines, 1)
    ]
    found = outcome("".join(cut), name)
    times = Counter(time for _, time in figures(TEXTS[name], name).elements())
    if found is not None:
        assert Counter(time for _, time in found.elements() if time) <= times, column


@pytest.mark.parametrize("longest", [1, 3])
def test_two_runs_of_omb_that_wrote_at_once_give_no_figure_of_each_other(longest: int) -> None:
    latency, bandwidth = PRINTED["omb_latency_z.txt"], PRINTED["omb_bw_z.txt"]
    mixed = []
    for at in range(0, max(len(latency), len(bandwidth)), longest):
        mixed += latency[at : at + longest] + bandwidth[at : at + longest]
    found = figures("".join(mixed), "omb_latency_z.txt")
    whole = [figures("".join(one), "omb_latency_z.txt") for one in (latency, bandwidth)]
    assert found <= whole[0] + whole[1]


def coloured(text: str) -> str:
    return re.sub(r"\S+", lambda word: f"\x1b[1;32m{word[0]}\x1b[0m", text)


def timed(text: str) -> str:
    return "".join(
        f"[2026-11-27T09:31:{at % 60:02}.123Z] {line}"
        for at, line in enumerate(text.splitlines(keepends=True))
    )


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("dress", [coloured, timed, lambda text: timed(coloured(text))])
def test_colours_and_times_of_a_log_are_no_part_of_an_output(
    name: str, dress: Callable[[str], str]
) -> None:
    assert figures(dress(TEXTS[name]), name) == figures(TEXTS[name], name)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n \n",
        b"\x7fELF\x02\x01\x01\x00\xff\xfe\x80",
        bytes(range(256)),
        b"\x1f\x8b\x08\x00",
        b"\x00" * 4096,
        b"PK\x03\x04 archive\n",
        "# OSU MPI Latency Test v7.4\n".encode("utf-16")[:-1],
    ],
)
def test_what_is_no_output_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "out.txt"
    path.write_bytes(content)
    with pytest.raises(WeftError) as refused:
        read_output(path, Given())
    hold(refused.value, str(path))


def test_text_is_read_without_what_windows_and_terminals_add(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_bytes(b"\xef\xbb\xbf\x1b[1mone\x1b[0m\r\ntwo\r\n")
    assert [line.text for line in text_of(path, content_of(path)).lines] == ["one", "two", ""]


FRAME = "-" * 74


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        # A box of a warning goes whole, and what is behind it has its number.
        (["a", FRAME, "No device was found.", FRAME, "b"], [(1, "a"), (5, "b")]),
        ([FRAME, "One.", "Two.", FRAME, FRAME, "Three.", FRAME, "b"], [(8, "b")]),
        # A table between two lines is none, nor is a frame that does not end, or has nothing in it.
        (
            [FRAME, "# bytes", "8  1.5", FRAME],
            [(1, FRAME), (2, "# bytes"), (3, "8  1.5"), (4, FRAME)],
        ),
        ([FRAME, "Open"], [(1, FRAME), (2, "Open")]),
        ([FRAME, FRAME, "b"], [(1, FRAME), (2, FRAME), (3, "b")]),
    ],
)
def test_only_a_box_of_a_warning_is_left_out(lines: list[str], kept: list[tuple[int, str]]) -> None:
    found = OutputText(Path("o"), "\n".join([*lines, ""])).lines
    assert [(line.number, line.text) for line in found if line.text] == kept


def test_each_line_knows_how_many_runs_failed_before_it() -> None:
    text = (
        "$ a\none\nsrun: error: n1\nlost\n$ b\ntwo\nCANCELLED AT noon\nslurmstepd: error: x\n$ c\n"
    )
    found = OutputText(Path("o"), text)
    assert [(line.number, line.text, line.failures) for line in found.lines] == [
        (1, "$ a", 0), (2, "one", 0), (3, "srun: error: n1", 1), (4, "lost", 1), (5, "$ b", 1),
        (6, "two", 1), (7, "CANCELLED AT noon", 2), (8, "slurmstepd: error: x", 3),
        (9, "$ c", 3), (10, "", 3),
    ]  # fmt: skip
    assert found.failed == "srun: error: n1"

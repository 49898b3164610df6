"""Every example of every command's --help is typed, each by a test.

What reads is typed as it stands, in a folder with the files that it names. What measures is typed
up to where ranks would start: no test has the hosts of an example. What simulates is typed on
fewer nodes and sizes.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer

from lab.runs import SHORT
from support.builders import make_cases, synthetic_record
from support.copies import ROOT
from support.every_topic import record_of_every_topic
from support.gauge_fields import milc_v5, random_field
from support.help_examples import KINDS, examples, lines_of
from support.in_process import TERMINAL, weft_here
from support.maps import map_record
from support.nights import EVEN, night
from support.page_commands import changed, outputs
from support.price_lists import FULL, HALF, price_list
from support.typed import request_of_command
from weft.cli.main import app
from weft.cli.manual import commands_of
from weft.record.writer import compress

if TYPE_CHECKING:
    from collections.abc import Callable

PEERS = ROOT / "tests" / "sources" / "peers" / "outputs"
TOPOLOGY = "SwitchName=l0 Nodes=n[1-4]\nSwitchName=l1 Nodes=n[5-7]\nSwitchName=s Switches=l[0-1]\n"
SIZES = tuple(2**power for power in range(3, 21))
BOTH = make_cases(("ping_pong", "stream"), ("tcp", "mpi"), (8, 65536))
# Examples of tables that a run of two tests has not.
OF_MANY_TESTS = re.compile(r"--table overhead|weft memory")
BEGUN = "weft-20261121-101500.jsonl.zst"
# Of a check the answer may be "fail" or "cannot tell".
ENDS = {"check": (0, 1, 3)}
# Of what simulates, so much that each part of it is there.
FEWER = {
    r"--nodes (?:64|96)": "--nodes 8",
    r"--switch 24": "--switch 6",
    r"fat-tree 24/288 half\" --nodes 256 --extents 8": 'fat-tree 4/8 half" --nodes 8 --extents 4',
    r"torus 24 4x4x2": "torus 8 2x2x2",
    r"--points 1,8,32": "--points 1,2",
    r"--sizes (?:8|0)\.\.\d\w+": "--sizes 8,64KiB",
    r"--ranks 32": "--ranks 6",
    r"--slow n7": "--slow n2",
    r"(alltoall.*)": r"\1 --sizes 64KiB",
    r"weft predict": "weft predict --samples 1 --budget 5min",
}


def put_all_tests(path: Path) -> None:
    record_of_every_topic(plain(path))
    pack(path)


def put_series(path: Path, transports: tuple[str, ...] = ("tcp", "ucx", "ofi", "mpi")) -> None:
    synthetic_record(path, make_cases(("ping_pong", "stream"), transports, SIZES))


def put_map(path: Path) -> None:
    map_record(plain(path), {"n3": 1.7}, sizes=(8,))
    # Two records of one moment are one.
    day = "2026-01-03" if "monday" in path.name else "2026-01-02"
    plain(path).write_text(plain(path).read_text().replace("2026-01-02", day, 1))
    pack(path)


def put_night(path: Path, day: int) -> None:
    run = night(path.parent, day, EVEN[day], cases=BOTH)
    run.path.rename(plain(path))
    pack(path)


def plain(path: Path) -> Path:
    return path.with_suffix("") if path.suffix == ".zst" else path


def pack(path: Path) -> None:
    if path.suffix == ".zst":
        compress(plain(path))


def put_nights(pattern: Path) -> None:
    pattern.parent.mkdir()
    for day in (1, 2, 3, 4):
        put_night(pattern.with_name(f"{day}.jsonl.zst"), day)


def put_csv(path: Path, head: str = "bytes,us") -> None:
    rows = (f"{2**at},{3 + 2**at / 900}" for at in range(14))
    path.write_text("\n".join([head, *rows, ""]))


def put_output(path: Path, name: str) -> None:
    shutil.copy(PEERS / name, path)


def put_outputs(folder: Path) -> None:
    folder.mkdir()
    for name in ("omb_latency_z.txt", "omb_mbw_mr.txt"):
        put_output(folder / name, name)


DAYS = ("before", "after", "monday", "tuesday", "wednesday", "friday", "saturday", "today", "good")
# What makes a file that an example names, by the file's name.
MADE: dict[str, Callable[[Path], object]] = {
    "run.jsonl.zst": put_series,
    "b.jsonl": put_series,
    BEGUN: put_map,
    "records/*.jsonl.zst": put_nights,
    "nights/": put_outputs,
    "run.jsonl": partial(put_night, day=0),
    **{f"{name}.jsonl": partial(put_night, day=day) for day, name in enumerate(DAYS)},
    **{f"map{day}.jsonl": put_map for day in ("-monday", "-friday", "-today")},
    "map.jsonl.zst": put_map,
    "limits.toml": lambda path: shutil.copy(ROOT / "docs" / "nightly" / path.name, path),
    "prices.toml": partial(price_list, fabrics=HALF),
    "half.toml": partial(price_list, fabrics=HALF),
    "full.toml": partial(price_list, fabrics=FULL),
    "topology.conf": lambda path: path.write_text(TOPOLOGY),
    "times.csv": put_csv,
    "other.csv": partial(put_csv, head="Size [KiB],t_us"),
    "osu_latency.txt": partial(put_output, name="omb_latency_z.txt"),
    "monday.txt": partial(put_output, name="omb_latency_z.txt"),
    "tuesday.txt": partial(put_output, name="omb_mbw_mr.txt"),
    "allreduce.txt": partial(put_output, name="omb_allreduce_f.txt"),
    "sockperf.txt": partial(put_output, name="sockperf_pp.txt"),
    "sizes.jsonl.zst": partial(put_series, transports=("tcp",)),
    "patterns.jsonl.zst": lambda path: synthetic_record(
        path, make_cases(("sendrecv", "bidirectional_stream"), ("tcp",), SIZES)
    ),
}


def put_named(line: str, folder: Path) -> None:
    """The files of this example that it reads."""
    written = outputs(line)
    for word in re.split(r"[ ,@]", line):
        if word in MADE and word not in written:
            make = put_all_tests if OF_MANY_TESTS.search(line) else MADE[word]
            make(folder / word)


def typed_here(line: str, folder: Path) -> None:
    """The example ends well, prints something, and writes what it says that it writes."""
    command, _, read = line.partition(" < ")
    program, *words = shlex.split(command)
    assert program == "weft"
    found = [str(path) for word in words for path in sorted(Path().glob(word)) if "*" in word]
    words = [one for word in words for one in (found if "*" in word else [word])]
    given = (folder / read).read_bytes() if read else b""
    done = weft_here(words, {**os.environ, **TERMINAL}, given)
    assert done.returncode in ENDS.get(words[0], (0,)), (line, done)
    assert done.stdout or outputs(line), line
    for name in outputs(line):
        assert (folder / name).stat().st_size > 0, (line, name)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    return tmp_path


def test_every_command_has_an_example_and_each_is_typed_by_one_test() -> None:
    named = {name for name, _ in examples()}
    assert named == {"", *(name for name, _ in commands_of(typer.main.get_command(app)))}
    assert min(len(lines_of(kind)) for kind in KINDS) >= 2


def test_an_example_of_two_commands_hands_the_second_what_the_first_writes() -> None:
    for _, command in commands_of(typer.main.get_command(app)):
        for part in (command.epilog or "").split("\n\n"):
            first, both, second = part.partition(" && ")
            assert not both or {*outputs(first)} & {*second.split()}, part


@pytest.mark.thorough
@pytest.mark.parametrize("line", lines_of("read"))
def test_what_reads_does_as_its_example_says(line: str, folder: Path) -> None:
    put_named(line, folder)
    typed_here(line, folder)


@pytest.mark.parametrize("line", lines_of("measured"))
def test_what_measures_is_taken(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_series(folder / BEGUN)
    (folder / "lat.sample.l8").write_bytes(milc_v5(random_field((2, 2, 2, 2))))
    asked = request_of_command(line, monkeypatch)
    assert asked.experiments or asked.cases or asked.suite, line


@pytest.mark.engine
@pytest.mark.parametrize("line", lines_of("simulated"))
def test_what_simulates_does_as_its_example_says(line: str, folder: Path) -> None:
    for name in ("mine.xml", "memory.xml"):
        if name in line:
            typed_here(f"weft calibrate escher -o {name}", folder)
    typed_here(changed(line, FEWER), folder)


@pytest.mark.engine
@pytest.mark.parametrize("line", lines_of("real"))
def test_what_starts_ranks_does_as_its_example_says(line: str, folder: Path) -> None:
    if BEGUN in line:
        typed_here(f"weft run {' '.join(SHORT)} -o {BEGUN}", folder)
    typed_here(line, folder)

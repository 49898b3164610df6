"""Trials on the real machine, without one: a scripted rank, records of known speed, Ctrl-C."""

import os
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from support.in_process import weft_here
from support.nights import nights

ROOT = Path(__file__).parents[2]
OMB = """# OSU MPI Latency Test v7.4
# Size          Latency (us)
8                       0.31
16                      0.32
1048576               102.50
"""


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import real

    return real


@pytest.fixture
def repeats(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import repeats

    return repeats


def said(tally: object, start: str) -> tuple[int, int]:
    """The counts of the one row that begins so."""
    [found] = [counts for row, counts in vars(tally)["rows"].items() if row.startswith(start)]
    times, of = found
    return times, of


@pytest.fixture
def scripted(
    real: ModuleType, machine: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> object:
    """Two pairs of runs of the scripted rank, which takes the same time in every run.

    What is not the first run of a test is called here and not started.
    """
    for name, value in machine.items():
        monkeypatch.setenv(name, value)
    begin = real.begin

    def begin_one(command: list[str]) -> subprocess.CompletedProcess[str]:
        is_first = not [*tmp_path.glob("pair*")]
        return begin(command) if is_first else weft_here(command[1:], os.environ)

    monkeypatch.setattr(real, "begin", begin_one)
    return real.Asked(
        2,
        "20s",
        2,
        tmp_path,
        tests=("ping_pong",),
        words=("--sizes", "8,16", "--samples", "20"),
        application=(),
    )


def test_runs_of_an_unchanged_rank_never_differ_and_other_programs_are_repeated(
    real: ModuleType, repeats: ModuleType, scripted: object
) -> None:
    figures = iter((1.0, 1.2, 1.0, 1.01))
    other = repeats.Repeated("a peer", lambda: {8: next(figures)})
    tally, ended = real.trials(scripted, [other])
    assert not ended
    assert said(tally, "compare: a case is better or worse") == (0, 4)
    assert said(tally, "check --tolerance 10%: a pair fails") == (0, 2)
    assert said(tally, "check: a pair passes") == (2, 2)
    assert said(tally, "two runs of weft") == (0, 4)
    assert said(tally, "a peer: figures over 5% apart") == (1, 2)


def test_an_interrupt_leaves_what_there_is(
    real: ModuleType, repeats: ModuleType, scripted: object
) -> None:
    runs = iter((False, False, False, True))

    def once() -> dict[int, float]:
        if next(runs):
            raise KeyboardInterrupt
        return {8: 1.0}

    tally, ended = real.trials(scripted, [repeats.Repeated("a peer", once)])
    assert ended
    assert said(tally, "check --tolerance 10%: a pair fails") == (0, 1)
    assert said(tally, "a peer") == (0, 1)
    assert len(tally.table()) == len(tally.rows) + 1


def test_a_run_that_measures_nothing_is_named_and_a_program_that_fails_too(
    real: ModuleType,
    repeats: ModuleType,
    scripted: object,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("FAKE_RANK", "die=start")

    def once() -> dict[int, float]:
        raise RuntimeError("no such device")

    tally, ended = real.trials(scripted, [repeats.Repeated("a peer", once)])
    told = capsys.readouterr().err
    assert not ended
    assert not tally.rows
    assert told.count("skipped: pair1") == 2
    assert told.count("skipped: a peer: no such device") == 4


def test_records_that_do_differ_are_counted_as_such(real: ModuleType, tmp_path: Path) -> None:
    """The harness is no use if it counts nothing: half of the nights are a third slower."""
    records = nights(tmp_path, [1.0, 1.001, 0.999, 1.33, 1.331, 1.329])
    tally = real.Tally()
    real.look(records[0], records[3], tally)
    assert said(tally, "compare: any case of a pair of runs is") == (1, 1)
    assert said(tally, "check --tolerance 10%: a pair fails") == (1, 1)
    assert said(tally, "two runs of weft") == (4, 4)
    real.look_at_trend(records, tally)
    assert said(tally, "trend: a step in a curve over 6 runs") == (2, 2)


def test_the_sizes_of_weft_are_read_of_omb_and_no_figure_is_an_error(repeats: ModuleType) -> None:
    assert repeats.parse_omb(OMB) == {8: 0.31, 1048576: 102.5}
    with pytest.raises(RuntimeError, match="no figure"):
        repeats.parse_omb("osu_latency: not enough ranks\n")


def test_a_built_omb_is_found_wherever_it_lies_in_its_folder(
    repeats: ModuleType, tmp_path: Path
) -> None:
    built = tmp_path / "c" / "mpi" / "osu_bw"
    built.parent.mkdir(parents=True)
    built.write_text("#!/bin/sh\n")
    built.chmod(0o755)
    names = [one.name for one in repeats.programs(tmp_path)]
    assert names[:2] == ["osu_bw over shared memory", "osu_bw over TCP"]
    assert not any("osu" in one.name for one in repeats.programs(None))

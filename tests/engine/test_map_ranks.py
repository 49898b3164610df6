"""`weft map` over real ranks that share the cores of this machine, asleep while they wait."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

import weft
from support.printed import result_of
from weft.plan.rounds import partners_in
from weft.topics.pair_map import maps_of

pytestmark = pytest.mark.engine
WEFT = Path(sys.prefix) / "bin" / "weft"
RANKS = 5
# Two tournaments.
ROUNDS = 10
# Sleeping ranks do not wait for the core of one that polls.
MAP = (
    "map", "--ranks", str(RANKS), "--sizes", "8", "--transport", "tcp", "--wait", "block",
    "--rounds", str(ROUNDS),
)  # fmt: skip
ENOUGH = ("--launches", "2", "--budget", "40s")
DEADLINE_S = 900


def mapped(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [WEFT, *words], cwd=folder, capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )


def pairs_of(run: weft.Run) -> set[tuple[int, int]]:
    points = {run.cases[batch.case].point or 0 for batch in run.measured}
    return {
        (rank, partner)
        for point in points
        for rank, partner in enumerate(partners_in(point, RANKS))
        if partner < RANKS
    }


def test_an_odd_number_of_ranks_has_its_matrix_within_the_budget(tmp_path: Path) -> None:
    done = mapped(tmp_path, *MAP, *ENOUGH, "-o", "m.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    run = weft.load(tmp_path / "m.jsonl")
    # What its own budget would have ended says so, whatever else the machine did meanwhile.
    assert run.footer is not None
    assert run.footer.outcome == "precise"
    assert len(pairs_of(run)) == RANKS * (RANKS - 1)
    [row] = result_of(done.stdout)
    assert (row["rounds"], row["launches"]) == (ROUNDS, 2)
    assert row["dead"] == []
    # Rank 0 stands by in one round of five: no batch is long because of its idle samples.
    ops = [batch.ops_per_sample for batch in run.measured]
    assert max(ops) < 100 * max(1, min(ops))


def test_a_map_whose_budget_ends_says_so_and_goes_on(tmp_path: Path) -> None:
    """On a fast machine it is enough for a launch of every round, and never for so many."""
    done = mapped(tmp_path, *MAP, "--launches", "8", "--budget", "3s", "-o", "m.jsonl")
    run = weft.load(tmp_path / "m.jsonl")
    is_whole = len(run.measured_by_case) == len(run.cases)
    assert done.returncode == (0 if is_whole else 1), done.stderr
    assert is_whole or "weft run --resume m.jsonl" in done.stderr
    before = len(weft.load(tmp_path / "m.jsonl").measured)
    again = mapped(tmp_path, "run", "--resume", "m.jsonl", "--no-report", "--budget", "40s")
    assert again.returncode == 0, again.stderr
    assert len(weft.load(tmp_path / "m.jsonl").measured) > before
    shown = mapped(tmp_path, "map", "m.jsonl")
    assert shown.returncode == 0
    assert "10 rounds in 8 launches" in " ".join(shown.stdout.split()) or "slow" in shown.stdout


def test_a_rank_that_is_killed_costs_one_launch(tmp_path: Path) -> None:
    """Its host is there: the launch is tried again, and nobody is dead."""
    with subprocess.Popen(
        [WEFT, *MAP, *ENOUGH, "-o", "m.jsonl"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as ranks:  # fmt: skip
        kill_one(ranks.pid, tmp_path / "m.jsonl")
        said = ranks.communicate(timeout=DEADLINE_S)
    assert ranks.returncode == 0, said
    run = weft.load(tmp_path / "m.jsonl")
    assert any(end.status == "failed" for end in run.lines.ends)
    [row] = maps_of(run, None)
    assert (row.dead, row.rounds) == ((), ROUNDS)


def kill_one(starter: int, record: Path) -> None:
    """The last rank, once a case was measured."""
    end = time.monotonic() + 60
    while not (record.exists() and '"role":"measure"' in record.read_text()):
        assert time.monotonic() < end
        threading.Event().wait(0.05)
    below = psutil.Process(starter).children(recursive=True)
    [*_, last] = sorted((one.pid, one) for one in below if one.name() == "rank-tcp")
    last[1].kill()

"""The how-to pages do what they say: each command of each page is typed by a test.

What computes or reads is typed here. What measures is typed up to where ranks would start, and a
record that was made beforehand then stands where the page writes one. The pages of a cluster are
typed on one, tests/lab/test_how_to.py.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import textwrap
from typing import TYPE_CHECKING

import pytest

from support.copies import ROOT
from support.in_process import TERMINAL, weft_here
from support.nights import EVEN, night
from support.page_commands import changed, commands, outputs, untyped
from support.printed import result_of
from support.typed import request_of_command
from weft.record.writer import compress

if TYPE_CHECKING:
    from pathlib import Path

# On the lab's hosts, with ranks: what they measure is nodes.
ON_A_CLUSTER = {"accept-a-cluster", "find-the-bad-cable", "on-a-cluster"}
HERE = {"choose-between-fabrics", "compare-two-settings", "publish-a-figure", "watch-every-night"}
# The tables and each command, in a test of its own.
FROM_TABLES = "predict-from-two-nodes"
# What simulates is in a test of its own, with fewer nodes.
SIMULATES = "weft predict"
FEWER = {"predict(.*) --nodes 96 --switch 24": r"predict\1 --nodes 8 --switch 4"}
# An earlier page of the reader's wrote these.
BEFORE = {
    "choose-between-fabrics": ("first.jsonl.zst", "second.jsonl.zst"),
    "watch-every-night": ("night1.jsonl.zst", "night2.jsonl.zst", "night3.jsonl.zst"),
}


def put_record(path: Path, day: int) -> None:
    """A packed record of a day."""
    run = night(path.parent, day, EVEN[day])
    compress(run.path.rename(path.with_suffix("")))


def made_before(page: str, folder: Path) -> None:
    """The files of the reader's own that a page begins with."""
    for day, name in enumerate(BEFORE.get(page, ()), start=1):
        put_record(folder / name, day)
    shutil.copy(ROOT / "docs" / "nightly" / "limits.toml", folder)


def test_every_how_to_page_is_typed() -> None:
    pages = {path.stem for path in (ROOT / "docs" / "how-to").glob("*.md")}
    assert pages == ON_A_CLUSTER | HERE | {FROM_TABLES}
    for page in sorted(pages):
        assert commands(f"how-to/{page}"), page
        assert not untyped(f"how-to/{page}"), page


def works(command: str, folder: Path) -> None:
    """It ends well, prints something or writes what it says it writes."""
    program, *words = shlex.split(command)
    assert program == "weft", command
    done = weft_here(words, {**os.environ, **TERMINAL})
    assert done.returncode == 0, (command, done)
    assert done.stdout or outputs(command), command
    for name in outputs(command):
        assert (folder / name).stat().st_size > 0, (command, name)


@pytest.mark.thorough
@pytest.mark.parametrize("page", sorted(HERE))
def test_every_command_of_a_page_works(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    made_before(page, tmp_path)
    typed = [one for one in commands(f"how-to/{page}") if not one.startswith(SIMULATES)]
    for day, command in enumerate(typed):
        if command.startswith("weft run"):
            asked = request_of_command(command, monkeypatch)
            assert asked.output is not None, command
            put_record(tmp_path / asked.output, day)
            continue
        works(command, tmp_path)


@pytest.mark.engine
def test_what_is_simulated_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    typed = [line for page in HERE for line in commands(f"how-to/{page}")]
    simulated = [changed(line, FEWER) for line in typed if line.startswith(SIMULATES)]
    assert simulated
    for command in simulated:
        assert "--nodes 8" in command
        works(command, tmp_path)


@pytest.mark.engine
def test_two_tables_predict_many_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On 64 nodes six exchanges of 1.05 us, three of them over two more switches of 200 ns, or 400.

    On the page's 1,024 nodes they are ten and five.
    """
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "how-to" / f"{FROM_TABLES}.md").read_text()
    tables = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    for name, table in zip(("osu_latency.txt", "osu_bw.txt"), tables, strict=True):
        (tmp_path / name).write_text(textwrap.dedent(table))
    found = []
    for command in commands(f"how-to/{FROM_TABLES}"):
        if not command.startswith(SIMULATES):
            works(command, tmp_path)
            continue
        fewer = changed(command, {"--nodes 1024 --switch 64": "--nodes 64 --switch 16"})
        done = weft_here([*shlex.split(fewer)[1:], "--json"], {**os.environ, **TERMINAL})
        assert done.returncode == 0, done
        found.append(result_of(done.stdout, "predict")["fabrics"][0]["figures"][0]["value"])
    assert found == pytest.approx([6 * 1050 + 3 * 2 * 200, 6 * 1050 + 3 * 2 * 400], rel=0.01)

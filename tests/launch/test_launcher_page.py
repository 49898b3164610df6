"""The page "add a launcher", followed to the letter in a copy."""

import os
import shutil
import stat
from pathlib import Path

import pytest

import weft
from support.copies import ROOT, blocks, weft_of
from weft.host.manifest import collect

# Takes -n RANKS -w NODES, and starts one process with its standard input and output.
SITERUN = '#!/bin/sh\n[ $1 = -n ] && [ $3 = -w ] || exit 9\nshift 4\nexec "$@"\n'


@pytest.fixture
def copy(tmp_path: Path, machine: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sources with the page's launcher in them, in a job of the page's site."""
    shutil.copytree(ROOT / "src" / "weft", tmp_path / "weft")
    source, line = blocks("add-a-launcher.md", "python")
    launch = tmp_path / "weft" / "launch"
    (launch / "siterun.py").write_text(source)
    listing = (launch / "all.py").read_text()
    listing = listing.replace("from weft.names", f"{line}from weft.names")
    listing = listing.replace("Launcher, ...] = (", "Launcher, ...] = (SiterunLauncher(), ")
    (launch / "all.py").write_text(listing)
    starter = tmp_path / "bin" / "siterun"
    starter.write_text(SITERUN)
    starter.chmod(starter.stat().st_mode | stat.S_IXUSR)
    for name, value in machine.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SITE_NODES", str(collect()["host"]))
    return tmp_path


def test_one_file_and_a_line_start_ranks(copy: Path) -> None:
    words = ("run", "ping_pong", "--sizes", "8", "--budget", "20s", "--launches", "2")
    path = copy / "r.jsonl"
    weft_of(copy, *words, "--no-report", "-o", str(path))
    run = weft.load(path)
    assert run.header.plan.launcher == "siterun"
    assert list(run.header.hosts) == os.environ["SITE_NODES"].split(",")
    assert [batch.status for batch in run.measured] == ["ok", "ok"]


def test_it_is_not_taken_outside_of_the_site(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SITE_NODES")
    words = ("run", "ping_pong", "--sizes", "8", "--budget", "20s", "--launches", "1")
    path = copy / "r.jsonl"
    weft_of(copy, *words, "--no-report", "-o", str(path))
    assert weft.load(path).header.plan.launcher == "local"

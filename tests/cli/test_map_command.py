"""`weft map` as it is typed: what is refused before anything is measured."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import msgspec
import pytest
from typer.testing import CliRunner

from support.builders import write_lines
from support.in_process import TERMINAL, weft_here
from support.maps import map_record
from weft.cli.main import app
from weft.errors import WeftError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weft.plan.request import Request


def typed(folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["weft", "map", *words])
    app(["map", *words, "-o", "m.jsonl"], standalone_mode=False)


def test_a_topology_without_this_machine_is_refused_before_there_is_a_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody names a host: who they are is known once the launcher was asked."""
    (tmp_path / "topology.conf").write_text("SwitchName=l1 Nodes=n[1-4]\n")
    site = SimpleNamespace(hosts={"laptop": {}})
    monkeypatch.setattr("weft.session.prepare", lambda *_: (site, None))
    words = "the topology topology.conf does not fit: laptop is below no switch"
    with pytest.raises(WeftError, match=words):
        typed(tmp_path, monkeypatch, "--ranks", "4", "--topology", "topology.conf")
    assert not (tmp_path / "m.jsonl").exists()


def test_less_than_no_round_is_refused() -> None:
    """It was a map of one round."""
    refused = CliRunner().invoke(app, ["map", "--platform", "escher", "--rounds", "-1"])
    assert refused.exit_code == 2
    assert "greater than or equal to 0" in str(refused.exception) + refused.output


@pytest.mark.parametrize(
    ("topology", "said", "fix"),
    [
        ("topology.conf", "does not fit: n0 is below no switch", "omit --topology"),
        ("fat-tree", "'fat-tree' does not fit 5 hosts, n0 to n4: no switch given", "half"),
    ],
)
def test_a_topology_that_does_not_fit_a_platform_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, topology: str, said: str, fix: str
) -> None:
    (tmp_path / "topology.conf").write_text("SwitchName=l1 Nodes=n[1-4]\n")
    words = ("--platform", "escher", "--ranks", "5", "--topology", topology)
    with pytest.raises(WeftError, match=said) as refused:
        typed(tmp_path, monkeypatch, *words)
    assert fix in refused.value.fix
    # Its own words have no ports as an option.
    assert "--switch" not in refused.value.fix


def test_a_map_with_quiet_prints_the_name_of_its_record_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = map_record(tmp_path / "m.jsonl", {})
    asked: list[Request] = []

    def start(request: Request, say: Callable[[str], None], **_: object) -> object:
        asked.append(request)
        say("measuring over tcp")
        return run.path, run.footer

    monkeypatch.setattr("weft.session.start", start)
    words = ("map", "--platform", "escher", "--ranks", "4")
    done = weft_here((*words, "--quiet"), TERMINAL)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"record: {run.path}\n")
    said = weft_here(words, TERMINAL)
    assert "no slow node found" in said.stdout
    assert said.stderr == f"measuring over tcp\nrecord: {run.path}\n"
    # The line of progress is drawn where the request does not say so.
    assert [one.is_quiet for one in asked] == [True, False]


def test_a_quiet_map_ends_as_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A budget that ended early is said in any case, and has the exit status of a failure."""
    whole = map_record(tmp_path / "whole.jsonl", {}).lines
    assert whole.footer is not None
    last = whole.batches[-1].case
    batches = [one for one in whole.batches if one.case != last]
    footer = msgspec.structs.replace(whole.footer, outcome="budget")
    path = tmp_path / "m.jsonl"
    write_lines(path, [whole.header, *whole.launches, *batches, *whole.ends, footer])
    monkeypatch.setattr("weft.session.start", lambda *_, **__: (path, footer))
    words = ("map", "--platform", "escher", "--ranks", "4")
    said, quiet = (weft_here((*words, *more), TERMINAL) for more in ((), ("--quiet",)))
    assert (said.returncode, quiet.returncode) == (1, 1)
    assert quiet.stderr == said.stderr
    assert "weft: 1 of 28 cases has no result" in quiet.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--platform", "escher", "--json", "--quiet"), "--json prints the figures alone"),
        (("m.jsonl", "--quiet"), "m.jsonl is measured already"),
    ],
)
def test_quiet_without_effect_is_refused(words: tuple[str, ...], why: str) -> None:
    done = weft_here(("map", *words), TERMINAL)
    assert done.returncode == 2
    assert done.stderr == f"weft: --quiet has no effect: {why}; omit --quiet\n"


@pytest.mark.parametrize(
    "words", [("--interface", "eth0,eth1"), ("--option", "tcp.interface=eth0,eth1")]
)
def test_rails_of_sockets_that_nobody_would_map_are_refused(words: tuple[str, ...]) -> None:
    """All ranks of a map took the first one, and nothing said so."""
    done = weft_here(("map", "--hosts", "a,b", "--transport", "tcp", *words), TERMINAL)
    assert done.returncode != 0
    assert done.stderr == (
        "weft: tcp takes eth0 alone of eth0,eth1: the map would have none of the others; map each"
        " by itself: --interface eth0, then --interface eth1\n"
    )

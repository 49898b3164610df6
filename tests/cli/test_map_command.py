"""`weft map` as it is typed: what is refused before anything is measured."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from weft.cli.main import app
from weft.errors import WeftError

if TYPE_CHECKING:
    from pathlib import Path


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
        ("fat-tree", "'fat-tree' does not fit 5 hosts, n0 to n4: no switch is named", "half"),
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

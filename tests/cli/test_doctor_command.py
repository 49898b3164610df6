"""`weft doctor`: which hosts it looks at, how they differ, and when it goes into a job."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from support.printed import result_of
from weft.cli.main import app
from weft.host.finding import Finding

if TYPE_CHECKING:
    from weft.launch.sbatch import SiteJob
    from weft.plan.allocation import Allocation

MEASURED = Finding(check="huge pages", level="ok", what="3.0 times the bandwidth")


class Told:
    """Hosts that were asked for, and what each was looked at for."""

    def __init__(
        self, patch: pytest.MonkeyPatch, hosts: tuple[str, ...], unlike: tuple[str, ...]
    ) -> None:
        self.looked: list[tuple[str, str, int]] = []
        self.chosen: list[tuple[str, Any]] = []
        self.jobs: list[SiteJob] = []
        self.needs_job = False
        manifests = {name: {"host": name} for name in hosts}

        def choose(name: str, allocation: Allocation) -> Any:
            self.chosen.append((name, allocation))
            return SimpleNamespace(manifests=lambda own: manifests if own is allocation else {})

        def diagnose(manifest: dict[str, str], load: str, each: int) -> tuple[Finding, ...]:
            self.looked.append((manifest["host"], load, each))
            return (Finding(check="load", level="warning", what=f"busy {manifest['host'][0]}"),)

        def become(job: SiteJob) -> None:
            self.jobs.append(job)
            raise SystemExit(0)

        patch.setattr("weft.launch.all.choose_launcher", choose)
        patch.setattr("weft.host.checks.diagnose", diagnose)
        patch.setattr("weft.host.unlike.check_versions", lambda _: None)
        patch.setattr("weft.host.unlike.unlike_hosts", lambda found: unlike if found else ())
        patch.setattr("weft.host.load.Watch", lambda: SimpleNamespace(load=lambda: "the load"))
        patch.setattr("weft.launch.salloc.is_needed", lambda *_: self.needs_job)
        patch.setattr("weft.launch.salloc.become", become)
        patch.setattr("weft.studies.huge_pages.huge_pages_here", lambda: MEASURED)


def doctor(*words: str) -> None:
    app(["doctor", *words], standalone_mode=False)


def test_hosts_and_their_differences_stand_above_what_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = Told(monkeypatch, ("a1", "a2", "b1"), ("kernel: 6 on a1", "memory: 1 on b1"))
    doctor("--hosts", "a1,a2,b1")
    said = capsys.readouterr().out.splitlines()
    assert said[:3] == ["3 hosts: a1, a2, b1", "  kernel: 6 on a1", "  memory: 1 on b1"]
    words = " ".join(" ".join(said[3:]).split())
    assert "a1, a2: busy a" in words
    assert "b1: busy b" in words
    # One rank a host is enough for two.
    assert told.looked == [(host, "the load", 1) for host in ("a1", "a2", "b1")]
    [(launcher, allocation)] = told.chosen
    assert (launcher, allocation.hosts) == ("", ("a1", "a2", "b1"))


def test_hosts_that_do_not_differ_are_said_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Told(monkeypatch, ("a1", "a2"), ())
    doctor("--hosts", "a1,a2")
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["2 hosts: a1, a2", "  they do not differ in anything that is known"]


@pytest.mark.parametrize(("words", "each"), [((), 2), (("--ranks-per-node", "7"), 7)])
def test_this_machine_alone_has_no_line_of_hosts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...], each: int,
) -> None:  # fmt: skip
    told = Told(monkeypatch, ("a1",), ("never shown",))
    doctor(*words)
    said = capsys.readouterr().out
    assert "1 host" not in said
    assert "never shown" not in said
    assert "busy a" in said
    assert told.looked == [("a1", "the load", each)]


@pytest.mark.parametrize("measure", [False, True])
def test_its_json_has_hosts_differences_and_findings(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], measure: bool
) -> None:
    Told(monkeypatch, ("a1",), ("x",))
    doctor("--json", *(["--measure"] if measure else []))
    found = result_of(capsys.readouterr().out, "doctor")
    assert (found["hosts"], found["differences"]) == (["a1"], ["x"])
    whats = ["busy a", *([MEASURED.what] if measure else [])]
    assert [one["what"] for one in found["findings"]] == whats


def test_nodes_that_only_a_job_has_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told(monkeypatch, ("a1",), ())
    told.needs_job = True
    monkeypatch.setattr(sys, "argv", ["weft", "doctor", "--nodes", "3"])
    with pytest.raises(SystemExit):
        doctor("--nodes", "3")
    [job] = told.jobs
    assert (job.command, job.words) == ("doctor", ("--nodes", "3"))
    assert (job.nodes, job.budget_s) == (3, 60.0)
    # Hosts that are named are there.
    doctor("--hosts", "a1")
    assert len(told.jobs) == 1

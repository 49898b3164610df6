"""A launcher is what fulfils the protocol: one written here measures, others are refused."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

import weft
from support.scripted import lay_out_rank
from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.host.manifest import collect
from weft.launch.all import LAUNCHERS, choose_launcher
from weft.launch.launcher import Job, Launcher
from weft.launch.local import LocalLauncher
from weft.launch.piped import PipedLaunch
from weft.launch.protocol import (
    Answer,
    Bye,
    Hello,
    LaunchError,
    UnknownLineError,
    answer_to,
    decode,
)
from weft.plan.allocation import Allocation
from weft.plan.cases import Experiment
from weft.plan.request import Request
from weft.session import resume, start


class DirectLauncher:
    """Starts one rank as it is, without an MPI's starter, on a host with a name of its own."""

    name = "direct"
    summary = "one rank, without a starter"

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def refuses(self, allocation: Allocation) -> str:
        return "" if allocation.hosts == ("node7",) else "it has node7 only"

    def starts(self, mpi: str) -> bool:
        return mpi == "mpich"

    def manifests(self, allocation: Allocation, _: float = 0) -> dict[str, dict[str, Any]]:
        return {host: {**collect(), "host": host} for host in allocation.hosts}

    def start(self, job: Job) -> PipedLaunch:
        self.jobs.append(job)
        environment = {**os.environ, **job.environment}
        return PipedLaunch([str(job.program), *job.arguments], environment)


def request(folder: Path, monkeypatch: pytest.MonkeyPatch, **asked: Any) -> Request:
    """Two sizes of a scripted rank, which exists for one MPI only."""
    lay_out_rank(folder / "engine", "mpich")
    monkeypatch.setenv("WEFT_ENGINE_DIR", str(folder / "engine"))
    usual: dict[str, Any] = {
        "experiments": (Experiment(tests=("ping_pong",), sizes="8,16"),),
        "transports": (), "ranks": 2,
        "precision": 0.01, "budget_s": 20.0, "launches": 2, "seed": 1,
        "output": folder / "r.jsonl", "mpi": "", "options": {"fake.depth": "3"},
        "command": ("weft", "run"), "case_deadline_s": 5.0, "begun_s": time.monotonic(),
        "report": False,
    }  # fmt: skip
    return Request(**{**usual, **asked})


def test_a_launcher_of_ones_own_measures_and_stands_in_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    direct = DirectLauncher()
    allocation = Allocation(hosts=("node7",), ranks_per_node=2, placement="pack")
    asked = request(tmp_path, monkeypatch, launcher="direct", allocation=allocation)
    path, footer = start(asked, lambda _: None, (direct, *LAUNCHERS))
    run = weft.load(path)
    assert footer.outcome == "precise"
    latencies = [row.latency_ns.value for row in summarise(run) if row.latency_ns]
    # How many operations a sample has is up to the moment, and so is how their sum is rounded.
    assert latencies == pytest.approx([1008.0, 1016.0])
    assert (run.header.plan.launcher, run.header.plan.mpi) == ("direct", "mpich")
    assert list(run.header.hosts) == ["node7"]
    job = direct.jobs[0]
    assert (job.ranks, job.mpi, job.allocation) == (2, "mpich", allocation)
    assert job.arguments == ("--option", "depth=3")
    assert len(direct.jobs) == len(run.lines.launches)


def test_the_first_that_does_not_refuse_the_place_is_found_by_itself() -> None:
    direct = DirectLauncher()
    launchers: tuple[Launcher, ...] = (direct, LocalLauncher())
    assert choose_launcher("", Allocation(hosts=("node7",)), launchers) is direct
    assert choose_launcher("", Allocation(), launchers).name == "local"
    assert choose_launcher("", Allocation(hosts=("localhost",)), launchers).name == "local"
    assert choose_launcher("Local", Allocation()).name == "local"
    assert choose_launcher("", Allocation(hosts=("node7",))).name == "mpirun"
    assert choose_launcher("", Allocation(hosts=("localhost",))).name == "local"


@pytest.mark.parametrize(
    ("name", "hosts", "told"),
    [
        ("lokal", (), "no launcher called lokal; did you mean local?"),
        ("abacus", (), "choose from slurm, mpirun, local"),
        ("local", ("node7",), r"\(local: node7 is not this machine\)"),
        (
            "slurm", (),
            r"\(slurm: this is no Slurm job; put salloc --nodes=2 before the command\)",
        ),
    ],
)  # fmt: skip
def test_a_launcher_that_cannot_start_ranks_there_is_one_line(
    name: str, hosts: tuple[str, ...], told: str
) -> None:
    with pytest.raises(WeftError, match=told):
        choose_launcher(name, Allocation(hosts=hosts))


def test_a_run_goes_on_with_the_launcher_that_began_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allocation = Allocation(hosts=("node7",))
    asked = request(tmp_path, monkeypatch, launcher="direct", allocation=allocation)
    path, _ = start(asked, lambda _: None, (DirectLauncher(),))
    with pytest.raises(WeftError, match="no launcher called direct"):
        resume(path, {}, begun_s=time.monotonic(), report=False)


def test_the_jobs_environment_reaches_the_ranks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On this machine, beside all that is set here."""
    starter = tmp_path / "mpirun.openmpi"
    starter.write_text('#!/bin/sh\nwhile [ "$1" != -n ]; do shift; done; shift 2; exec "$@"\n')
    program = tmp_path / "rank-env"
    clock = '{"name":"c","tick_ns":1,"overhead_ticks":1,"baseline_ns":1}'
    program.write_text(
        f"""#!/bin/sh
echo '{{"kind":"hello","transport":"t","mpi":"m","ranks":[],"clock":{clock},'\
'"details":{{"seen":"'$FROM_JOB,$FROM_HERE'"}}}}'
cat > /dev/null
"""
    )
    for path in (starter, program):
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("FROM_HERE", "here")
    job = Job(program=program, mpi="openmpi", ranks=2, environment={"FROM_JOB": "job"})
    with LocalLauncher().start(job) as launch:
        assert launch.hello().details["seen"] == "job,here"


@pytest.mark.parametrize(
    ("line", "kind", "is_bye"),
    [
        (b'{"what": "is this"}', Answer, False),
        (b"\xff\xfe", Hello, False),
        (b"", Bye, False),
        (b'{"kind": "bye", "clock": null}', Answer, True),
    ],
)
def test_a_line_that_is_not_due_is_quoted(line: bytes, kind: Any, is_bye: bool) -> None:
    with pytest.raises(UnknownLineError, match="not of its protocol") as caught:
        decode(line, kind)
    assert caught.value.is_bye is is_bye


def test_an_answer_to_another_case_ends_the_launch() -> None:
    with pytest.raises(LaunchError, match="answered case 3 instead of case 4"):
        answer_to({"id": 4}, b'{"id": 3, "status": "ok"}')

"""The Slurm launcher with scripts for Slurm's programs: what it asks them, and how often."""

from __future__ import annotations

import os
import re
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import pytest

from weft.errors import WeftError
from weft.launch.launcher import ASK_DEADLINE_S, Job
from weft.launch.nodes import _hosts_in
from weft.launch.programs import choose_mpi
from weft.launch.protocol import LaunchError
from weft.launch.slurm import SlurmLauncher, _cancel, _lost, _openmpi_has_pmi2, _plugins_of
from weft.plan.allocation import Allocation

if TYPE_CHECKING:
    from pathlib import Path

SRUN = """#!/bin/sh
echo "srun $*" >> {asked}
case "$*" in --mpi=list) echo "none"; echo "pmi2"; echo "pmix_v4";; esac
"""
SCONTROL = """#!/bin/sh
echo "scontrol $*" >> {asked}
echo n1; echo n2
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A job of two nodes; the file has a line for each time that Slurm was asked."""
    for name, script in (("srun", SRUN), ("scontrol", SCONTROL)):
        (tmp_path / name).write_text(script.format(asked=tmp_path / "asked"))
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-2]")
    return tmp_path / "asked"


def _launch(folder: Path, mpi: str = "openmpi") -> None:
    job = Job(program=folder / "rank-fake", mpi=mpi, ranks=2, allocation=Allocation())
    with SlurmLauncher().start(job) as launch, pytest.raises(LaunchError):
        launch.hello()


@pytest.mark.parametrize(
    ("allocation", "nodes", "each", "order"),
    [
        (Allocation(placement="pack", ranks_per_node=2), "n1,n2", 2, "block"),
        (Allocation(), "n1,n2", 2, "cyclic"),
        (Allocation(hosts=("n2",)), "n2", 4, "cyclic"),
    ],
)
def test_a_step_is_asked_for_word_by_word(
    asked: Path,
    monkeypatch: pytest.MonkeyPatch,
    allocation: Allocation,
    nodes: str,
    each: int,
    order: str,
) -> None:
    started: list[list[str]] = []

    def start(words: list[str], *_: object) -> AbstractContextManager[None]:
        started.append(words)
        return nullcontext()

    monkeypatch.setattr("weft.launch.slurm.PipedLaunch", start)
    program = asked.parent / "rank-fake"
    job = Job(program=program, mpi="mpich", ranks=4, arguments=("--a", "1"), allocation=allocation)
    with SlurmLauncher().start(job):
        pass
    [words] = started
    step = words.pop(4)
    assert re.fullmatch(r"--job-name=weft-[0-9a-f]{8,}", step)
    assert words == [
        "setpriv", "--pdeathsig", "TERM", "srun", "--mpi=pmi2", f"--nodes={nodes.count('n')}",
        f"--nodelist={nodes}", "--ntasks=4", f"--ntasks-per-node={each}", "--overlap",
        "--overcommit", "--cpu-bind=none", "--export=ALL", f"--distribution={order}",
        "--kill-on-bad-exit=1", "--input=0", str(program), "--a", "1",
    ]  # fmt: skip


@pytest.fixture
def het_job(asked: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A job of two components: n1 and n2, then n3."""
    (asked.parent / "scontrol").write_text(
        '#!/bin/sh\ncase "$3" in "n[1-2]") echo n1; echo n2;; *) echo n3;; esac\n'
    )
    monkeypatch.delenv("SLURM_JOB_NODELIST")
    monkeypatch.setenv("SLURM_HET_SIZE", "2")
    monkeypatch.setenv("SLURM_JOB_NODELIST_HET_GROUP_0", "n[1-2]")
    monkeypatch.setenv("SLURM_JOB_NODELIST_HET_GROUP_1", "n3")
    # Other jobs of these tests have other hosts in the same words.
    monkeypatch.setattr("weft.launch.nodes._hosts_in", _hosts_in.__wrapped__)
    return asked


@pytest.mark.usefixtures("het_job")
@pytest.mark.parametrize(
    ("allocation", "ranks", "parts"),
    [
        (Allocation(), 3, [(0, "n1,n2", 2, 1), (1, "n3", 1, 1)]),
        (Allocation(placement="pack"), 5, [(0, "n1,n2", 4, 2), (1, "n3", 1, 2)]),
        (Allocation(hosts=("n2", "n3")), 2, [(0, "n2", 1, 1), (1, "n3", 1, 1)]),
        (Allocation(hosts=("n3",)), 2, [(1, "n3", 2, 2)]),
    ],
)
def test_each_component_of_a_heterogeneous_job_starts_the_ranks_of_its_nodes(
    asked: Path,
    monkeypatch: pytest.MonkeyPatch,
    allocation: Allocation,
    ranks: int,
    parts: list[tuple[int, str, int, int]],
) -> None:
    started: list[str] = []

    def start(words: list[str], *_: object) -> AbstractContextManager[None]:
        started.extend(words)
        return nullcontext()

    monkeypatch.setattr("weft.launch.slurm.PipedLaunch", start)
    assert SlurmLauncher().refuses(allocation) == ""
    program = asked.parent / "rank-fake"
    job = Job(program=program, mpi="mpich", ranks=ranks, arguments=("-a",), allocation=allocation)
    with SlurmLauncher().start(job):
        pass
    assert started[:4] == ["setpriv", "--pdeathsig", "TERM", "srun"]
    text = " ".join(started[4:])
    # Of several components that read the input each gets a part of the lines.
    sources = re.findall(r"--input=(\S+)", text)
    assert sources == ["0", *["none"] * (len(parts) - 1)]
    found = []
    for part in text.split(" : "):
        assert part.endswith(f"{program} -a")
        words = re.search(
            r"--het-group=(\d).* --nodelist=(\S+) --ntasks=(\d) --ntasks-per-node=(\d)", part
        )
        assert words
        found.append((int(words[1]), words[2], int(words[3]), int(words[4])))
    assert found == parts


@pytest.mark.usefixtures("het_job")
@pytest.mark.parametrize(
    ("allocation", "ranks", "why"),
    [
        (Allocation(), 6, "several components of a job cannot take ranks in turn"),
        (Allocation(hosts=("n3", "n1")), 2, "srun starts the components of a heterogeneous job in"),
    ],
)
def test_what_a_heterogeneous_job_cannot_start_is_one_line(
    asked: Path, allocation: Allocation, ranks: int, why: str
) -> None:
    program = asked.parent / "rank-fake"
    job = Job(program=program, mpi="mpich", ranks=ranks, allocation=allocation)
    with pytest.raises(WeftError, match=why):
        SlurmLauncher().start(job)


def test_slurm_is_asked_once_however_many_launches_there_are(asked: Path) -> None:
    launcher = SlurmLauncher()
    assert launcher.refuses(Allocation()) == ""
    assert launcher.starts("openmpi")
    for _ in range(3):
        _launch(asked.parent)
    lines = asked.read_text().splitlines()
    assert len([line for line in lines if "rank-fake" in line]) == 3
    assert len([line for line in lines if "--mpi=pmix" in line]) == 3
    assert lines.count("scontrol show hostnames n[1-2]") == 1
    assert lines.count("srun --mpi=list") == 1


@pytest.mark.parametrize(("parts", "starts"), [("mca:pmix:s2:version", True), ("", False)])
def test_open_mpi_is_started_by_pmi2_only_where_it_has_it(
    asked: Path, monkeypatch: pytest.MonkeyPatch, parts: str, starts: bool
) -> None:
    for name, word, said in (
        ("srun", "--mpi=list", "none pmi2"),
        ("ompi_info", "--parsable", parts),
    ):
        script = f"#!/bin/sh\n[ \"$*\" = {word} ] && echo '{said}'\n"
        (asked.parent / name).write_text(script)
        (asked.parent / name).chmod(0o755)
    monkeypatch.setattr("weft.launch.slurm._openmpi_has_pmi2", _openmpi_has_pmi2.__wrapped__)
    launcher = SlurmLauncher()
    assert launcher.starts("openmpi") is starts
    assert launcher.starts("mpich")
    if not starts:
        with pytest.raises(WeftError, match="no way to start ranks of openmpi; use --mpi mpich"):
            choose_mpi("openmpi", launcher.starts)


@pytest.mark.parametrize(
    ("listed", "mpi", "plugin"),
    [
        ("none pmi2 pmix_v4", "mpich", "pmi2"), ("none pmix_v4", "mpich", "pmix"),
        ("none pmi2 pmix_v4", "openmpi", "pmix"), ("none pmix", "openmpi", "pmix"),
    ],
)  # fmt: skip
def test_ranks_are_started_by_the_first_way_that_srun_has(
    asked: Path, monkeypatch: pytest.MonkeyPatch, listed: str, mpi: str, plugin: str
) -> None:
    script = SRUN.format(asked=asked).replace('echo "pmi2"; echo "pmix_v4"', f'echo "{listed}"')
    (asked.parent / "srun").write_text(script)
    monkeypatch.setattr("weft.launch.slurm._plugins_of", _plugins_of.__wrapped__)
    assert SlurmLauncher().starts(mpi)
    _launch(asked.parent, mpi)
    [line] = [line for line in asked.read_text().splitlines() if "rank-fake" in line]
    assert f"--mpi={plugin} " in line


def test_what_is_no_place_for_ranks_is_said(asked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = SlurmLauncher()
    assert launcher.refuses(Allocation(hosts=("n2", "n1"))) == ""
    assert launcher.refuses(Allocation(hosts=("n1", "n3", "n4"))) == "n3 is not of job 7 (n1, n2)"
    (asked.parent / "srun").write_text("#!/bin/sh\necho none pmi1 pmi22\n")
    monkeypatch.setattr("weft.launch.slurm._plugins_of", _plugins_of.__wrapped__)
    assert launcher.refuses(Allocation()) == "srun --mpi=list has neither pmix nor pmi2"
    (asked.parent / "srun").unlink()
    monkeypatch.setenv("PATH", str(asked.parent))
    assert launcher.refuses(Allocation()) == "srun is not installed"
    assert not launcher.starts("openmpi")
    monkeypatch.delenv("SLURM_JOB_ID")
    no_slurm = "not inside a Slurm job, and Slurm is not installed here"
    assert launcher.refuses(Allocation(nodes=2)) == no_slurm
    (asked.parent / "salloc").write_text("#!/bin/sh\n")
    (asked.parent / "salloc").chmod(0o755)
    for asked_for, option in (
        (Allocation(), "nodes=2"),
        (Allocation(nodes=64), "nodes=64"),
        (Allocation(hosts=("n1", "n2")), "nodelist=n1,n2"),
    ):
        fix = f"put salloc --{option} before the command"
        assert launcher.refuses(asked_for) == f"this is no Slurm job; {fix}"


def test_each_node_of_the_job_is_asked_what_it_is(
    asked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[Any, ...]] = []
    monkeypatch.setattr("weft.launch.slurm.ask_hosts", lambda *words: given.append(words))
    monkeypatch.setenv("WEFT_ENGINE_DIR", str(asked.parent))
    launcher = SlurmLauncher()
    launcher.manifests(Allocation(), 4.0)
    launcher.manifests(Allocation(hosts=("n2",)))
    for (starting, environment, nodes, deadline_s), named, wait_s in zip(
        given, (("n1", "n2"), ("n2",)), (4.0, ASK_DEADLINE_S), strict=True
    ):
        assert (nodes, deadline_s) == (named, wait_s)
        assert environment is os.environ
        assert starting(named) == [
            "setpriv", "--pdeathsig", "TERM", "srun", "--job-name=weft-hosts", "--mpi=none",
            f"--nodes={len(named)}", f"--nodelist={','.join(named)}", f"--ntasks={len(named)}",
            "--ntasks-per-node=1", "--overlap", "--overcommit", "--cpu-bind=none", "--export=ALL",
            "--input=0", sys.executable, "-m", "weft.host", "--lines", str(asked.parent),
        ]  # fmt: skip


def test_what_is_left_of_a_step_is_ended_and_of_no_other(asked: Path) -> None:
    squeue = asked.parent / "squeue"
    squeue.write_text(
        f"#!/bin/sh\necho squeue $* >>{asked}\n"
        "echo '7.0 bash'; echo ' 7.3 weft-a '; echo '7.4 weft-ab'; echo '7.extern extern'\n"
    )
    scancel = asked.parent / "scancel"
    scancel.write_text(f"#!/bin/sh\necho scancel $* >>{asked}\n")
    squeue.chmod(0o755)
    scancel.chmod(0o755)
    _cancel("weft-a")
    assert asked.read_text().splitlines() == [
        "squeue --steps --noheader --jobs=7 --format=%i %j", "scancel --signal=KILL 7.3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("states", "told"),
    [
        ("n1 idle\nn2 allocated\nn3 mixed", ""),
        ("n1 idle\nn2 down*\nn3 failing", "Slurm reports that n2, n3 went down"),
        ("n1 idle*\nn2 allocated", "Slurm reports that n1 went down"),
        ("", ""),
    ],
)
def test_nodes_that_are_down_or_do_not_answer_are_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, states: str, told: str
) -> None:
    asked = tmp_path / "asked"
    (tmp_path / "sinfo").write_text(f'#!/bin/sh\necho "$*" > {asked}\necho "{states}"\n')
    (tmp_path / "sinfo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert _lost(("n1", "n2", "n3")) == told
    assert asked.read_text() == "--Node --noheader --nodes=n1,n2,n3 --format=%N %T\n"

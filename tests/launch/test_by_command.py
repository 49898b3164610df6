"""Starters that weft does not know: their command, input and output, and --again."""

import shlex
import subprocess
from pathlib import Path

import pytest

from support.scripted import WEFT, run
from weft.errors import WeftError
from weft.launch.by_command import CommandLauncher, check_command
from weft.launch.launcher import Job
from weft.launch.protocol import LaunchError
from weft.plan.allocation import Allocation
from weft.record.reader import read

# Starts this many processes; the first one gets the input.
STARTER = """#!/bin/sh
count=$1; shift
for rank in $(seq 2 $count); do "$@" </dev/null & done
"$@"
wait
"""
# The scripted rank speaks for both ranks.
ALONE = """#!/bin/sh
case "$*" in *weft.host*) exec "$(dirname "$0")/each" "$@";; esac
shift; exec "$@"
"""


def script(folder: Path, name: str, text: str) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return shlex.quote(str(path))


@pytest.fixture
def each(tmp_path: Path) -> str:
    return script(tmp_path / "own", "each", STARTER)


def manifests(command: str, **asked: object) -> dict[str, dict[str, object]]:
    return CommandLauncher().manifests(Allocation(command=command, **asked))  # type: ignore[arg-type]


def test_a_command_starts_ranks_and_hosts_are_known_by_them(each: str) -> None:
    hosts = manifests(f"{each} {{ranks}}")
    assert len(hosts) == 1
    [manifest] = hosts.values()
    assert manifest["cpu"]
    assert "heard" not in manifest


@pytest.mark.parametrize(
    ("behind", "why"),
    [
        ('"$@" | sed "s/^/0: /"', "puts '0: ' before each line of the ranks"),
        ('"$@" </dev/null', "does not pass standard input to rank 0"),
        ('echo "job 17 starts"; "$@"', "prints a line of its own among those of rank 0: 'job 17"),
        ('"$@" >/dev/null', "printed what 0 of 2 ranks wrote"),
        ("echo no such partition >&2; exit 3", "started no ranks (no such partition)"),
        ("sleep 600", "did not end in 1 s"),
    ],
)
def test_a_command_that_does_not_pass_on_input_or_output_is_refused_in_a_line(
    each: str, tmp_path: Path, behind: str, why: str
) -> None:
    broken = script(tmp_path / "own", "broken", f"#!/bin/sh\n{behind}\n")
    short = 1.0 if "sleep" in behind else 60.0
    with pytest.raises(WeftError) as error:
        CommandLauncher().manifests(Allocation(command=f"{broken} {each} {{ranks}}"), short)
    assert why in error.value.what


def test_places_are_filled_with_what_was_asked_for(tmp_path: Path) -> None:
    """Also in the middle of a word."""
    show = script(tmp_path, "show", '#!/bin/sh\necho "$1" "$2" >&2; exit 1\n')
    with pytest.raises(WeftError) as error:
        manifests(
            f"{show} '-N{{nodes}} -n {{ranks}}' --hosts={{hosts}}",
            hosts=("n1", "n2", "n3"), nodes=2, ranks_per_node=3,
        )  # fmt: skip
    assert "(-N2 -n 6 --hosts=n1,n2)" in error.value.what


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("flux run", "has no placeholder {ranks}"),
        ("flux run -n {ranks} {cores}", "has a placeholder {cores}"),
        ("mpirun -n {ranks} -H {hosts}", "has {hosts}, and no hosts are given"),
        ("flux run -n {ranks} 'x", "cannot be split into words"),
    ],
)
def test_a_command_that_cannot_be_filled_is_refused(command: str, why: str) -> None:
    with pytest.raises(WeftError, match=why.replace("{", r"\{")):
        check_command(command, ())


def test_ranks_that_do_not_find_each_other_are_of_another_mpi(
    each: str, machine: dict[str, str], tmp_path: Path
) -> None:
    del machine
    job = Job(
        program=tmp_path / "engine" / "openmpi" / "rank-fake", mpi="openmpi", ranks=4,
        allocation=Allocation(command=f"{each} {{ranks}}"),
    )  # fmt: skip
    with CommandLauncher().start(job) as launch, pytest.raises(LaunchError) as error:
        launch.hello(60.0)
    assert "a launch has 2, not 4; choose the MPI of the starter with --mpi" in error.value.reason


def test_a_record_keeps_its_command_and_runs_it_only_where_it_is_typed(
    each: str, machine: dict[str, str], tmp_path: Path
) -> None:
    """A record may be somebody else's."""
    alone = script(tmp_path / "own", "alone", ALONE)
    command = f"{alone} {{ranks}}"
    del each
    few = ("--launches", "1", "--budget", "10min")
    done = run(machine, tmp_path, *few, "--launcher-command", command, is_started=True)
    assert done.returncode == 0, done.stderr
    first = tmp_path / "r.jsonl"
    plan = read(first).header.plan
    assert (plan.launcher, plan.allocation.command) == ("command", command)
    weft = [str(WEFT), "run", "--no-report", "-o", str(tmp_path / "b.jsonl")]
    for more, status in (
        ([], 2),
        (["--launcher-command", "other {ranks}"], 2),
        (["--launcher-command", command], 0),
    ):
        words = [*weft, "--again", str(first), *more]
        again = subprocess.run(
            words, env=machine, capture_output=True, text=True, timeout=600, check=False
        )
        assert again.returncode == status, again.stderr
        if status:
            assert f"add --launcher-command {shlex.quote(command)}" in again.stderr
    assert read(tmp_path / "b.jsonl").header.plan.allocation.command == command


def test_one_of_two_starters_is_refused(machine: dict[str, str], tmp_path: Path) -> None:
    words = ("--launcher", "local", "--launcher-command", "flux run -n {ranks}")
    done = run(machine, tmp_path, *words)
    assert done.returncode == 2
    assert "--launcher local and --launcher-command both start ranks" in done.stderr

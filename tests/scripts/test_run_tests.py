"""The gate's order: what goes on beside other steps fails it too, and ends with it."""

import os
import shutil
import subprocess
from pathlib import Path

import psutil
import pytest

from support.running import processes_of

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
# Every program of a step, which notes its call and does what the test wants of it.
STEP = """#!/bin/bash
name={name}
case "$name $*" in
  pytest*"not engine"*) name=quick ;;
  pytest*collect*) name=compile ;;
  pytest*"not vm"*) name=cluster ;;
  pytest*"and vm"*) name=machine ;;
  pytest*"simulated or thorough"*) name=simulated ;;
  pytest*) name=${{@: -1}} ;;
  "newcomer root") name=root ;;
esac
echo "$name" >>{calls}
[ ! -e {folder}/does/$name ] || source {folder}/does/$name
"""


class Gate:
    """The gate's own script in a folder where all that it starts is such a step."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls = folder / "calls"
        for name in ("scripts", "bin", ".venv/bin", "does"):
            (folder / name).mkdir(parents=True)
        for name in ("run-tests", "list-skipped", "list-slowest", "list-covered", "list-failed"):
            shutil.copy(SCRIPTS / name, folder / "scripts")
        programs = {
            "scripts/run-lint": "lint", "scripts/check-newcomer": "newcomer", "bin/cmake": "cmake",
            "bin/ctest": "ctest", "bin/make": "make", ".venv/bin/python": "tidy",
            ".venv/bin/pytest": "pytest",
        }  # fmt: skip
        for path, name in programs.items():
            (folder / path).write_text(STEP.format(name=name, calls=self.calls, folder=folder))
            (folder / path).chmod(0o755)

    def does(self, name: str, script: str) -> None:
        (self.folder / "does" / name).write_text(script)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        # What it starts in the background names its logs, and so this folder.
        env = {**os.environ, "PATH": path, "TMPDIR": str(self.folder)}
        return subprocess.run(
            ["scripts/run-tests", *words], cwd=self.folder, env=env,
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip

    def called(self) -> list[str]:
        return sorted(self.calls.read_text().split())


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


def test_all_steps_pass_once_and_the_quick_tests_are_the_newcomers(gate: Gate) -> None:
    gate.does(
        "newcomer", "echo '7 passed in 3.00s'\necho '0.50s call     tests/test_units.py::test_b'"
    )
    done = gate.run()
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "all steps passed"), done
    once = ["cluster", "ctest", "lint", "machine", "make", "newcomer", "ranks", "root",
            "simulated", "tidy"]  # fmt: skip
    assert gate.called() == sorted([*once, "cmake", "cmake"])
    assert "7 passed in 3.00s" in done.stdout
    assert "slowest of newcomer:\n  0.50 s tests/test_units.py::test_b\n" in done.stdout


def test_where_there_is_no_newcomers_machine_the_quick_tests_are_passed_here(gate: Gate) -> None:
    line = "SKIPPED [1] scripts/check-newcomer: no empty root here, see the line above"
    gate.does("newcomer", f"echo '{line}'")
    done = gate.run()
    assert done.returncode == 0
    assert "quick" in gate.called()
    assert f"skipped:\n{line}\n" in done.stdout


@pytest.mark.parametrize(
    ("program", "step"),
    [("lint", "lint"), ("newcomer", "newcomer"), ("tidy", "clang-tidy"), ("ctest", "engine tests"),
     ("ranks", "tests with ranks"), ("cluster", "tests on the cluster"),
     ("machine", "tests in the machine"), ("root", "root of a newcomer")],
)  # fmt: skip
def test_a_step_that_fails_fails_the_gate_wherever_it_runs(
    gate: Gate, program: str, step: str
) -> None:
    gate.does(program, "echo planted\nexit 3")
    done = gate.run()
    assert done.returncode == 1
    assert "planted" in done.stdout
    assert f" s {step}: FAILED\n" in done.stdout
    assert f"run-tests: {step} failed; by hand: " in done.stderr
    assert "all steps passed" not in done.stdout


def test_the_last_lines_of_a_failed_gate_say_which_tests_failed_and_why(gate: Gate) -> None:
    gate.does(
        "cluster", "printf 'E   assert 1 == 2\\nFAILED tests/test_units.py::test_b\\n'\nexit 1"
    )
    lines = gate.run().stdout.splitlines()
    assert lines[-3:] == ["failed:", "E   assert 1 == 2", "FAILED tests/test_units.py::test_b"]


def test_a_newcomers_root_is_whole_before_the_newcomer_begins(gate: Gate) -> None:
    gate.does("root", "until grep -q cluster calls; do :; done\necho whole >root")
    gate.does("newcomer", "cat root")
    done = gate.run()
    assert (done.returncode, done.stdout.count("whole\n")) == (0, 1), done


def test_the_newcomer_builds_beside_the_cluster_and_its_tests_wait_for_it(gate: Gate) -> None:
    gate.does("machine", "until grep -q cluster calls; do :; done\ntouch machine.ended")
    free = 'flock --timeout 60 "$2" true'
    gate.does(
        "newcomer",
        "trap 'touch built' EXIT\n[ -e machine.ended ] || exit 1\n"
        '! flock --nonblock "$2" true || exit 1\n'
        f"touch built\n{free} || exit 1\n[ -e cluster.ended ]",
    )
    gate.does("cluster", "until [ -e built ]; do :; done\ntouch cluster.ended")
    # The lock is free though what began before the end of the cluster has it open.
    gate.does("tidy", "until [ -e built ]; do :; done\nuntil grep -qx simulated calls; do :; done")
    done = gate.run()
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "all steps passed"), done


def test_nothing_goes_on_after_a_failure(gate: Gate) -> None:
    gate.does("tidy", "echo $$ >tidy.pid\nsleep 1000")
    gate.does("cluster", "until [ -s tidy.pid ]; do :; done\nexit 1")
    assert gate.run().returncode == 1
    pid = int((gate.folder / "tidy.pid").read_text())
    if psutil.pid_exists(pid):
        psutil.wait_procs([psutil.Process(pid)], timeout=30)
    assert not psutil.pid_exists(pid)


def test_what_still_waits_to_begin_ends_too(gate: Gate) -> None:
    gate.does("machine", "sleep 1000")
    gate.does("cluster", "until grep -qx machine calls; do :; done\nexit 1")
    assert gate.run().returncode == 1
    assert "newcomer" not in gate.called()
    waiting = processes_of(gate.folder)
    assert not psutil.wait_procs(waiting, timeout=30)[1]


def begin_late(gate: Gate, programs: str, wait: str) -> None:
    """Let the sessions of these programs wait before they are there."""
    (gate.folder / "bin" / "setsid").write_text(
        f'#!/bin/bash\ncase "$*" in {programs}) {wait} ;; esac\n'
        'PATH=${PATH#*:} exec setsid "$@"\n'
    )
    (gate.folder / "bin" / "setsid").chmod(0o755)


def test_what_is_slow_to_begin_does_not_begin_after_the_end(gate: Gate) -> None:
    late = 'while compgen -G "$TMPDIR/tmp.*" >/dev/null; do :; done'
    begin_late(gate, r"*check-newcomer\ all* | *tidy.py*", late)
    gate.does("cluster", "exit 1")
    assert gate.run().returncode == 1
    assert not {"newcomer", "tidy"} & set(gate.called())


def test_nothing_begins_because_the_gate_ended_what_it_waited_for(gate: Gate) -> None:
    """The newcomer's session is there once the machine was ended, and the gate not over yet."""
    ended = 'until compgen -G "$TMPDIR/tmp.*/{}.end" >/dev/null; do :; done'
    begin_late(gate, r"*check-newcomer\ all*", ended.format("tests in the machine"))
    (gate.folder / "scripts" / "list-slowest").write_text(
        f"#!/bin/bash\n{ended.format('newcomer')}\n"
    )
    gate.does("machine", "sleep 1000")
    gate.does("cluster", "until grep -qx machine calls; do :; done\nexit 1")
    assert gate.run().returncode == 1
    assert "newcomer" not in gate.called()


@pytest.mark.parametrize(("part", "tests"), [("build", ["compile"]), ("quick", ["quick"])])
def test_the_quick_part_builds_and_passes_the_quick_tests(
    gate: Gate, part: str, tests: list[str]
) -> None:
    done = gate.run(part)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"all {part} steps passed")
    assert gate.called() == sorted(["cmake", "cmake", "make", *tests])


def test_the_newcomer_builds_what_the_tests_need_before_it_waits() -> None:
    text = (SCRIPTS / "newcomer").read_text()
    at = [text.index(word) for word in ("PART=build\n", "flock ", "PART=quick\n")]
    assert at == sorted(at)

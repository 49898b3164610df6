"""The checks of the lab's machine, from one boot; each is a test of its own here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lab import machine
from lab.run_checks import Result, all_checks

HERE = Path(__file__).parent
pytestmark = pytest.mark.engine
# Added in the guest, so that the status of the boot is known to be the command's own.
STATUS_BASE = 40
# Far more than an idle machine needs: others may compute here at the same time.
DEADLINE_S = 2700


@pytest.fixture(scope="session")
def results(request: pytest.FixtureRequest) -> dict[str, Result]:
    """What came of the checks that were selected, by name."""
    reason = machine.missing()
    if reason:
        pytest.skip(f"no lab: {reason}")
    chosen = [
        str(item.callspec.params["name"])
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.originalname == test_in_the_guest.__name__
    ]
    return _of_a_boot(chosen)


def _of_a_boot(chosen: list[str]) -> dict[str, Result]:
    """What came of these checks in one boot, by name."""
    shell = ["bash", "-c", f'"$@"; exit $(({STATUS_BASE} + $?))', "bash"]
    python = ["env", f"PYTHONPATH={HERE.parent}", sys.executable]
    words = [*shell, *python, "-m", "lab.run_checks", *chosen]
    done = subprocess.run(
        [str(HERE / "vm"), "--deadline", str(DEADLINE_S), *words],
        capture_output=True, text=True, check=False, timeout=DEADLINE_S + 60,
    )  # fmt: skip
    found = {}
    for line in done.stdout.splitlines():
        result = Result(**json.loads(line))
        found[result.name] = result
        sys.stdout.write(f"{result.seconds:6.1f} s {result.name}\n")
    whole = found.keys() == set(chosen)
    failed = any(result.why for result in found.values())
    assert whole, f"the guest did not run all checks:\n{done.stdout}{done.stderr}"
    assert done.returncode == STATUS_BASE + failed, done.stderr
    return found


@pytest.mark.vm
@pytest.mark.parametrize("name", all_checks())
def test_in_the_guest(name: str, results: dict[str, Result]) -> None:
    if results[name].why:
        pytest.fail(f"in the guest:\n{results[name].why}", pytrace=False)


@pytest.mark.vm
def test_a_command_that_takes_too_long_is_ended() -> None:
    if machine.missing():
        pytest.skip(f"no lab: {machine.missing()}")
    done = subprocess.run(
        [HERE / "vm", "--deadline", "0.5", "true"],
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == machine.TOO_LATE
    assert "did not end in 0.5 s" in done.stderr


@pytest.mark.vm
def test_nothing_the_guest_wrote_is_here(results: dict[str, Result]) -> None:
    assert results
    assert not (HERE / "written-in-the-guest").exists()

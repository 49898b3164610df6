"""The lab's machine as far as it can be tested without booting it, and the runner of checks."""

import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from lab import machine, run_checks

VM = Path(__file__).parent / "vm"


def test_a_missing_emulator_is_a_reason_with_its_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "qemu-system-x86_64" in machine.missing()
    assert "scripts/install-system-packages test" in machine.missing()


@pytest.mark.parametrize("words", [[], ["--shell", "true"]])
def test_a_command_or_a_shell_is_wanted(words: list[str]) -> None:
    done = subprocess.run([VM, *words], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 2
    assert "name a command to run, or --shell" in done.stderr


def test_help_shows_examples() -> None:
    done = subprocess.run([VM, "--help"], capture_output=True, text=True, check=True, timeout=600)
    assert "tests/lab/vm ibv_devinfo" in done.stdout


def test_a_check_that_fails_says_why_and_the_next_one_runs() -> None:
    module = ModuleType("lab.checks_planted")

    def check_that_fails() -> None:
        raise AssertionError("planted")

    vars(module).update(check_that_fails=check_that_fails, check_that_holds=lambda: None)
    checks = run_checks.checks_of([module])
    assert list(checks) == ["planted: that fails", "planted: that holds"]
    failed, held = run_checks.results(checks, checks)
    assert "planted" in failed.why
    assert held.why == ""


def test_every_check_has_a_name_of_its_own() -> None:
    assert len(run_checks.all_checks()) >= 3

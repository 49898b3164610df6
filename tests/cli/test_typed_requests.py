"""What typed words ask for, beside what a preset or a record has."""

from pathlib import Path

import pytest

from support.builders import synthetic_record
from support.in_process import TERMINAL, weft_here
from support.typed import request_of


def test_a_simulated_preset_is_one_launch_of_three_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeats are identical there, whatever the preset measures of real ranks."""
    real = request_of(("rendezvous-sweep", "--transport", "tcp"), monkeypatch)
    simulated = request_of(("rendezvous-sweep", "--platform", "escher"), monkeypatch)
    typed = request_of(("rendezvous-sweep", "--transport", "tcp", "--launches", "7"), monkeypatch)
    assert [(one.launches, one.samples) for one in (real, simulated, typed)] == [
        (5, 2), (1, 3), (7, 2)]  # fmt: skip


def test_what_is_typed_beside_again_is_of_the_new_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = str(synthetic_record(tmp_path / "r.jsonl"))
    usual = request_of(("--again", record), monkeypatch)
    typed = ("--launches", "9", "--samples", "77", "--seed", "4711", "--precision", "3%",
             "--budget", "95s", "--deadline", "41s")  # fmt: skip
    asked = request_of(("--again", record, *typed), monkeypatch)
    names = ("launches", "samples", "seed", "precision", "budget_s", "case_deadline_s")
    found, before = ([getattr(one, name) for name in names] for one in (asked, usual))
    assert found == [9, 77, 4711, 0.03, 95.0, 41.0]
    assert all(one != other for one, other in zip(found, before, strict=True))


def test_limits_without_a_file_are_refused_with_what_to_type(tmp_path: Path) -> None:
    record = synthetic_record(tmp_path / "r.jsonl")
    for words, says in (
        ((), "nothing says which file the limits go to; use -o limits.toml"),
        (("-o", "night.json"), "night.json is no .toml; use -o night.toml"),
    ):
        done = weft_here(["check", "--make-limits", record, *words], TERMINAL)
        assert done.returncode == 2
        assert says in done.stderr

"""A short form of `python -m bench.diagnosis`: the table of docs/validation/map.md."""

from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def diagnosis(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import diagnosis

    return diagnosis


def test_planted_faults_are_named_and_healthy_fabrics_are_not(diagnosis: ModuleType) -> None:
    """Of these five of each kind every one is named in the long form."""
    for name in diagnosis.FAULTS:
        assert diagnosis.row_of(name, (16,), 5)[1] == "100", name
    assert diagnosis.false_alarms((4, 16), 10)[1:] == ("0", "0")
    assert diagnosis.false_alarms((4, 16), 10, is_disturbed=True)[1:] == ("-", "0")
    assert diagnosis.delayed_row((4, 16), 5, is_healthy=False)[1:] == ("100", "100")
    assert diagnosis.delayed_row((4, 16), 10, is_healthy=True)[1:] == ("0", "0")

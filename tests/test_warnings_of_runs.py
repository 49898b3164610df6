"""What a run warns of before it begins: the doctor's warnings in brief, and all in its record."""

import datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from weft import session
from weft.host.finding import Finding
from weft.plan.cases import crowding


def warned(
    monkeypatch: pytest.MonkeyPatch,
    findings: tuple[Finding, ...],
    ranks: int,
    cores: int,
    unlike: tuple[str, ...] = (),
) -> tuple[list[str], tuple[str, ...]]:
    """What is said, and what is kept."""
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(session, "diagnose", lambda *words: asked.append(words))
    monkeypatch.setattr(session, "of_hosts", lambda by_host: findings if by_host else ())
    monkeypatch.setattr(session, "unlike_hosts", lambda hosts: unlike if hosts else ())
    hosts = {"a": {"host": "a"}, "b": {"host": "b"}}
    site = cast("Any", SimpleNamespace(hosts=hosts, cores=cores))
    said: list[str] = []
    load = cast("Any", "the load")
    kept = session._warnings(site, load, ranks, said.append)
    # Each host is looked at with its share of the ranks, rounded up.
    assert asked == [(own, load, (ranks + 1) // 2) for own in hosts.values()]
    return said, kept


def finding(number: int, check: str = "load", level: Any = "warning") -> Finding:
    return Finding(
        check=check,
        level=level,
        what=f"what {number}",
        effect=f"effect {number}",
        fix=f"fix {number}",
    )


def line(number: int) -> str:
    return f"warning: what {number}: effect {number}. Fix: fix {number}"


def test_warnings_are_said_and_kept_and_nothing_else_is(monkeypatch: pytest.MonkeyPatch) -> None:
    others = (finding(8, level="ok"), finding(9, level="unknown"))
    said, kept = warned(monkeypatch, (finding(1), *others, finding(2)), 5, 8, ("kernels",))
    assert said == ["warning: hosts differ: kernels", line(1), line(2)]
    assert tuple(said) == kept


@pytest.mark.parametrize(
    ("ranks", "cores", "check", "is_said"),
    [
        (9, 8, "load", True),
        (8, 8, "load", False),
        (9, 8, "cores", False),
    ],
)
def test_a_crowd_of_ranks_is_said_first_and_once(
    monkeypatch: pytest.MonkeyPatch, ranks: int, cores: int, check: str, is_said: bool
) -> None:
    said, _ = warned(monkeypatch, (finding(1, check),), ranks, cores, ("kernels",))
    crowd = [f"warning: {crowding(ranks, cores)}"] if is_said else []
    assert said == [*crowd, "warning: hosts differ: kernels", line(1)]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (0, []),
        (1, ["and 1 more warning; weft doctor shows all"]),
        (3, ["and 3 more warnings; weft doctor shows all"]),
    ],
)
def test_of_many_warnings_the_first_are_said_and_all_are_kept(
    monkeypatch: pytest.MonkeyPatch, more: int, words: list[str]
) -> None:
    count = session.MOST_WARNINGS + more
    said, kept = warned(monkeypatch, tuple(map(finding, range(count))), 2, 8)
    every = [line(at) for at in range(count)]
    assert list(kept) == every
    assert said == [*every[: session.MOST_WARNINGS], *words]


def test_a_record_without_a_name_is_called_by_its_second(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            assert tz is datetime.UTC
            return cls(2026, 1, 23, 4, 5, 6, tzinfo=tz)

    fake = SimpleNamespace(datetime=Clock, UTC=datetime.UTC)
    monkeypatch.setattr(session, "datetime", fake)
    assert str(session._default_path()) == "weft-20260123-040506.jsonl.zst"

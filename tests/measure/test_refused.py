"""What the engine has against a plan is asked of each transport, on the ranks of each case."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support.builders import make_cases, pattern
from support.plans import plan_of
from weft.errors import WeftError
from weft.launch.programs import Program
from weft.launch.protocol import Answer
from weft.measure.refused import refuse_in_vain, refused
from weft.plan.pattern import Footprint

if TYPE_CHECKING:
    from weft.record.model import Status

Lines = Sequence[Mapping[str, Any]]
PROGRAMS = {
    name: Program(transport=name, mpi="openmpi", path=Path(f"rank-{name}"))
    for name in ("mpi", "tcp")
}
CASES = make_cases(["ping_pong", "stream"], ["mpi", "tcp"], [8])
ON_FOUR = tuple(msgspec.structs.replace(case, ranks=4) for case in CASES)


def engine(
    monkeypatch: pytest.MonkeyPatch, *against: str, fix: str = "; make one"
) -> list[tuple[str, int, int]]:
    """The transports of the engine refuse so; gives what was asked: of whom, cases, ranks."""
    asked = []

    def say(program: Program, lines: Lines, ranks: int, *, heads: bool) -> tuple[Answer, ...]:
        asked.append((program.transport, len(lines), ranks))
        is_against = program.transport in against
        status: Status = "unsupported" if is_against else "ok"
        why = f"{program.transport} has no device{fix}" if is_against else ""
        assert not heads
        return tuple(Answer(id=line["id"], status=status, reason=why) for line in lines)

    monkeypatch.setattr("weft.measure.refused.refusals", say)
    return asked


def test_each_number_of_ranks_is_asked_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = engine(monkeypatch)
    found = refused(plan_of((*CASES, *ON_FOUR)), PROGRAMS["tcp"])
    assert asked == [("tcp", 2, 2), ("tcp", 2, 4)]
    assert [case for case, _ in found] == [
        one for one in (*CASES, *ON_FOUR) if one.transport == "tcp"
    ]


def test_the_engine_is_asked_for_as_many_messages_as_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It refused cases of many ranks for memory that they do not take."""
    asked: list[int] = []

    def say(_: Program, lines: Lines, __: int, *, heads: bool) -> tuple[Answer, ...]:
        assert not heads
        asked.extend(line["most_checked"] for line in lines)
        return tuple(Answer(id=line["id"], status="ok") for line in lines)

    monkeypatch.setattr("weft.measure.refused.refusals", say)
    known = {one: msgspec.structs.replace(pattern(one), footprint=Footprint(ranks=of))
             for one, of in (("ping_pong", 2), ("stream", 0))}  # fmt: skip
    program = msgspec.structs.replace(PROGRAMS["tcp"], patterns=tuple(known.values()))
    cases = make_cases(["ping_pong", "stream"], ["tcp"], [8])
    for ranks in (16, 17):
        refused(plan_of(tuple(msgspec.structs.replace(one, ranks=ranks) for one in cases)), program)
    assert asked == [256, 256, 256, 64]


def test_a_plan_is_in_vain_where_no_transport_can_measure_any_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine(monkeypatch, "mpi", "tcp")
    with pytest.raises(WeftError, match="ping_pong: mpi has no device; stream: mpi has") as told:
        refuse_in_vain(plan_of(CASES), PROGRAMS)
    assert told.value.fix == "make one"


@pytest.mark.parametrize(
    ("supported", "fix"), [(True, "use --transport ucx"), (False, "use another test")]
)
def test_a_reason_without_a_fix_names_a_transport_that_can(
    monkeypatch: pytest.MonkeyPatch, supported: bool, fix: str
) -> None:
    engine(monkeypatch, "mpi", "tcp", fix="")
    known = msgspec.structs.replace(pattern("ping_pong"), supported=supported)
    ucx = Program(transport="ucx", mpi="openmpi", path=Path("rank-ucx"), patterns=(known,))
    with pytest.raises(WeftError) as told:
        refuse_in_vain(plan_of(CASES), {**PROGRAMS, "ucx": ucx})
    assert told.value.fix == fix


def test_a_plan_is_measured_where_one_transport_can(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = engine(monkeypatch, "mpi")
    refuse_in_vain(plan_of(CASES), PROGRAMS)
    assert [name for name, _, _ in asked] == ["mpi", "tcp"]


def test_a_program_that_does_not_answer_is_started_and_says_why_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def silent(*_: object, **__: object) -> None:
        raise WeftError("rank-mpi did not look at its cases", "run make build")

    monkeypatch.setattr("weft.measure.refused.refusals", silent)
    refuse_in_vain(plan_of(CASES), PROGRAMS)

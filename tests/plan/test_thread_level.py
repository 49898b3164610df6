"""The thread level of the measured MPI: single, or funneled for ranks with several threads."""

import msgspec
import pytest

from support.builders import make_launch
from support.plans import plan_of
from weft.applications.lattice import Lattice
from weft.errors import WeftError
from weft.plan.case import Case
from weft.plan.costs import group_of
from weft.plan.thread_level import check_threads, with_level
from weft.plan.variations import Variation
from weft.record.again import options_again

LEVEL = "mpi.thread_level"
PLAIN = Case(test="ping_pong", transport="mpi", bytes=8)


def computing(threads: int, transport: str = "mpi") -> Case:
    options = Lattice(extents=(4, 4, 4, 4), threads=threads).options
    return Case(test="milc", transport=transport, bytes=8, application=options)


def test_only_cases_with_several_threads_over_mpi_need_launches_of_their_own() -> None:
    assert group_of(computing(1)) == group_of(PLAIN)
    assert group_of(computing(2)) != group_of(PLAIN)
    assert group_of(computing(2)) == group_of(computing(3))
    assert group_of(computing(2, "mpi:persistent")) != group_of(computing(1, "mpi:persistent"))
    assert group_of(computing(2, "tcp")) == group_of(computing(1, "tcp"))


def test_threads_get_the_level_that_they_need_unless_the_user_chose_one() -> None:
    assert with_level({"tcp.port": "7000"}, threaded=False) == {"tcp.port": "7000"}
    assert with_level({"tcp.port": "7000"}, threaded=True) == {
        "tcp.port": "7000",
        LEVEL: "funneled",
    }
    assert with_level({LEVEL: "multiple"}, threaded=True) == {LEVEL: "multiple"}


@pytest.mark.parametrize(
    ("cases", "options", "varied"),
    [
        ((PLAIN, computing(2)), {LEVEL: "single"}, {}),
        ((computing(2, "mpi:single"),), {}, {LEVEL: "single"}),
        ((computing(2, "mpi:single"),), {LEVEL: "multiple"}, {LEVEL: "single"}),
    ],
    ids=["option", "variation", "variation before option"],
)
def test_several_threads_are_rejected_at_level_single(
    cases: tuple[Case, ...], options: dict[str, str], varied: dict[str, str]
) -> None:
    variations = {"mpi:single": Variation(of="mpi", options=varied)}
    with pytest.raises(WeftError, match="--threads 2"):
        check_threads(cases, options, variations)


@pytest.mark.parametrize(
    ("case", "options"),
    [
        (computing(2), {}),
        (computing(2), {LEVEL: "serialized"}),
        (computing(1), {LEVEL: "single"}),
        (computing(2, "tcp"), {LEVEL: "single"}),
    ],
    ids=["no level", "higher level", "one thread", "another transport"],
)
def test_other_levels_and_transports_allow_threads(case: Case, options: dict[str, str]) -> None:
    check_threads((case,), options, {})


def test_a_record_without_levels_is_repeated_at_the_level_that_it_had() -> None:
    plan = plan_of((PLAIN,), options={"tcp.port": "7000"})
    older = make_launch(0, "mpi")
    newer = msgspec.structs.replace(older, details={"requested thread level": "single"})
    assert options_again(plan, [newer, older])[LEVEL] == "funneled"
    assert options_again(plan, [newer]) == {"tcp.port": "7000"}
    assert options_again(plan, [make_launch(0, "tcp")]) == {"tcp.port": "7000"}

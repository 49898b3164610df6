"""What launches that are unlike say together: rails, hosts, what was given up, which are timed."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

import weft
from support.builders import make_cases, make_launch, synthetic_record
from weft.record.launches import rails_of
from weft.record.model import Batch, GivenUp
from weft.record.parts import parts_table
from weft.record.run import Run


def launches_over(*rails: str) -> list[Any]:
    return [
        msgspec.structs.replace(make_launch(at, "verbs"), details={"rails": one} if one else {})
        for at, one in enumerate(rails)
    ]


@pytest.mark.parametrize(
    ("rails", "most"),
    [(("1", "2"), 2), (("2", "1"), 2), (("", "3", ""), 3), (("", ""), 1), ((), 1)],
)
def test_the_most_rails_count_of_launches_that_had_unlike_ones(
    rails: tuple[str, ...], most: int
) -> None:
    other = msgspec.structs.replace(make_launch(9, "tcp"), details={"rails": "7"})
    assert rails_of([*launches_over(*rails), other], "verbs") == most


@pytest.mark.parametrize(
    ("transport", "ranks", "test", "is_taken"),
    [
        ("tcp", 8, "stream", True), ("tcp", 2, "stream", False), ("mpi", 8, "stream", False),
        ("tcp", 8, "ping_pong", False),
    ],
)  # fmt: skip
def test_what_is_given_up_is_of_a_transport_on_so_many_ranks(
    transport: str, ranks: int, test: str, *, is_taken: bool
) -> None:
    [case] = make_cases((test,), (transport,), (8,))
    case = msgspec.structs.replace(case, ranks=ranks)
    one = GivenUp(transport="tcp", ranks=8, test="stream", reason="it hangs")
    assert one.takes(case) is is_taken
    every = msgspec.structs.replace(one, test="")
    assert every.takes(case) is (is_taken or (transport, ranks) == ("tcp", 8))


def run_on(path: Path, *hosts: tuple[str, str]) -> Run:
    """A run whose launches had their two ranks on these hosts."""
    cases = make_cases(("ping_pong",), ("tcp",), (8,))
    run = weft.load(synthetic_record(path / "r.jsonl", cases, launches=len(hosts)))
    for at, own in enumerate(hosts):
        ranks = tuple(
            msgspec.structs.replace(rank, host=host)
            for rank, host in zip(run.launches[at].ranks, own, strict=True)
        )
        run.launches[at] = msgspec.structs.replace(run.launches[at], ranks=ranks)
    return run


def test_a_case_that_crossed_a_link_in_one_launch_was_not_within_a_host(tmp_path: Path) -> None:
    here, there = ("a", "a"), ("a", "b")
    for hosts, is_within in (((here, here), True), ((here, there), False), ((there, there), False)):
        run = run_on(tmp_path, *hosts)
        assert run.is_within_a_host(run.header.plan.cases[0].key) is is_within
        (tmp_path / "r.jsonl").unlink()


def test_as_many_samples_are_warm_up_as_the_batch_says(tmp_path: Path) -> None:
    run = run_on(tmp_path, ("a", "b"))
    [batch, *_] = run.measured
    frame = parts_table(run.cases, [(batch, 1.0)])
    own = frame.filter(frame["part"] == "")["warmup"].to_list()
    assert own == [True] * batch.warmup + [False] * (len(batch.ticks) - batch.warmup)


def test_rails_of_a_transport_are_not_those_of_its_forms() -> None:
    """tcp:stripe over three interfaces makes no rails of tcp, nor tcp of it."""
    launches = [
        msgspec.structs.replace(make_launch(at, name), details={"rails": rails} if rails else {})
        for at, (name, rails) in enumerate((("tcp", ""), ("tcp:stripe", "3"), ("tcp", "2")))
    ]
    assert [rails_of(launches, name) for name in ("tcp", "tcp:stripe", "tc")] == [2, 3, 1]


def refused(case: str, needs_budget_s: float) -> Any:
    return Batch(
        case=case, launch=-1, order=900, role="measure", status="unsupported",
        reason="too many turns", needs_budget_s=needs_budget_s,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("needs_budget_s", "was_measured", "is_missing"),
    # Measured later with a larger budget, but in fewer launches than asked: `--resume` adds them.
    [(33.0, True, True), (33.0, False, False), (0.0, True, False), (0.0, False, False)],
)
def test_a_case_that_needed_a_larger_budget_is_missing_only_once_it_was_measured(
    tmp_path: Path, needs_budget_s: float, *, was_measured: bool, is_missing: bool
) -> None:
    cases = make_cases(("ping_pong",), ("tcp",), (8, 64))
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, launches=5))
    small, large = run.cases
    kept = tuple(
        one for one in run.lines.batches if one.case == small or (was_measured and one.launch < 2)
    )
    lines = msgspec.structs.replace(run.lines, batches=(refused(large, needs_budget_s), *kept))
    assert Run(run.path, lines).missing == ((large,) if is_missing else ())

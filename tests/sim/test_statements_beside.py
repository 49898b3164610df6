"""What a text states beside what was simulated: each cell is under its head."""

from types import SimpleNamespace
from typing import Any, cast

from weft.reference.library import Fact, Platform
from weft.sim.fidelity import statements_table


def fact(key: str, si: float | None, unit: str = "ns") -> Fact:
    return Fact(
        key=key, what=f"what {key} is", published="7", unit="x", quote="q", si=si, si_unit=unit
    )


def platform(name: str, *facts: Fact) -> Platform:
    return cast("Platform", SimpleNamespace(name=name, title=name.title(), facts=facts))


PLATFORMS = (
    platform("one", fact("latency_small_send", 4000.0), fact("peak", 2e8, "bytes/s"),
             fact("unclear", None)),
    platform("two", fact("latency_small_put", 9000.0), fact("latency_small_send", 5000.0)),
    platform("three", fact("latency_small_put", 8000.0)),
)  # fmt: skip
SIMULATED = {
    "one": {"latency_small": 5000.0, "peak": 1.5e8, "unclear": 3.0, "not_published": 4.0},
    "two": {"latency_small": 4000.0},
    "three": {"latency_small": 8000.0},
}


def test_each_statement_has_what_is_published_what_is_simulated_and_its_error() -> None:
    table = statements_table(PLATFORMS, SIMULATED)
    assert (table.head, table.left) == (("", "", "published", "simulated", "error"), (0, 1))
    expected: tuple[Any, ...] = (
        ("One", "what latency_small_send is", "4.00 µs", "5.00 µs", "+25.00 %"),
        ("One", "what peak is", "200 MB/s", "150 MB/s", "-25.00 %"),
        # Of a send where the text has it, else of a put.
        ("Two", "what latency_small_send is", "5.00 µs", "4.00 µs", "-20.00 %"),
        ("Three", "what latency_small_put is", "8.00 µs", "8.00 µs", "+0.00 %"),
    )
    assert table.rows == expected
